// A quick upper bound on how much the market can take, without a search.
//
// An amount above the capacity of all pools that take the input cannot be traded.

import { toAsset } from '../graph/pool-graph.ts';
import { type FieldPlan, isOpen } from './route-field.ts';

/** Adds up what the pools that take the input have room for, until that is enough. */
function sumRoom({ assetIn, native, pools }: FieldPlan, enough: number): number {
  let room = 0;
  for (const { pool, ways } of pools) {
    for (const zeroForOne of [true, false]) {
      const token = zeroForOne ? pool.token0 : pool.token1;
      if (toAsset(token, native) !== assetIn || !isOpen(ways, zeroForOne)) continue;
      room += pool.curve.takesAtMost(zeroForOne, enough);
      if (room > enough) return room;
    }
  }
  return room;
}

/** False only if the pools that take the input cannot hold that much, however it is split. */
export function mayTake(plan: FieldPlan, amountIn: bigint): boolean {
  return sumRoom(plan, Number(amountIn)) >= Number(amountIn);
}

/** The maximum input; null if nothing can go in. */
export function computeAmountInMax(plan: FieldPlan): bigint | null {
  const room = sumRoom(plan, Number.MAX_VALUE);
  if (room === 0) return null;
  return BigInt(Math.floor(Math.min(room, 2 ** 256)));
}
