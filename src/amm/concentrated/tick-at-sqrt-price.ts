// The tick of a square-root price: the highest tick whose price is not above it.

import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  TICK_MAX,
  TICK_MIN,
  toSqrtPriceX96,
} from './sqrt-price-at-tick.ts';

const LOG_OF_SQRT_STEP = Math.log(1.0001) / 2;
const Q96 = 2 ** 96;

/** The floating-point logarithm is off by at most one tick; exact prices then decide. */
export function toTick(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < SQRT_PRICE_X96_MIN || sqrtPriceX96 >= SQRT_PRICE_X96_MAX) {
    throw new RangeError(`no tick at price ${sqrtPriceX96}`);
  }
  const about = Math.floor(Math.log(Number(sqrtPriceX96) / Q96) / LOG_OF_SQRT_STEP);
  let tick = Math.min(Math.max(about, TICK_MIN), TICK_MAX - 1);
  while (toSqrtPriceX96(tick) > sqrtPriceX96) tick -= 1;
  while (toSqrtPriceX96(tick + 1) <= sqrtPriceX96) tick += 1;
  return tick;
}
