// The pools table before migration 6, with rows and their expected conversion.

import type { PoolRecord } from '../../src/model/pool.ts';
import type { SqlRow } from '../../src/store/sql.ts';
import { poolId } from '../test-ids.ts';
import { buildInsert, type Cell } from './store-before.ts';
import { toAddress, toHash } from './store-samples.ts';

interface PoolBeforeKinds {
  readonly row: SqlRow;
  readonly sql: string;
  readonly record: PoolRecord;
}

const [TOKEN0, TOKEN1] = [toAddress(1), toAddress(2)];
const [MANAGER, HOOKS] = [toAddress(3), toAddress(4)];
const SHARED = { token0: TOKEN0, token1: TOKEN1, createdBlock: 7, createdAtMs: 7000 };
const HEAD = (pool: string, venue: string, feePips: number): Cell[] => [
  ...['devnet', pool, venue, TOKEN0, TOKEN1],
  feePips,
];

function create(row: Cell[], record: PoolRecord): PoolBeforeKinds {
  return { row, sql: buildInsert('pools', row), record };
}

const PAIR = toAddress(11);
const RANGE = toAddress(12);
const SINGLETON = poolId(toHash(13));

export const POOLS_BEFORE_KINDS = {
  pair: create(
    [
      ...HEAD(PAIR, 'uniswap-v2', 3000),
      ...[null, null, PAIR, 7, 7000, 1, '0512345', '010', null, null, null, 0, 9000],
      ...[null, null, '03123'],
    ],
    {
      ...SHARED,
      ...{ pool: poolId(PAIR), venue: 'uniswap-v2', feePips: 3000, vault: PAIR, complete: true },
      ...{ kind: 'constantProduct', terms: null, state: { reserve0: 12345n, reserve1: 0n } },
      ...{ lastSwapAtMs: 9000, liquidityUsdE18: 123n },
    },
  ),
  range: create(
    [
      ...HEAD(RANGE, 'uniswap-v3', 500),
      ...[60, null, RANGE, 7, 7000, 0, null, null, '0279', '019', -12, 0, null],
      ...[null, null, null],
    ],
    {
      ...SHARED,
      ...{ pool: poolId(RANGE), venue: 'uniswap-v3', feePips: 500, vault: RANGE, complete: false },
      kind: 'concentrated',
      terms: { tickSpacing: 60, custody: { kind: 'own' } },
      state: {
        ...{ sqrtPriceX96: 79n, liquidity: 9n, tick: -12, protocolFee: 0 },
        ...{ amount0: null, amount1: null },
      },
      ...{ lastSwapAtMs: null, liquidityUsdE18: null },
    },
  ),
  singleton: create(
    [
      ...HEAD(SINGLETON, 'uniswap-v4', 0),
      ...[1, HOOKS, MANAGER, 7, 7000, 1, null, null, null, null, null, 1_024_500, null],
      ...['0242', '010', null],
    ],
    {
      ...SHARED,
      ...{ pool: SINGLETON, venue: 'uniswap-v4', feePips: 0, vault: MANAGER, complete: true },
      kind: 'concentrated',
      terms: { tickSpacing: 1, custody: { kind: 'singleton', hooks: HOOKS } },
      state: {
        ...{ sqrtPriceX96: null, liquidity: null, tick: null, protocolFee: 1_024_500 },
        ...{ amount0: 42n, amount1: 0n },
      },
      ...{ lastSwapAtMs: null, liquidityUsdE18: null },
    },
  ),
} satisfies Record<string, PoolBeforeKinds>;
