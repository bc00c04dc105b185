// Uniswap V4: decoding of logs, and reads from contracts.

import { keccak256 } from 'viem/utils';
import type { PoolDescription } from '../../../../model/pool.ts';
import {
  decodeAddressAt,
  encodeCallData,
  hasWords,
  int24At,
  intWord,
  uintAt,
} from '../../data/hex-data.ts';
import { readConcentratedStates } from '../concentrated-pools.ts';
import { TOO_LITTLE } from '../router-kind.ts';
import type { PoolCosts, VenueProtocol } from '../venue-protocol.ts';
import {
  createUniswapV4Decoders,
  describeUniswapV4Logs,
  describeV4Pool,
  SWAP_TOPIC,
} from './decode-uniswap-v4.ts';
import { findPools, listCreationFilters } from './find-v4-pools.ts';
import { findHook } from './pool-hooks.ts';
import { type PoolKey, toPoolKey } from './pool-key.ts';
import { listHookedAsks } from './quote-hooked-pools.ts';
import { readPoolPage } from './read-v4-pool-page.ts';
import { V4_CONTRACTS } from './v4-contracts.ts';
import { readDevnetV4, V4_ENTRIES } from './v4-entries.ts';
import { GET_SLOT0_SELECTOR } from './v4-storage.ts';

export const POOL_KEYS_SELECTOR = '0x86b6be7d';
export const GET_LIQUIDITY_SELECTOR = '0xfa6793d5';
export const GET_TICK_LIQUIDITY_SELECTOR = '0xcaedab54';

/** The PositionManager stores pool keys under the first 25 bytes of their id. */
const SHORT_ID_LENGTH = 50;

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { v4 } = context.deployment;
  if (v4 === null) return [];
  const answers = await context.callContracts(
    pools.map((pool) => ({
      to: v4.positionManager,
      data: encodeCallData(POOL_KEYS_SELECTOR, pool.slice(2, 2 + SHORT_ID_LENGTH).padEnd(64, '0')),
    })),
  );
  return pools.flatMap((pool, index): PoolDescription[] => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 5)) return [];
    // The id is the hash of the key, so the source need not be trusted.
    if (keccak256(answer as `0x${string}`) !== pool) return [];
    const key = {
      pool,
      token0: decodeAddressAt(answer, 0),
      token1: decodeAddressAt(answer, 1),
      feePips: Number(uintAt(answer, 2)),
      tickSpacing: int24At(answer, 3),
      hooks: decodeAddressAt(answer, 4),
    };
    return [describeV4Pool(key, v4)];
  });
};

const readPoolStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const to = context.deployment.v4?.stateView;
  if (to === undefined) return queries.map(() => null);
  return readConcentratedStates(queries, context.callContracts, {
    ask: ({ pool }) => {
      const id = pool.slice(2);
      return {
        to,
        slot0: encodeCallData(GET_SLOT0_SELECTOR, id),
        liquidity: encodeCallData(GET_LIQUIDITY_SELECTOR, id),
        encodeTick: (tick) => encodeCallData(GET_TICK_LIQUIDITY_SELECTOR, id, intWord(tick)),
      };
    },
    decodeState: (slot0, liquidity) => {
      if (slot0 === null || !hasWords(slot0, 4)) return null;
      if (liquidity === null || !hasWords(liquidity, 1)) return null;
      return {
        sqrtPriceX96: uintAt(slot0, 0),
        liquidity: uintAt(liquidity, 0),
        tick: int24At(slot0, 1),
        protocolFee: Number(uintAt(slot0, 2)),
      };
    },
  });
};

/** In `RoundTripProbe.sol`. */
const PROBE = 4;

const findTraded: VenueProtocol['findTraded'] = (pool) => {
  const key = toPoolKey(pool);
  if (key === null) return null;
  const { fee, tickSpacing, hooks } = key;
  return {
    toRouterPool: () => ({ kind: 'v4', key }),
    probe: { kind: PROBE, pool: pool.vault, fee, tickSpacing, hooks },
    holder: null,
  };
};

/** Of `getSlot0`: the fee of the pool, without the protocol's part. */
const LP_FEE_WORD = 3;

/** `updateDynamicLPFee` has no log. */
const buildFeeAsk: VenueProtocol['buildFeeAsk'] = ({ pool, venue }, { v4 }) => {
  if (venue !== v4?.venue) return null;
  const calls = [{ to: v4.stateView, data: encodeCallData(GET_SLOT0_SELECTOR, pool.slice(2)) }];
  return { calls, word: LP_FEE_WORD, pipsPerUnit: 1n };
};

const COSTS: PoolCosts = {
  swap: { hop: 60_000n, hopInSameVault: 36_000n, perTick: 26_000n },
  bytes: { command: 'v4', first: 1_150, next: 240, fixesOutput: true, needsHolding: true },
};

export const uniswapV4: VenueProtocol = {
  contracts: V4_CONTRACTS,
  findHook,
  entries: V4_ENTRIES,
  reverts: {
    'V4TooLittleReceived(uint256,uint256)': TOO_LITTLE,
    'PoolNotInitialized()': 'a V4 pool of the route does not exist',
    'CurrencyNotSettled()':
      'a token taxes its transfers, or a pool could not take the whole amount',
  },
  swapTopics: { [SWAP_TOPIC]: 'Uniswap V4' },
  readDevnet: readDevnetV4,
  ...{ findTraded, buildFeeAsk },
  listAsks: listHookedAsks,
  findCosts: (pool) =>
    pool.kind === 'concentrated' && pool.terms.custody.kind === 'singleton' ? COSTS : null,
  listVaults: ({ v4 }) => (v4 === null ? [] : [v4.poolManager]),
  listVenues: (deployment) => (deployment.v4 === null ? [] : [deployment.v4.venue]),
  createDecoders: createUniswapV4Decoders,
  describeLogs: describeUniswapV4Logs,
  resolvePools,
  findPools,
  listCreationFilters,
  readPoolStates,
  readsInBulk: true,
  readPoolPage,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly v4: { readonly key: PoolKey };
  }
}
