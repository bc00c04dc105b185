// Loads a pool graph from the store: all pools or, if there are too many, the deepest.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketSnapshot } from '../../store/store.ts';
import type { PoolGraph } from './pool-graph.ts';
import type { GraphPool } from './pool-graph-pool.ts';

/** Null for a pool in which nothing can be traded. */
export type CreatePool = (
  row: PoolRecord,
  ticks: readonly TickRecord[],
  previous: GraphPool | undefined,
) => GraphPool | null;

interface ReadPoolGraphOptions {
  readonly chain: ChainSlug;
  readonly graph: PoolGraph;
  readonly createPool: CreatePool;
  readonly isTradable: (pool: Pick<PoolRecord, 'venue'>) => boolean;
  readonly poolCountMax: number;
  /** Pools to keep whatever their liquidity. */
  readonly kept: ReadonlySet<PoolId>;
}

type Reader = Pick<
  MarketSnapshot,
  'scanPools' | 'scanDeepPools' | 'scanPoolDepths' | 'scanTicks' | 'readPools' | 'readTicks'
>;

export function readDepth({ liquidityUsdE18 }: Pick<PoolRecord, 'liquidityUsdE18'>): bigint {
  return liquidityUsdE18 ?? 0n;
}

/**
 * The minimum liquidity of the pools that fit; null if all fit. Pools in which nothing can be
 * traded count, if their venue is known: they hold little.
 */
async function findFloor(reader: Reader, options: ReadPoolGraphOptions): Promise<bigint | null> {
  const { chain, isTradable, poolCountMax } = options;
  // Doubles are enough to choose a threshold, and take a fraction of the memory.
  const depths: number[] = [];
  for await (const rows of reader.scanPoolDepths(chain)) {
    for (const row of rows) if (isTradable(row)) depths.push(Number(readDepth(row)));
  }
  if (depths.length <= poolCountMax) return null;
  const sorted = Float64Array.from(depths).sort();
  // Pools with the liquidity of the first one that does not fit are left out, too; the next double
  // is above all that were rounded to this one.
  const first = sorted[sorted.length - 1 - poolCountMax] ?? 0;
  return BigInt(Math.floor(first * (1 + Number.EPSILON))) + 1n;
}

async function readAllTicks(reader: Reader, chain: ChainSlug): Promise<Map<PoolId, TickRecord[]>> {
  const ticks = new Map<PoolId, TickRecord[]>();
  for await (const rows of reader.scanTicks(chain)) {
    for (const row of rows) {
      const known = ticks.get(row.pool);
      if (known !== undefined) known.push(row);
      else ticks.set(row.pool, [row]);
    }
  }
  return ticks;
}

async function putAll(reader: Reader, options: ReadPoolGraphOptions): Promise<void> {
  const { chain, graph, createPool } = options;
  const ticks = await readAllTicks(reader, chain);
  for await (const rows of reader.scanPools(chain)) {
    for (const row of rows) {
      const pool = createPool(row, ticks.get(row.pool) ?? [], undefined);
      ticks.delete(row.pool);
      if (pool !== null) graph.set(pool);
    }
  }
}

async function putRows(
  reader: Reader,
  { chain, graph, createPool }: ReadPoolGraphOptions,
  rows: readonly PoolRecord[],
): Promise<void> {
  const ticked = rows.filter((row) => row.complete && kindOf(row).hasTicks);
  const ids = ticked.map((row) => row.pool);
  const ticks = ids.length === 0 ? [] : await reader.readTicks(chain, ids);
  const byPool = Map.groupBy(ticks, (row) => row.pool);
  for (const row of rows) {
    const pool = createPool(row, byPool.get(row.pool) ?? [], undefined);
    if (pool !== null) graph.set(pool);
  }
}

/** Returns the minimum liquidity of the kept pools; null if all are kept. */
export async function readPoolGraph(
  reader: Reader,
  options: ReadPoolGraphOptions,
): Promise<bigint | null> {
  const { chain } = options;
  const floor = await findFloor(reader, options);
  if (floor === null) {
    await putAll(reader, options);
    return null;
  }
  for await (const rows of reader.scanDeepPools(chain, floor)) {
    await putRows(reader, options, rows);
  }
  await putRows(reader, options, await reader.readPools(chain, [...options.kept]));
  return floor;
}
