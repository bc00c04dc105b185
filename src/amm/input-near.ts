// The input for a wanted output, searched from a close estimate: for curves whose inverse rounds.

import type { SwapOutcome } from './swap-outcome.ts';

const AMOUNT_BITS = 256n;

type SwapInput = (amountIn: bigint) => SwapOutcome;

/**
 * The swap of the smallest input that pays at least `amountOut`; not filled if there is none.
 * Outputs must not fall as inputs rise, until the pool takes no more.
 */
export function findInputNear(guess: bigint, amountOut: bigint, swapIn: SwapInput): SwapOutcome {
  const isEnough = (swap: SwapOutcome) => swap.isFilled && swap.amountOut >= amountOut;
  let high = guess > 0n ? guess : 1n;
  let found = swapIn(high);
  let low = 0n;
  let step = 1n;
  if (isEnough(found)) {
    // Downwards, until an input is too small.
    while (high > 1n && low === 0n) {
      const lower = high > step ? high - step : 0n;
      if (lower === 0n) break;
      const swap = swapIn(lower);
      if (isEnough(swap)) [high, found] = [lower, swap];
      else low = lower;
      step *= 2n;
    }
  } else {
    // Upwards, until an input is enough, or more than the pool takes.
    while (found.isFilled && !isEnough(found) && high >> AMOUNT_BITS === 0n) {
      [low, high] = [high, high + step];
      found = swapIn(high);
      step *= 2n;
    }
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const swap = swapIn(middle);
    const isTooMuch = !swap.isFilled && !isEnough(found);
    if (isEnough(swap) || isTooMuch) [high, found] = [middle, swap];
    else low = middle;
  }
  return isEnough(found) ? found : { ...found, isFilled: false };
}
