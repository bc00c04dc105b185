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

// A column of decimals, some of them unknown: a double for quick comparisons, and the exact digits.

const CAPACITY_FIRST = 1024;
/** Finer than any value that is sorted by. */
const EXACT_SCALE = 60;

/** The nearest double, so the order of two decimals is never reversed. */
function toDouble({ digits, exponent }: PackedDecimal): number {
  return Number(`${digits}e${exponent}`);
}

/** In units of 1e-60, rounded down. */
export function toExact({ digits, exponent }: PackedDecimal): bigint {
  const power = exponent + EXACT_SCALE;
  return power >= 0 ? digits * pow10(power) : digits / pow10(-power);
}

export class DecimalColumn {
  /** NaN where the value is unknown. Replaced when the column grows. */
  doubles = new Float64Array(CAPACITY_FIRST).fill(Number.NaN);
  #digits = new BigUint64Array(CAPACITY_FIRST);
  #exponents = new Int16Array(CAPACITY_FIRST);

  set(position: number, value: PackedDecimal | null): void {
    if (position >= this.doubles.length) this.#grow(position + 1);
    this.doubles[position] = value === null ? Number.NaN : toDouble(value);
    this.#digits[position] = value?.digits ?? 0n;
    this.#exponents[position] = value?.exponent ?? 0;
  }

  has(position: number): boolean {
    return !Number.isNaN(this.doubles[position] ?? Number.NaN);
  }

  get(position: number): PackedDecimal | null {
    if (!this.has(position)) return null;
    return { digits: this.#digits[position] ?? 0n, exponent: this.#exponents[position] ?? 0 };
  }

  /** Of two known values, as for `sort`. */
  compare(a: number, b: number): number {
    const [doubleA = 0, doubleB = 0] = [this.doubles[a], this.doubles[b]];
    if (doubleA !== doubleB) return doubleA - doubleB;
    const [valueA, valueB] = [this.get(a), this.get(b)];
    return valueA === null || valueB === null ? 0 : comparePacked(valueA, valueB);
  }

  #grow(needed: number): void {
    const size = Math.max(needed, this.doubles.length * 2);
    const doubles = new Float64Array(size).fill(Number.NaN);
    const digits = new BigUint64Array(size);
    const exponents = new Int16Array(size);
    doubles.set(this.doubles);
    digits.set(this.#digits);
    exponents.set(this.#exponents);
    this.doubles = doubles;
    this.#digits = digits;
    this.#exponents = exponents;
  }
}
