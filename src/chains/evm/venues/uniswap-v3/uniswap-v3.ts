// Uniswap V3 and its forks: decoding of logs, and reads from contracts.

import type { PoolDescription } from '../../../../model/pool.ts';
import type { PoolStateQuery, PoolStateReading } from '../../../adapter.ts';
import { toPoolContract, toPoolId } from '../../evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  int24At,
  intAt,
  intWord,
  uintAt,
  uintWord,
} from '../../hex-data.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV3Decoders } from './decode-uniswap-v3.ts';
import { LIQUIDITY_SELECTOR, SLOT0_SELECTOR, TICKS_SELECTOR } from './pool-selectors.ts';
import { readPoolPiece } from './read-v3-pool-piece.ts';

export const FACTORY_SELECTOR = '0xc45a0155';
export const TOKEN0_SELECTOR = '0x0dfe1681';
export const TOKEN1_SELECTOR = '0xd21220a7';
export const FEE_SELECTOR = '0xddca3f43';
export const TICK_SPACING_SELECTOR = '0xd0c93a7c';
export const GET_POOL_SELECTOR = '0x1698ee82';

const SELF_DESCRIPTION = [
  FACTORY_SELECTOR,
  TOKEN0_SELECTOR,
  TOKEN1_SELECTOR,
  FEE_SELECTOR,
  TICK_SPACING_SELECTOR,
];

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const forks = new Map(context.deployment.v3.map((fork) => [fork.factory, fork]));
  const width = SELF_DESCRIPTION.length;
  const said = await context.callContracts(
    pools.flatMap((pool) => SELF_DESCRIPTION.map((data) => ({ to: toPoolContract(pool), data }))),
  );
  const claims = pools.flatMap((pool, index) => {
    const answers = said.slice(index * width, (index + 1) * width);
    if (answers.some((answer) => answer === null || !hasWords(answer, 1))) return [];
    const [factory = '', token0 = '', token1 = '', fee = '', spacing = ''] = answers.map(
      (answer) => answer ?? '',
    );
    const fork = forks.get(decodeAddressAt(factory, 0));
    const feePips = Number(uintAt(fee, 0));
    if (fork === undefined || feePips >= 1_000_000) return [];
    return [
      {
        fork,
        description: {
          pool,
          kind: 'concentrated' as const,
          venue: fork.venue,
          token0: decodeAddressAt(token0, 0),
          token1: decodeAddressAt(token1, 0),
          feePips,
          vault: toPoolContract(pool),
          terms: { tickSpacing: int24At(spacing, 0), custody: { kind: 'own' as const } },
        },
      },
    ];
  });
  const vouched = await context.callContracts(
    claims.map(({ fork, description: { token0, token1, feePips } }) => ({
      to: fork.factory,
      data: encodeCallData(
        GET_POOL_SELECTOR,
        addressWord(token0),
        addressWord(token1),
        uintWord(feePips),
      ),
    })),
  );
  return claims.flatMap(({ description }, index): PoolDescription[] => {
    const answer = vouched[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    return toPoolId(decodeAddressAt(answer, 0)) === description.pool ? [description] : [];
  });
};

function decodeReading(
  query: PoolStateQuery,
  answers: readonly (string | null)[],
): PoolStateReading | null {
  const [slot0 = null, liquidity = null, ...ticks] = answers;
  if (slot0 === null || liquidity === null || !hasWords(liquidity, 1)) return null;
  // `slot0` has seven words; forks change the later ones but keep the first two.
  if (slot0.length < 2 + 2 * 64) return null;
  return {
    pool: query.description.pool,
    state: {
      sqrtPriceX96: uintAt(slot0, 0),
      liquidity: uintAt(liquidity, 0),
      tick: int24At(slot0, 1),
    },
    ticks: query.ticks.map((tick, index) => {
      const answer = ticks[index] ?? null;
      const known = answer !== null && answer.length >= 2 + 2 * 64;
      return {
        tick,
        liquidityGross: known ? uintAt(answer, 0) : 0n,
        liquidityNet: known ? intAt(answer, 1) : 0n,
      };
    }),
  };
}

const readPoolStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const answers = await context.callContracts(
    queries.flatMap(({ description, ticks }) => {
      const to = toPoolContract(description.pool);
      return [
        { to, data: SLOT0_SELECTOR },
        { to, data: LIQUIDITY_SELECTOR },
        ...ticks.map((tick) => ({ to, data: encodeCallData(TICKS_SELECTOR, intWord(tick)) })),
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

export const uniswapV3: VenueProtocol = {
  listVenues: (deployment) => deployment.v3.map((fork) => fork.venue),
  createDecoders: createUniswapV3Decoders,
  resolvePools,
  readPoolStates,
  readPoolPiece,
};
