// The base fee of Meteora's DAMM v2 and bonding curves: it falls from its cliff in equal periods,
// each time by an amount (linear) or by a share (exponential), and then stays.

import { minOf } from '../lib/bigint-bounds.ts';
import type { PoolClock, PoolMoment } from './pool-moment.ts';

const BPS = 10_000n;
const X64 = 64n;

/** Rates are in 1e-9. */
export interface FeeSchedule {
  readonly mode: 'linear' | 'exponential';
  readonly clock: PoolClock;
  /** The end of the cliff, and the length of a period, in units of the clock. */
  readonly start: bigint;
  readonly frequency: bigint;
  readonly periods: bigint;
  /** A rate, or a share in 1e-4. */
  readonly reduction: bigint;
  readonly cliff: bigint;
  /** The dynamic fee, which is charged on top and does not depend on the time. */
  readonly added: bigint;
  readonly rateMax: bigint;
}

const NUMBERS = [
  'start',
  'frequency',
  'periods',
  'reduction',
  'cliff',
  'added',
  'rateMax',
] as const;

/** As text for the store: empty for a fee that does not change with time. */
export function encodeSchedule(schedule: FeeSchedule | null): string {
  if (schedule === null) return '';
  const { mode, clock } = schedule;
  return [mode, clock, ...NUMBERS.map((name) => schedule[name])].join(':');
}

export function decodeSchedule(text: string): FeeSchedule | null {
  if (text === '') return null;
  const [mode, clock, ...numbers] = text.split(':');
  const named = NUMBERS.map((name, index) => [name, BigInt(numbers[index] ?? 0)]);
  return { mode, clock, ...Object.fromEntries(named) } as FeeSchedule;
}

/** base^exponent with 64 fractional bits, each product truncated. */
function powerX64(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n << X64, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) >> X64;
    square = (square * square) >> X64;
  }
  return result;
}

/** The whole fee in a block. */
export function findRateAt(schedule: FeeSchedule, moment: PoolMoment): bigint {
  const { mode, clock, start, frequency, periods, reduction, cliff } = schedule;
  const elapsed = BigInt(moment[clock]) - start;
  const passed = elapsed < 0n ? 0n : minOf(elapsed / frequency, periods);
  const share = (1n << X64) - (reduction << X64) / BPS;
  const base =
    mode === 'linear' ? cliff - passed * reduction : (cliff * powerX64(share, passed)) >> X64;
  return minOf(base + schedule.added, schedule.rateMax);
}
