// The depth of a pool by bisection over exact quotes, for comparison.

import type { SwapPool } from '../../src/amm/swap-pool.ts';

export const DEPTH_PCTS = [0.5, 1, 2, 5, 10];
const AMOUNT_END = 2n ** 130n;

type Share = readonly [numerator: bigint, denominator: bigint];

function isPriceKept(before: SwapPool, after: SwapPool, zeroForOne: boolean, share: Share) {
  const [from, to] = [before.midPrice(zeroForOne), after.midPrice(zeroForOne)];
  const least = from.numerator * to.denominator * share[0];
  return to.numerator * from.denominator * share[1] >= least;
}

/** The largest amount that the pool takes whole without moving its price too far. */
function bisect(pool: SwapPool, zeroForOne: boolean, share: Share) {
  let [low, high] = [0n, AMOUNT_END];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    const { swap, after } = pool.swapAndMove(zeroForOne, middle);
    if (swap.isFilled && isPriceKept(pool, after, zeroForOne, share)) low = middle;
    else high = middle;
  }
  return low === 0n ? { amountIn: 0n, amountOut: 0n } : pool.swapIn(zeroForOne, low);
}

export function bisectDepth(pool: SwapPool, baseIsToken0: boolean) {
  return DEPTH_PCTS.map((pct) => {
    const permille = BigInt(pct * 10);
    return {
      pct,
      bidRaw: bisect(pool, baseIsToken0, [1000n - permille, 1000n]).amountOut,
      askRaw: bisect(pool, !baseIsToken0, [1000n, 1000n + permille]).amountIn,
    };
  });
}
