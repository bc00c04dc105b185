// Symbols, resolutions and price scales as charts write them.

import { UDF_RESOLUTIONS, type UdfResolution } from '../contract/operations/udf-operations.ts';
import type { KlineInterval } from '../model/market-record.ts';

/** Digits that are shown of a price. */
const DIGITS = 6;
const SCALE_DIGITS_MIN = 2;
/** The most that charts support. */
const SCALE_DIGITS_MAX = 15;

/** Null for a resolution that is not supported. A letter alone means one of it. */
export function findUdfInterval(resolution: string): KlineInterval | null {
  const whole = /^[SDWM]$/.test(resolution) ? `1${resolution}` : resolution;
  return Object.hasOwn(UDF_RESOLUTIONS, whole) ? UDF_RESOLUTIONS[whole as UdfResolution] : null;
}

/** `chain:mint`, `chain:symbol`, or a symbol alone. CAIP-2 names of chains have a colon, too. */
export function splitUdfSymbol(symbol: string): { chain: string | null; text: string } {
  const at = symbol.lastIndexOf(':');
  if (at < 0) return { chain: null, text: symbol };
  const chain = symbol.slice(0, at);
  // Charts write exchanges in capitals; parts of CAIP-2 names differ by case.
  return { chain: chain.includes(':') ? chain : chain.toLowerCase(), text: symbol.slice(at + 1) };
}

/** A power of ten; a price has as many digits after the point as it has zeros. */
export function pickPriceScale(price: string | null): number {
  const value = Number(price ?? 1);
  const leading = value > 0 ? Math.floor(Math.log10(value)) : 0;
  const digits = DIGITS - 1 - leading;
  return 10 ** Math.min(SCALE_DIGITS_MAX, Math.max(SCALE_DIGITS_MIN, digits));
}
