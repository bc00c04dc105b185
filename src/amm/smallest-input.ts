// The input for a wanted output, on venues whose program can only be told the input.

import { minOf } from '../lib/bigint-bounds.ts';
import { AMOUNT_U64_MAX } from './amount-u64.ts';
import type { SwapOutcome } from './swap-outcome.ts';

/**
 * The swap of the smallest input that pays at least `amountOut`; not filled if there is none.
 * Outputs must not fall as inputs rise; where rounded fees let them fall by a unit, the input found
 * still pays enough.
 */
export function findSmallestInput(
  amountOut: bigint,
  swapIn: (amountIn: bigint) => SwapOutcome,
): SwapOutcome {
  let high = 1n;
  let found = swapIn(high);
  while (found.amountOut < amountOut) {
    // A pool that pays all it has is not filled, and pays no more for more.
    if (high >= AMOUNT_U64_MAX || (!found.isFilled && found.amountOut > 0n)) {
      return { ...found, isFilled: false };
    }
    high = minOf(high * 2n, AMOUNT_U64_MAX);
    found = swapIn(high);
  }
  let low = high / 2n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const swap = swapIn(middle);
    if (swap.amountOut >= amountOut) {
      high = middle;
      found = swap;
    } else {
      low = middle;
    }
  }
  return found;
}
