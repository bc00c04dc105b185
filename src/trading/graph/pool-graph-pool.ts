// A stored pool as the quoter has it: ready to be swapped in, and honest about what is not known.

import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { toDirectionFees } from '../../amm/concentrated/swap-fee.ts';
import { TickTable } from '../../amm/concentrated/tick-table.ts';
import { ConstantProductPool } from '../../amm/constant-product/constant-product-pool.ts';
import type { SwapPool } from '../../amm/swap-pool.ts';
import type { Address, PoolId } from '../../model/market-event.ts';
import type { PoolRecord, TickRecord } from '../../model/market-record.ts';
import { leavesSwapsAlone } from './pool-graph-hooks.ts';

/** Why a pool's swaps cannot be promised to the unit: a hook has a say, or ticks are missing. */
export type Inexactness = 'hook' | 'ticks';

/** Immutable: a pool that changed is another object. */
export interface GraphPool {
  readonly pool: PoolId;
  readonly venue: string;
  readonly token0: Address;
  readonly token1: Address;
  /** The pool's own fee, without the protocol's. */
  readonly feePips: number;
  readonly tickSpacing: number | null;
  readonly hooks: Address | null;
  readonly inexact: Inexactness | null;
  readonly curve: SwapPool;
}

function toInexactness(row: PoolRecord): Inexactness | null {
  if (!leavesSwapsAlone(row)) return 'hook';
  return row.complete || row.tickSpacing === null ? null : 'ticks';
}

/** Ticks change seldom: as long as they do not, what was worked out about them stays. */
function toTable(ticks: readonly TickRecord[], previous: GraphPool | undefined): TickTable {
  const table = new TickTable(ticks);
  const curve = previous?.curve;
  const known = curve instanceof ConcentratedPool ? curve.terms.ticks : null;
  return known?.equals(table) ? known : table;
}

function toCurve(
  row: PoolRecord,
  ticks: readonly TickRecord[],
  previous: GraphPool | undefined,
): SwapPool | null {
  const { reserve0, reserve1, sqrtPriceX96, liquidity, tick, tickSpacing, feePips } = row;
  if (tickSpacing === null) {
    if (reserve0 === null || reserve1 === null || reserve0 === 0n || reserve1 === 0n) return null;
    return new ConstantProductPool({ reserve0, reserve1 }, feePips);
  }
  if (sqrtPriceX96 === null || sqrtPriceX96 === 0n || tick === null) return null;
  const table = toTable(row.complete ? ticks : [], previous);
  // No liquidity now and none further on: nothing can be traded here.
  if ((liquidity ?? 0n) === 0n && table.size === 0) return null;
  const fees = toDirectionFees(feePips, row.protocolFee);
  return new ConcentratedPool(
    { sqrtPriceX96, liquidity: liquidity ?? 0n, tick },
    { tickSpacing, fees, ticks: table },
  );
}

/** Null for a pool that nothing can be traded in; `previous` is what it was before. */
export function toGraphPool(
  row: PoolRecord,
  ticks: readonly TickRecord[],
  previous?: GraphPool,
): GraphPool | null {
  const curve = toCurve(row, ticks, previous);
  if (curve === null) return null;
  const { pool, venue, token0, token1, feePips, tickSpacing, hooks } = row;
  const inexact = toInexactness(row);
  return { pool, venue, token0, token1, feePips, tickSpacing, hooks, inexact, curve };
}
