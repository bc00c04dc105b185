// The largest swap that keeps a price, searched by exact quotes: for kinds without a formula.

import type { Ratio } from '../lib/decimal.ts';
import type { SwapOutcome } from './swap-outcome.ts';
import type { SwapPool } from './swap-pool.ts';

const AMOUNT_BITS = 256n;

const NOTHING: SwapOutcome = {
  ...{ amountIn: 0n, amountOut: 0n, feeAmount: 0n },
  ...{ isFilled: true, ticksCrossed: 0 },
};

/**
 * The largest number from `from` on for which `isWithin` holds. It must hold for `from`, and not
 * again once it has failed.
 */
export function searchLargest(from: bigint, isWithin: (value: bigint) => boolean): bigint {
  let found = from;
  let step = 1n;
  while (step >> AMOUNT_BITS === 0n && isWithin(found + step)) {
    found += step;
    step <<= 1n;
  }
  for (; step > 0n; step >>= 1n) if (isWithin(found + step)) found += step;
  return found;
}

/** The same as `SwapPool.swapToPrice`. */
export function searchSwapToPrice(
  pool: SwapPool,
  zeroForOne: boolean,
  priceMin: Ratio,
): SwapOutcome {
  const amountIn = searchLargest(0n, (amount) => {
    const { swap, after } = pool.swapAndMove(zeroForOne, amount);
    if (!swap.isFilled) return false;
    const price = after.midPrice(zeroForOne);
    return price.numerator * priceMin.denominator >= priceMin.numerator * price.denominator;
  });
  return amountIn === 0n ? NOTHING : pool.swapIn(zeroForOne, amountIn);
}
