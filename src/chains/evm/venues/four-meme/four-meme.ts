// four.meme on BSC: one contract sells every coin on its curve, and logs each trade. A curve has no
// address of its own: its id is the coin's, marked.

import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { evmAddress, evmPool, parseEvmAddress } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { PoolRows, VenueProtocol } from '../venue-protocol.ts';

const FOUR_MEME_VENUE = 'four-meme';
const PURCHASE_TOPIC = '0x7db52723a3b2cdd6164364b3b766e65e540d7be48ffa89582956d8eaebe62942';
const SALE_TOPIC = '0x0a5575b3648bae2210cee56bf33254cc1ddfbc7bf637c0af2ac18b14fb1bae19';
export const TOKEN_INFO_SELECTOR = '0x1f69565f';
/** After the coin: no pool of two coins, and no hash that anybody can find. */
const MARK = 'ff0000000000000000000000';
const CURVE = new RegExp(`^(0x[0-9a-f]{40})${MARK}$`);
/** Words of a coin's facts: who sells it, and for what; zero for the native coin. */
const [MANAGER, QUOTE] = [1, 2] as const;

export function toCurveId(coin: Address): PoolId {
  return evmPool(`${coin}${MARK}`);
}

function findCoin(pool: PoolId): Address | null {
  return parseEvmAddress(CURVE.exec(pool)?.[1] ?? '');
}

/** Coin, account, price, amount, cost without the fee, fee, and what is left of the curve. */
function createDecoder(manager: Address, isPurchase: boolean): LogDecoder {
  return (log, out) => {
    const { address, topics, data } = log;
    if (address !== manager || topics.length !== 1 || !hasWords(data, 8)) return;
    const [coins, cost] = [uintAt(data, 3), uintAt(data, 4)];
    // The coin is the first token.
    const amounts = isPurchase ? { paid: cost, received: coins } : { paid: coins, received: cost };
    const pool = toCurveId(decodeAddressAt(data, 0));
    out.push(buildUnpricedSwap(log, pool, { isZeroIn: !isPurchase, ...amounts }));
  };
}

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { fourMeme } = context.deployment;
  const coins = pools.flatMap((pool) => findCoin(pool) ?? []);
  if (fourMeme === undefined || coins.length === 0) return [];
  const { manager, helper } = fourMeme;
  const answers = await context.callContracts(
    coins.map((coin) => ({
      to: helper,
      data: encodeCallData(TOKEN_INFO_SELECTOR, addressWord(coin)),
    })),
  );
  return coins.flatMap((token0, index): PoolDescription[] => {
    const facts = answers[index] ?? null;
    if (facts === null || !hasWordAt(facts, QUOTE)) return [];
    if (decodeAddressAt(facts, MANAGER) !== manager) return [];
    const token1 = decodeAddressAt(facts, QUOTE);
    if (token1 === token0) return [];
    const place = { pool: toCurveId(token0), venue: FOUR_MEME_VENUE, vault: manager, feePips: 0 };
    return [describeUnpriced({ ...place, token0, token1 })];
  });
};

const MANAGER_CONTRACT = evmAddress('0x5c952063c7fc8610ffdb798152d69f0b9550762b');

/** Each is one row, whose logs its manager emits. */
const ROWS: PoolRows = {
  kind: 'tradesOnly',
  parse: (row) => (findCoin(row) === null ? null : { contract: MANAGER_CONTRACT }),
  list: () => [],
  toChange: () => null,
};

export const fourMeme: VenueProtocol = {
  ...UNPRICED,
  rows: ROWS,
  swapTopics: { [PURCHASE_TOPIC]: 'four.meme purchase', [SALE_TOPIC]: 'four.meme sale' },
  contracts: {
    bsc: {
      fourMeme: {
        manager: MANAGER_CONTRACT,
        helper: evmAddress('0xf251f83e40a78868fcfa3fa4599dad6494e46034'),
      },
    },
  },
  listVenues: (deployment) => (deployment.fourMeme === undefined ? [] : [FOUR_MEME_VENUE]),
  listVaults: (deployment) =>
    deployment.fourMeme === undefined ? [] : [deployment.fourMeme.manager],
  createDecoders: ({ fourMeme: contracts }) =>
    new Map(
      contracts === undefined
        ? []
        : [
            [PURCHASE_TOPIC, createDecoder(contracts.manager, true)],
            [SALE_TOPIC, createDecoder(contracts.manager, false)],
          ],
    ),
  describeLogs: (deployment) =>
    deployment.fourMeme === undefined
      ? null
      : { creations: [], poolTopics: [PURCHASE_TOPIC, SALE_TOPIC], singleton: null },
  resolvePools,
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there is none. */
    readonly fourMeme?: { readonly manager: Address; readonly helper: Address };
  }
}
