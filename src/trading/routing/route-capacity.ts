// Whether an amount could go into a market at all: a bound that is never too low, without a search.
//
// What cannot go into the pools that take the input, all of them together, can go nowhere.

import { toAsset } from '../graph/pool-graph.ts';
import { type FieldPlan, isOpen } from './route-field.ts';

/** Adds up what the pools that take the input have room for, until that is enough. */
function toRoom({ assetIn, native, pools }: FieldPlan, enough: number): number {
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

/** False only where the pools that take the input cannot hold so much, however it is divided. */
export function mayTake(plan: FieldPlan, amountIn: bigint): boolean {
  return toRoom(plan, Number(amountIn)) >= Number(amountIn);
}

/** No more than this can go in; null where nothing at all can. */
export function toAmountInMax(plan: FieldPlan): bigint | null {
  const room = toRoom(plan, Number.MAX_VALUE);
  if (room === 0) return null;
  return BigInt(Math.floor(Math.min(room, 2 ** 256)));
}
