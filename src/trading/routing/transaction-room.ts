// What one transaction has room for: by what it may use and by its length.

import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Address } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RoutePath } from './route-paths.ts';
import { CostMeter, computePoolCost } from './trade-cost.ts';

/** A swap in a pool. */
interface PoolLoad {
  readonly pool: GraphPool;
  readonly ticksCrossed: number;
  /** Whether it takes a part of the input. */
  readonly isFirst: boolean;
}

export interface RouteRoom {
  /** The share of the room that a swap takes. */
  computeShare(load: PoolLoad): number;
  /** Whether a single route is short enough. */
  hasBytesFor(path: HopRow['hops']): boolean;
  /** The share of the room that swap paths take in total: above 1 they do not fit. */
  computeUsed(swapPaths: readonly RoutePath[]): number;
}

/** Hops in a row, of swap paths or of a path that is not executed yet. */
interface HopRow {
  readonly hops: readonly { readonly pool: GraphPool; readonly zeroForOne: boolean }[];
}

/** What rows of hops add to a transaction's length, by model. */
export function countBytes(rows: readonly HopRow[]): number {
  const sharers = new Set<string>();
  const tokens = new Set<Address>();
  let sum = 0;
  for (const { hops } of rows) {
    for (const [index, { pool, zeroForOne }] of hops.entries()) {
      const { command, first, next, fromZeroLess = 0, received = 0, shared } = pool.bytes;
      const tokenOut = zeroForOne ? pool.token1 : pool.token0;
      if (tokens.has(tokenOut)) sum -= received;
      tokens.add(tokenOut);
      const isNext = hops[index - 1]?.pool.bytes.command === command;
      sum += (isNext ? next : first) - (zeroForOne ? fromZeroLess : 0);
      if (shared === undefined) continue;
      if (sharers.has(shared.sharer)) sum -= shared.bytes;
      sharers.add(shared.sharer);
    }
  }
  return sum;
}

function computePathsCost(costs: TransactionCosts, swapPaths: readonly RoutePath[]): bigint {
  // Whether coins or tokens are spent is not known here; tokens take more.
  const meter = new CostMeter(costs, { isNativeIn: false, isNativeOut: true });
  for (const { takes, hops } of swapPaths) {
    meter.addSwapPath(
      takes,
      hops.map(({ pool: { cost, vault }, ticksCrossed }) => ({ cost, vault, ticksCrossed })),
    );
  }
  return meter.units;
}

/** `small`: for trades whose cost is not known, or not all of it. */
export function createRoom(costs: TransactionCosts, size: 'whole' | 'small'): RouteRoom {
  const bytesMax = size === 'whole' ? costs.bytesMax : costs.fewBytesMax;
  const unitsMax = Number(costs.unitsMax);
  return {
    computeShare({ pool, ticksCrossed, isFirst }) {
      const units = computePoolCost(costs, pool, { ticksCrossed, isFirst });
      return Math.max(Number(units) / unitsMax, pool.bytes.first / bytesMax);
    },
    hasBytesFor: (hops) => countBytes([{ hops }]) <= costs.bytesMax,
    computeUsed(swapPaths) {
      const used = countBytes(swapPaths) / bytesMax;
      return Math.max(used, Number(computePathsCost(costs, swapPaths)) / unitsMax);
    },
  };
}
