// How much can be traded in a pool before its price has moved by some per cent.

import type { Ratio } from '../lib/decimal.ts';
import { searchSwapToPrice } from './search-swap.ts';
import type { SwapOutcome } from './swap-outcome.ts';
import type { SwapPool } from './swap-pool.ts';

const PERMILLE = 1000n;
/** 0.5, 1, 2, 5 and 10 per cent. */
const DEPTH_PERMILLES = [5n, 10n, 20n, 50n, 100n] as const;

/** Amounts of the quote token, in raw units. */
interface DepthStep {
  readonly pct: number;
  /** What sellers receive until the price of the base token has fallen by `pct`. */
  readonly bidRaw: bigint;
  /** What buyers pay, fees included, until it has risen by `pct`. */
  readonly askRaw: bigint;
}

function swapToPrice(pool: SwapPool, zeroForOne: boolean, priceMin: Ratio): SwapOutcome {
  return pool.swapToPrice?.(zeroForOne, priceMin) ?? searchSwapToPrice(pool, zeroForOne, priceMin);
}

export function computeDepth(pool: SwapPool, baseIsToken0: boolean): readonly DepthStep[] {
  const bid = pool.midPrice(baseIsToken0);
  const ask = pool.midPrice(!baseIsToken0);
  return DEPTH_PERMILLES.map((permille) => ({
    pct: Number(permille) / 10,
    bidRaw: swapToPrice(pool, baseIsToken0, {
      numerator: bid.numerator * (PERMILLE - permille),
      denominator: bid.denominator * PERMILLE,
    }).amountOut,
    // The quote token buys the less of the base token, the higher the price of that is.
    askRaw: swapToPrice(pool, !baseIsToken0, {
      numerator: ask.numerator * PERMILLE,
      denominator: ask.denominator * (PERMILLE + permille),
    }).amountIn,
  }));
}
