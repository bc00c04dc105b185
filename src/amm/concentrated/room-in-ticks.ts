// The maximum input of a concentrated pool: what moves its price to the end of the range. Between
// two ticks that is its liquidity times the change of the square-root price, or of its inverse.

import type { ConcentratedState, ConcentratedTerms } from './concentrated-terms.ts';
import { TICK_MAX, TICK_MIN } from './sqrt-price-at-tick.ts';

/** Far more than the rounding error of these sums. */
const MARGIN = 1 + 1e-6;
/** The contracts round up the amount and the fee at each stop. */
const UNITS_PER_STOP = 2;
/** The ends of bitmap words over the whole range, at a tick spacing of one. */
const WORD_COUNT_MAX = 7_000;
const PIPS = 1_000_000;
const Q96 = 2 ** 96;
const LOG_OF_SQRT_STEP = Math.log(1.0001) / 2;

interface BothWays {
  down?: number;
  up?: number;
}

interface PoolWithTicks {
  readonly state: ConcentratedState;
  readonly terms: ConcentratedTerms;
  feePips(zeroForOne: boolean): number;
}

/** A changed pool is a new object, so cached sums never become stale. */
const KNOWN = new WeakMap<PoolWithTicks, BothWays>();

/** The input to reach the end of the known range, summed tick by tick; stops above `enough`. */
function addTicks(pool: PoolWithTicks, zeroForOne: boolean, enough: number): number {
  const { state, terms } = pool;
  const { ticks, nets } = terms.ticks;
  const toPlace = (root: number) => (zeroForOne ? 1 / root : root);
  const kept = 1 - pool.feePips(zeroForOne) / PIPS;
  if (kept <= 0) return Number.POSITIVE_INFINITY;
  const { lower = TICK_MIN, upper = TICK_MAX } = terms.bounds ?? {};
  let { liquidity } = state;
  let index = terms.ticks.findAbove(state.tick) - (zeroForOne ? 1 : 0);
  let place = toPlace(Number(state.sqrtPriceX96) / Q96);
  let sum = 0;
  for (;;) {
    const tick = ticks[index] ?? (zeroForOne ? lower : upper);
    const next = toPlace(Math.exp(tick * LOG_OF_SQRT_STEP));
    sum += (Number(liquidity) * Math.max(0, next - place)) / kept;
    if (sum > enough || ticks[index] === undefined) return sum;
    const net = nets[index] ?? 0n;
    liquidity += zeroForOne ? -net : net;
    place = next;
    index += zeroForOne ? -1 : 1;
  }
}

function sumTicksIn(pool: PoolWithTicks, zeroForOne: boolean, enough: number): number {
  const known = KNOWN.get(pool) ?? {};
  const whole = zeroForOne ? known.down : known.up;
  if (whole !== undefined) return whole;
  const sum = addTicks(pool, zeroForOne, enough);
  // Only a sum up to the end of the range is valid for every amount.
  if (sum <= enough) KNOWN.set(pool, { ...known, [zeroForOne ? 'down' : 'up']: sum });
  return sum;
}

/** Never less than the pool can take; may stop at any value above `enough`. */
export function computeRoomInTicks(
  pool: PoolWithTicks,
  zeroForOne: boolean,
  enough: number,
): number {
  const rounded = UNITS_PER_STOP * (pool.terms.ticks.size + WORD_COUNT_MAX);
  return sumTicksIn(pool, zeroForOne, enough) * MARGIN + rounded;
}
