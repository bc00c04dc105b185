// The pools table before migration 6, with rows and their expected conversion.

import type { PoolRecord } from '../../src/model/pool.ts';
import type { SqlRow } from '../../src/store/sql.ts';
import type { Store } from '../../src/store/store.ts';
import { poolId } from '../test-ids.ts';
import { toAddress, toHash } from './store-samples.ts';

export function buildTableBeforeKinds(engine: Store['engine']): readonly string[] {
  const [text, integer] =
    engine === 'sqlite' ? ['TEXT', 'INTEGER'] : ['TEXT COLLATE "C"', 'BIGINT'];
  return [
    'DROP TABLE pools',
    `CREATE TABLE pools (
      chain ${text} NOT NULL, pool ${text} NOT NULL, venue ${text} NOT NULL,
      token0 ${text} NOT NULL, token1 ${text} NOT NULL, fee_pips ${integer} NOT NULL,
      tick_spacing ${integer}, hooks ${text}, vault ${text} NOT NULL,
      created_block ${integer} NOT NULL, created_at_ms ${integer} NOT NULL,
      complete ${integer} NOT NULL, reserve0 ${text}, reserve1 ${text}, sqrt_price_x96 ${text},
      liquidity ${text}, tick ${integer}, protocol_fee ${integer} NOT NULL,
      last_swap_at_ms ${integer}, amount0 ${text}, amount1 ${text}, liquidity_usd_e18 ${text},
      PRIMARY KEY (chain, pool)
    )${engine === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''}`,
    'CREATE INDEX pools_by_token0 ON pools (chain, token0, token1)',
    'CREATE INDEX pools_by_token0_depth ON pools (chain, token0, liquidity_usd_e18 DESC, pool)',
    'CREATE INDEX pools_by_token1_depth ON pools (chain, token1, liquidity_usd_e18 DESC, pool)',
  ];
}

type Cell = string | number | null;

interface PoolBeforeKinds {
  readonly row: SqlRow;
  readonly sql: string;
  readonly record: PoolRecord;
}

function buildInsert(row: readonly Cell[]): string {
  const cells = row.map((cell) =>
    cell === null ? 'NULL' : typeof cell === 'number' ? String(cell) : `'${cell}'`,
  );
  return `INSERT INTO pools VALUES (${cells.join(', ')})`;
}

const [TOKEN0, TOKEN1] = [toAddress(1), toAddress(2)];
const [MANAGER, HOOKS] = [toAddress(3), toAddress(4)];
const SHARED = { token0: TOKEN0, token1: TOKEN1, createdBlock: 7, createdAtMs: 7000 };
const HEAD = (pool: string, venue: string, feePips: number): Cell[] => [
  ...['devnet', pool, venue, TOKEN0, TOKEN1],
  feePips,
];

function create(row: Cell[], record: PoolRecord): PoolBeforeKinds {
  return { row, sql: buildInsert(row), record };
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
