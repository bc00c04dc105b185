// A column of decimals, some of them unknown: a double for quick comparisons, and the exact digits.

import { pow10 } from '../../lib/decimal.ts';
import { comparePacked, type PackedDecimal } from './packed-decimal.ts';

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
