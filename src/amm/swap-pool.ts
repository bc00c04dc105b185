// Any pool that can be swapped in, and what it is like after a swap.

import { ConcentratedPool } from './concentrated/concentrated-pool.ts';
import { ConstantProductPool } from './constant-product.ts';
import type { SwapOutcome } from './swap-outcome.ts';

export type SwapPool = ConstantProductPool | ConcentratedPool;

export interface MovedPool {
  readonly swap: SwapOutcome;
  readonly after: SwapPool;
}

/** Spends an amount and gives the pool as that leaves it, for whoever swaps there next. */
export function swapAndMove(pool: SwapPool, zeroForOne: boolean, amountIn: bigint): MovedPool {
  if (pool instanceof ConcentratedPool) {
    const swap = pool.swapIn(zeroForOne, amountIn);
    return { swap, after: pool.toPoolAfter(swap) };
  }
  const swap = pool.swapIn(zeroForOne, amountIn);
  return { swap, after: new ConstantProductPool(swap.after, pool.feePips) };
}
