// Amounts between two square-root prices in 64.64, and the price after an amount.
//
// `wide` is the liquidity times 2^64, as Meteora's programs store it; others store it plain.
// Positional arguments: these functions run in the inner loop of every quote.

import { divideUp } from './divide-up.ts';

const X128 = 128n;

export function computeBaseUp(wide: bigint, lower: bigint, upper: bigint): bigint {
  return divideUp(wide * (upper - lower), upper * lower);
}

export function computeBaseDown(wide: bigint, lower: bigint, upper: bigint): bigint {
  return (wide * (upper - lower)) / (upper * lower);
}

export function computeQuoteUp(wide: bigint, lower: bigint, upper: bigint): bigint {
  return -((wide * (lower - upper)) >> X128);
}

export function computeQuoteDown(wide: bigint, lower: bigint, upper: bigint): bigint {
  return (wide * (upper - lower)) >> X128;
}

export function findPriceAfterBaseIn(wide: bigint, price: bigint, amount: bigint): bigint {
  return divideUp(wide * price, wide + amount * price);
}

/** Null if there is not as much. */
export function findPriceAfterBaseOut(wide: bigint, price: bigint, amount: bigint): bigint | null {
  const rest = wide - amount * price;
  return rest <= 0n ? null : divideUp(wide * price, rest);
}

export function findPriceAfterQuoteIn(wide: bigint, price: bigint, amount: bigint): bigint {
  return price + (amount << X128) / wide;
}

export function findPriceAfterQuoteOut(wide: bigint, price: bigint, amount: bigint): bigint {
  return price - divideUp(amount << X128, wide);
}
