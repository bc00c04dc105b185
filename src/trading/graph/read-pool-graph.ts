// Loads a pool graph from the store: all pools or, if there are too many, the deepest.

import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketScanner } from '../../store/store.ts';
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
  readonly poolCountMax: number;
  /** Pools to keep whatever their liquidity. */
  readonly kept: ReadonlySet<PoolId>;
}

type Scanner = Pick<MarketScanner, 'scanPools' | 'scanTicks'>;

export function readDepth({ liquidityUsdE18 }: PoolRecord): bigint {
  return liquidityUsdE18 ?? 0n;
}

/** The minimum liquidity of the pools that fit; null if all fit. */
async function findFloor(scanner: Scanner, options: ReadPoolGraphOptions): Promise<bigint | null> {
  const depths: bigint[] = [];
  for await (const rows of scanner.scanPools(options.chain)) {
    for (const row of rows) if (options.createPool(row, [], undefined)) depths.push(readDepth(row));
  }
  if (depths.length <= options.poolCountMax) return null;
  depths.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  // Pools with exactly the liquidity of the last one that fits are left out, too.
  return (depths[options.poolCountMax] ?? 0n) + 1n;
}

async function readTicks(
  scanner: Scanner,
  chain: ChainSlug,
  isWanted: (pool: PoolId) => boolean,
): Promise<Map<PoolId, TickRecord[]>> {
  const ticks = new Map<PoolId, TickRecord[]>();
  for await (const rows of scanner.scanTicks(chain)) {
    for (const row of rows) {
      const known = ticks.get(row.pool);
      if (known !== undefined) known.push(row);
      else if (isWanted(row.pool)) ticks.set(row.pool, [row]);
    }
  }
  return ticks;
}

/** Returns the minimum liquidity of the kept pools; null if all are kept. */
export async function readPoolGraph(
  scanner: Scanner,
  options: ReadPoolGraphOptions,
): Promise<bigint | null> {
  const { chain, graph, createPool } = options;
  const floor = await findFloor(scanner, options);
  const kept = new Set(options.kept);
  if (floor !== null) {
    for await (const rows of scanner.scanPools(chain)) {
      for (const row of rows) if (readDepth(row) >= floor) kept.add(row.pool);
    }
  }
  const isWanted = (pool: PoolId) => floor === null || kept.has(pool);
  const ticks = await readTicks(scanner, chain, isWanted);
  for await (const rows of scanner.scanPools(chain)) {
    for (const row of rows) {
      const pool = isWanted(row.pool)
        ? createPool(row, ticks.get(row.pool) ?? [], undefined)
        : null;
      ticks.delete(row.pool);
      if (pool !== null) graph.set(pool);
    }
  }
  return floor;
}
