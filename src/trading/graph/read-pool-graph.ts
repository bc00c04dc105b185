// Fills a pool graph from the store: everything, or where that is too much the deepest pools.

import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketScanner } from '../../store/store.ts';
import type { PoolGraph } from './pool-graph.ts';
import type { GraphPool } from './pool-graph-pool.ts';

/** Null for a pool that nothing can be traded in. */
export type ToPool = (
  row: PoolRecord,
  ticks: readonly TickRecord[],
  previous: GraphPool | undefined,
) => GraphPool | null;

interface ReadPoolGraphOptions {
  readonly chain: ChainSlug;
  readonly graph: PoolGraph;
  readonly toPool: ToPool;
  readonly poolCountMax: number;
}

type Scanner = Pick<MarketScanner, 'scanPools' | 'scanTicks'>;

function toDepth({ liquidityUsdE18 }: PoolRecord): bigint {
  return liquidityUsdE18 ?? 0n;
}

/** What the pools that there is room for hold at least; null where there is room for all. */
async function findFloor(scanner: Scanner, options: ReadPoolGraphOptions): Promise<bigint | null> {
  const depths: bigint[] = [];
  for await (const rows of scanner.scanPools(options.chain)) {
    for (const row of rows) if (options.toPool(row, [], undefined)) depths.push(toDepth(row));
  }
  if (depths.length <= options.poolCountMax) return null;
  depths.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  // Those that hold just as much as the last one with room are left out, too.
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

/** Returns what a pool must hold to be kept; null where all are. */
export async function readPoolGraph(
  scanner: Scanner,
  options: ReadPoolGraphOptions,
): Promise<bigint | null> {
  const { chain, graph, toPool } = options;
  const floor = await findFloor(scanner, options);
  const kept = new Set<PoolId>();
  if (floor !== null) {
    for await (const rows of scanner.scanPools(chain)) {
      for (const row of rows) if (toDepth(row) >= floor) kept.add(row.pool);
    }
  }
  const isWanted = (pool: PoolId) => floor === null || kept.has(pool);
  const ticks = await readTicks(scanner, chain, isWanted);
  for await (const rows of scanner.scanPools(chain)) {
    for (const row of rows) {
      const pool = isWanted(row.pool) ? toPool(row, ticks.get(row.pool) ?? [], undefined) : null;
      ticks.delete(row.pool);
      if (pool !== null) graph.set(pool);
    }
  }
  return floor;
}
