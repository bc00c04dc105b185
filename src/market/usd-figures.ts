// Figures in USD as text.

import {
  type Decimal,
  decimalToText,
  pow10,
  ratioToText,
  textToDecimal,
  toRatio,
} from '../lib/decimal.ts';

const USD_SCALE = 6;

/** Millionths of a USD; may be negative. */
export function toUsdE6Text(value: bigint): string {
  const text = decimalToText({ digits: value < 0n ? -value : value, scale: USD_SCALE });
  return value < 0n ? `-${text}` : text;
}

function multiply(amountRaw: bigint, decimals: number, priceUsd: string): Decimal {
  const price = textToDecimal(priceUsd);
  return { digits: amountRaw * price.digits, scale: decimals + price.scale };
}

/** Amount times price, with 18 significant digits; null if one of them is unknown. */
export function computeValueUsd(
  amountRaw: bigint | null,
  decimals: number | null,
  priceUsd: string | null,
): string | null {
  if (amountRaw === null || decimals === null || priceUsd === null) return null;
  return ratioToText(toRatio(multiply(amountRaw, decimals, priceUsd)));
}

/** The same in millionths, rounded down. */
export function computeValueE6(amountRaw: bigint, decimals: number, priceUsd: string): bigint {
  const { digits, scale } = multiply(amountRaw, decimals, priceUsd);
  return (digits * pow10(USD_SCALE)) / pow10(scale);
}
