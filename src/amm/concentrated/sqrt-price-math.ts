// Amounts between two square-root prices, and the price after an amount: Uniswap's SqrtPriceMath
// with its rounding, which always favours the pool.
//
// Arguments are positional although they have the same type: these functions run millions of times
// and must not allocate.

import { divideUp } from '../divide-up.ts';

const X96 = 96n;
const UINT256_END = 1n << 256n;

/**
 * The contract divides by one price and then by the other, rounding the same way; dividing once by
 * their product gives the same result.
 */
export function computeAmount0Up(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return divideUp((liquidity << X96) * (upper - lower), upper * lower);
}

export function computeAmount0Down(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ((liquidity << X96) * (upper - lower)) / (upper * lower);
}

export function computeAmount1Up(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return -((liquidity * (lower - upper)) >> X96);
}

export function computeAmount1Down(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return (liquidity * (upper - lower)) >> X96;
}

/** The price falls as token 0 comes in. */
export function computePriceAfterAmount0In(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
): bigint {
  if (amount === 0n) return price;
  const numerator = liquidity << X96;
  const product = amount * price;
  const denominator = numerator + product;
  if (product < UINT256_END && denominator < UINT256_END) {
    return divideUp(numerator * price, denominator);
  }
  // If its product overflows, the contract uses a less precise formula, and so do we.
  return divideUp(numerator, numerator / price + amount);
}

/** The price rises as token 0 goes out. */
export function computePriceAfterAmount0Out(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
): bigint {
  if (amount === 0n) return price;
  const numerator = liquidity << X96;
  return divideUp(numerator * price, numerator - amount * price);
}

/** The price rises as token 1 comes in. */
export function computePriceAfterAmount1In(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
): bigint {
  return price + (amount << X96) / liquidity;
}

/** The price falls as token 1 goes out. */
export function computePriceAfterAmount1Out(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
): bigint {
  return price - divideUp(amount << X96, liquidity);
}
