// Maverick V2: each pool logs its swaps, and its factory says whether the pool is its own.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { evmAddress, toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const MAVERICK_VENUE = 'maverick-v2';
const SWAP_TOPIC = '0x103ed084e94a44c8f5f6ba8e3011507c41063177e29949083c439777d8d63f60';
export const TOKEN_A_SELECTOR = '0x0fc63d10';
export const TOKEN_B_SELECTOR = '0x5f64b55b';
export const IS_FACTORY_POOL_SELECTOR = '0x578eaca4';

/** Sender, recipient, four words of parameters, then both amounts. */
const decodeSwap: LogDecoder = (log, out) => {
  const { address, topics, data } = log;
  if (topics.length !== 1 || !hasWords(data, 8)) return;
  const isZeroIn = uintAt(data, 3) === 1n;
  const amounts = { paid: uintAt(data, 6), received: uintAt(data, 7) };
  out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn, ...amounts }));
};

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { maverick: factory } = context.deployment;
  if (factory === undefined) return [];
  const answers = await context.callContracts(
    pools.flatMap((pool) => {
      const to = toPoolContract(pool);
      return [
        { to: factory, data: encodeCallData(IS_FACTORY_POOL_SELECTOR, addressWord(to)) },
        { to, data: TOKEN_A_SELECTOR },
        { to, data: TOKEN_B_SELECTOR },
      ];
    }),
  );
  return pools.flatMap((pool, index): PoolDescription[] => {
    const own = answers.slice(index * 3, index * 3 + 3);
    const [isOwn, tokenA, tokenB] = own.map((one) => (one && hasWords(one, 1) ? one : null));
    if (!isOwn || !tokenA || !tokenB || uintAt(isOwn, 0) !== 1n) return [];
    const place = { pool, venue: MAVERICK_VENUE, vault: toPoolContract(pool), feePips: 0 };
    const [token0, token1] = [decodeAddressAt(tokenA, 0), decodeAddressAt(tokenB, 0)];
    return token0 === token1 ? [] : [describeUnpriced({ ...place, token0, token1 })];
  });
};

/** The same on each chain that has it; from public integrations. */
const FACTORY = { maverick: evmAddress('0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e') };

export const maverick: VenueProtocol = {
  swapTopics: { [SWAP_TOPIC]: 'Maverick V2' },
  contracts: { ethereum: FACTORY, base: FACTORY, arbitrum: FACTORY, bsc: FACTORY },
  ...UNPRICED,
  listVenues: ({ maverick: factory }) => (factory === undefined ? [] : [MAVERICK_VENUE]),
  createDecoders: ({ maverick: factory }) =>
    new Map(factory === undefined ? [] : [[SWAP_TOPIC, decodeSwap]]),
  describeLogs: ({ maverick: factory }) =>
    factory === undefined ? null : { creations: [], poolTopics: [SWAP_TOPIC], singleton: null },
  resolvePools,
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** The factory; absent if there is none. */
    readonly maverick?: Address;
  }
}
