// What one transaction has room for: by what it may use and by its length.

import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RouteStrand } from './route-strands.ts';
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
  /** The share of the room that strands take in total: above 1 they do not fit. */
  computeUsed(strands: readonly RouteStrand[]): number;
}

function countBytes({ hops }: RouteStrand): number {
  return hops.reduce((sum, hop, index) => {
    const { command, first, next } = hop.pool.bytes;
    const isNext = hops[index - 1]?.pool.bytes.command === command;
    return sum + (isNext ? next : first);
  }, 0);
}

function computeStrandsCost(costs: TransactionCosts, strands: readonly RouteStrand[]): bigint {
  // Whether coins or tokens are spent is not known here; tokens take more.
  const meter = new CostMeter(costs, { isNativeIn: false, isNativeOut: true });
  for (const { takes, hops } of strands) {
    meter.addStrand(
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
    computeUsed(strands) {
      const bytes = strands.reduce((sum, strand) => sum + countBytes(strand), 0);
      return Math.max(bytes / bytesMax, Number(computeStrandsCost(costs, strands)) / unitsMax);
    },
  };
}
