// four.meme on BSC: one contract, the manager, sells every coin on its curve, and logs each trade.
// A curve has no address of its own: its id is the coin's, marked.
//
// The curve's formula is not published, so its helper is asked what a trade pays. Sales are of
// whole 10^9 units: the manager reverts with `GW` otherwise. The least that a sale names is
// compared with what the curve pays before the manager's fee, so the fee is added to it. Coins of
// the X mode are bought by a call of their own: they are a venue that is only read.

import type { Hex } from 'viem';
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
  uintWord,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { type RouterKind, TOO_LITTLE } from '../router-kind.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { PoolRows, VenueProtocol } from '../venue-protocol.ts';

const FOUR_MEME_VENUE = 'four-meme';
const X_MODE_VENUE = 'four-meme-x-mode';
const PURCHASE_TOPIC = '0x7db52723a3b2cdd6164364b3b766e65e540d7be48ffa89582956d8eaebe62942';
const SALE_TOPIC = '0x0a5575b3648bae2210cee56bf33254cc1ddfbc7bf637c0af2ac18b14fb1bae19';
export const TOKEN_INFO_SELECTOR = '0x1f69565f';
export const CURVE_FACTS_SELECTOR = '0xe684626b';
export const TRY_BUY_SELECTOR = '0xe21b103a';
export const TRY_SELL_SELECTOR = '0xc6f43e8c';
export const BUY_SELECTOR = '0x7f79f6df';
export const SELL_SELECTOR = '0x06e7b98f';
/** After the coin: no pool of two coins, and no hash that anybody can find. */
const MARK = 'ff0000000000000000000000';
const CURVE = new RegExp(`^(0x[0-9a-f]{40})${MARK}$`);
/** Words of a coin's facts: who sells it, for what (zero for the native coin), and the fee. */
const [MANAGER, QUOTE, FEE_RATE] = [1, 2, 4] as const;
const PIPS_PER_RATE = 100n;
const PIPS_MAX = 1_000_000n;
/** Word of what the manager knows of a coin, and its bit for the X mode. */
const TEMPLATE = 2;
const X_MODE_BIT = 0x10000n;
/** Of the helper's answers: who would trade, the amount, then cost and fee of a purchase. */
const [TRADER, AMOUNT, BUY_COST, BUY_FEE] = [0, 2, 3, 4] as const;
const SELL_FEE = 3;
const [BUY_WORDS, SELL_WORDS] = [8, 4] as const;
/** Of what is offered for a purchase: if the curve takes less, it has too few coins left. */
const TAKEN_PCT_MIN = 99n;
const SALE_STEP = 10n ** 9n;

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

type Context = Parameters<VenueProtocol['resolvePools']>[1];

async function describeCurves(
  coins: readonly Address[],
  context: Context,
): Promise<PoolDescription[]> {
  const { fourMeme } = context.deployment;
  if (fourMeme === undefined || coins.length === 0) return [];
  const { manager, helper } = fourMeme;
  const answers = await context.callContracts(
    coins.flatMap((coin) => [
      { to: helper, data: encodeCallData(TOKEN_INFO_SELECTOR, addressWord(coin)) },
      { to: manager, data: encodeCallData(CURVE_FACTS_SELECTOR, addressWord(coin)) },
    ]),
  );
  return coins.flatMap((token0, index): PoolDescription[] => {
    const [facts = null, own = null] = answers.slice(index * 2, index * 2 + 2);
    if (facts === null || !hasWordAt(facts, FEE_RATE)) return [];
    if (own === null || !hasWordAt(own, TEMPLATE)) return [];
    if (decodeAddressAt(facts, MANAGER) !== manager) return [];
    const token1 = decodeAddressAt(facts, QUOTE);
    const pips = uintAt(facts, FEE_RATE) * PIPS_PER_RATE;
    if (token1 === token0 || pips >= PIPS_MAX) return [];
    const isXMode = (uintAt(own, TEMPLATE) & X_MODE_BIT) !== 0n;
    const venue = isXMode ? X_MODE_VENUE : FOUR_MEME_VENUE;
    const place = { pool: toCurveId(token0), venue, vault: manager, feePips: Number(pips) };
    return [describeUnpriced({ ...place, token0, token1 })];
  });
}

/** Null if the curve would leave a part of what is offered. */
function decodePurchase(answer: string, funds: bigint): bigint | null {
  const taken = uintAt(answer, BUY_COST) + uintAt(answer, BUY_FEE);
  return taken * 100n >= funds * TAKEN_PCT_MIN ? uintAt(answer, AMOUNT) || null : null;
}

function decodeSale(answer: string): bigint | null {
  const paid = uintAt(answer, AMOUNT) - uintAt(answer, SELL_FEE);
  return paid > 0n ? paid : null;
}

const listAsks: VenueProtocol['listAsks'] = ({ pool, zeroForOne }, { fourMeme: contracts }) => {
  const coin = pool.venue === FOUR_MEME_VENUE ? findCoin(pool.pool) : null;
  if (contracts === undefined || coin === null) return [];
  const { helper: to, manager } = contracts;
  const isTold = (answer: string) =>
    hasWords(answer, zeroForOne ? SELL_WORDS : BUY_WORDS) &&
    decodeAddressAt(answer, TRADER) === manager;
  return [
    {
      isStable: null,
      encode: (amount) => {
        // A purchase is told how many coins, or else what to spend.
        const words = zeroForOne ? [amount - (amount % SALE_STEP)] : [0n, amount];
        const selector = zeroForOne ? TRY_SELL_SELECTOR : TRY_BUY_SELECTOR;
        return { to, data: encodeCallData(selector, addressWord(coin), ...words.map(uintWord)) };
      },
      decode: (answer, amount) => {
        if (!isTold(answer)) return null;
        return zeroForOne ? decodeSale(answer) : decodePurchase(answer, amount);
      },
    },
  ];
};

const FOUR_MEME_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'test/contracts/called-pools.sol' },
  hasNoDeadline: true,
  cannotWrap: true,
  encodeSwap({ hops, amountIn, amountOutMin, recipient }) {
    const [hop, ...others] = hops;
    if (hop?.pool.kind !== 'fourMeme' || others.length > 0) throw new Error('not one curve');
    const { coin, isSale, feePips } = hop.pool;
    if (!isSale) {
      const words = [BigInt(recipient), amountIn, amountOutMin].map(uintWord);
      return encodeCallData(BUY_SELECTOR, addressWord(coin), ...words) as Hex;
    }
    // The least of which the minimum is left: the fee is rounded down.
    const least = ((amountOutMin - 1n) * PIPS_MAX) / (PIPS_MAX - BigInt(feePips)) + 1n;
    const amounts = [amountIn - (amountIn % SALE_STEP), least];
    // No origin, and no further fee for anybody.
    const words = [addressWord(coin), ...[...amounts, 0n].map(uintWord), addressWord(ZERO_ADDRESS)];
    return encodeCallData(SELL_SELECTOR, uintWord(0n), ...words) as Hex;
  },
};

const findTraded: VenueProtocol['findTraded'] = ({ venue, pool, feePips }) => {
  const coin = venue === FOUR_MEME_VENUE ? findCoin(pool) : null;
  if (coin === null) return null;
  return {
    toRouterPool: (isSale) => ({ kind: 'fourMeme', coin, isSale, feePips }),
    ...{ probe: null, holder: null },
  };
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
  readDevnet(file) {
    const part = file.findPart('fourMeme');
    if (part === null) return {};
    return { fourMeme: { manager: part.find('manager'), helper: part.find('helper') } };
  },
  listRouters: ({ fourMeme: contracts }) => {
    if (contracts === undefined) return [];
    const [name, address] = [FOUR_MEME_VENUE, contracts.manager];
    return [{ name, kind: 'fourMeme', address, venues: [FOUR_MEME_VENUE] }];
  },
  listOnChainVenues: ({ fourMeme: contracts }) => {
    return contracts === undefined ? [] : [FOUR_MEME_VENUE];
  },
  listAsks,
  findTraded,
  routerKinds: { fourMeme: FOUR_MEME_ROUTER },
  reverts: {
    GW: 'four.meme sells and buys whole 10^9 units of a coin only',
    SO: 'the sale is too small',
    Slippage: TOO_LITTLE,
  },
  listVenues: (deployment) =>
    deployment.fourMeme === undefined ? [] : [FOUR_MEME_VENUE, X_MODE_VENUE],
  listVaults: ({ fourMeme: contracts }) => (contracts === undefined ? [] : [contracts.manager]),
  listTransferVaults: ({ fourMeme: contracts }) => {
    return contracts === undefined ? [] : [contracts.manager];
  },
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
  resolvePools: (pools, context) =>
    describeCurves(
      pools.flatMap((pool) => findCoin(pool) ?? []),
      context,
    ),
  findPools: ({ token }, context) => describeCurves([token], context),
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there is none. */
    readonly fourMeme?: { readonly manager: Address; readonly helper: Address };
  }

  interface RouterKindNames {
    /** The manager of four.meme. */
    readonly fourMeme: true;
  }
}

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly fourMeme: {
      readonly coin: Address;
      readonly isSale: boolean;
      readonly feePips: number;
    };
  }
}
