// Uniswap V4: decoding of logs, and reads from contracts.

import { keccak256 } from 'viem/utils';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { PoolStateQuery, PoolStateReading } from '../../../adapter.ts';
import {
  decodeAddressAt,
  encodeCallData,
  hasWords,
  int24At,
  intAt,
  intWord,
  uintAt,
} from '../../hex-data.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV4Decoders, describeV4Pool } from './decode-uniswap-v4.ts';
import { readPoolPiece } from './read-v4-pool-piece.ts';

export const POOL_KEYS_SELECTOR = '0x86b6be7d';
export const GET_SLOT0_SELECTOR = '0xc815641c';
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

function decodeReading(
  query: PoolStateQuery,
  answers: readonly (string | null)[],
): PoolStateReading | null {
  const [slot0 = null, liquidity = null, ...ticks] = answers;
  if (slot0 === null || liquidity === null) return null;
  if (!hasWords(slot0, 4) || !hasWords(liquidity, 1)) return null;
  return {
    pool: query.description.pool,
    state: {
      sqrtPriceX96: uintAt(slot0, 0),
      liquidity: uintAt(liquidity, 0),
      tick: int24At(slot0, 1),
      protocolFee: Number(uintAt(slot0, 2)),
    },
    ticks: query.ticks.map((tick, index) => {
      const answer = ticks[index] ?? null;
      const known = answer !== null && hasWords(answer, 2);
      return {
        tick,
        liquidityGross: known ? uintAt(answer, 0) : 0n,
        liquidityNet: known ? intAt(answer, 1) : 0n,
      };
    }),
  };
}

const readPoolStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const to = context.deployment.v4?.stateView;
  if (to === undefined) return queries.map(() => null);
  const answers = await context.callContracts(
    queries.flatMap(({ description, ticks }) => {
      const id = description.pool.slice(2);
      return [
        { to, data: encodeCallData(GET_SLOT0_SELECTOR, id) },
        { to, data: encodeCallData(GET_LIQUIDITY_SELECTOR, id) },
        ...ticks.map((tick) => ({
          to,
          data: encodeCallData(GET_TICK_LIQUIDITY_SELECTOR, id, intWord(tick)),
        })),
      ];
    }),
  );
  let start = 0;
  return queries.map((query) => {
    const width = 2 + query.ticks.length;
    start += width;
    return decodeReading(query, answers.slice(start - width, start));
  });
};

export const uniswapV4: VenueProtocol = {
  listVenues: (deployment) => (deployment.v4 === null ? [] : [deployment.v4.venue]),
  createDecoders: createUniswapV4Decoders,
  resolvePools,
  readPoolStates,
  readPoolPiece,
};
