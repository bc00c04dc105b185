// Decimals of 18 significant digits in two numbers, so that millions of them fit in typed arrays.

import { decimalToText, pow10, roundText, textToDecimal } from '../../lib/decimal.ts';

const DIGITS = 18;
const USD_SCALE = 18;
const ZERO_CODE = 48;

/** `digits × 10^exponent`. Zero has no digits; all others have exactly 18. */
export interface PackedDecimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const ZERO: PackedDecimal = { digits: 0n, exponent: 0 };

/** Rounded to 18 significant digits, half-even. */
export function packDecimal(text: string): PackedDecimal {
  const pointAt = text.indexOf('.');
  const plain = pointAt === -1 ? text : text.slice(0, pointAt) + text.slice(pointAt + 1);
  let start = 0;
  while (plain.charCodeAt(start) === ZERO_CODE) start += 1;
  const missing = DIGITS - (plain.length - start);
  if (missing === DIGITS) return ZERO;
  // The text of a rounded number may still end in zeros before its point.
  if (missing < 0) return packRounded(roundText(text));
  const scale = pointAt === -1 ? 0 : text.length - pointAt - 1;
  return { digits: BigInt(plain.slice(start)) * pow10(missing), exponent: -scale - missing };
}

function packRounded(text: string): PackedDecimal {
  const { digits, scale } = textToDecimal(text);
  const missing = DIGITS - digits.toString().length;
  return missing >= 0
    ? { digits: digits * pow10(missing), exponent: -scale - missing }
    : { digits: digits / pow10(-missing), exponent: -scale - missing };
}

/** As for `sort`. */
export function comparePacked(a: PackedDecimal, b: PackedDecimal): number {
  if (a.digits === 0n || b.digits === 0n) return Number(a.digits > 0n) - Number(b.digits > 0n);
  if (a.exponent !== b.exponent) return a.exponent - b.exponent;
  return a.digits < b.digits ? -1 : Number(a.digits > b.digits);
}

/** In units of 1e-18, rounded down. */
export function toE18({ digits, exponent }: PackedDecimal): bigint {
  const power = exponent + USD_SCALE;
  return power >= 0 ? digits * pow10(power) : digits / pow10(-power);
}

export function unpackDecimal({ digits, exponent }: PackedDecimal): string {
  return decimalToText({ digits, scale: -exponent });
}

/** Not the nearest double, but close. */
export function toRough({ digits, exponent }: PackedDecimal): number {
  return Number(digits) * 10 ** exponent;
}
