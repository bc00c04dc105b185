// How much a concentrated pool takes at most: what moves its price to the end of the range. Between
// two ticks that is its liquidity times the way of the square root of the price, or of one over it.

import type { ConcentratedState, ConcentratedTerms } from './concentrated-terms.ts';
import { TICK_MAX, TICK_MIN } from './sqrt-price-at-tick.ts';

/** Far more than the error of these sums. */
const MARGIN = 1 + 1e-6;
/** The contracts round up at each stop, the amount and the fee. */
const UNITS_PER_STOP = 2;
/** The ends of bitmap words over the whole range, where ticks are one apart. */
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

/** A pool that changes is another object, so what was added up for it can never be stale. */
const KNOWN = new WeakMap<PoolWithTicks, BothWays>();

/** The way from tick to tick to the end of the range; above `enough` nobody wants to know. */
function addTicks(pool: PoolWithTicks, zeroForOne: boolean, enough: number): number {
  const { state, terms } = pool;
  const { ticks, nets } = terms.ticks;
  const toPlace = (root: number) => (zeroForOne ? 1 / root : root);
  const kept = 1 - pool.feePips(zeroForOne) / PIPS;
  if (kept <= 0) return Number.POSITIVE_INFINITY;
  let { liquidity } = state;
  let index = terms.ticks.findAbove(state.tick) - (zeroForOne ? 1 : 0);
  let place = toPlace(Number(state.sqrtPriceX96) / Q96);
  let sum = 0;
  for (;;) {
    const tick = ticks[index] ?? (zeroForOne ? TICK_MIN : TICK_MAX);
    const next = toPlace(Math.exp(tick * LOG_OF_SQRT_STEP));
    sum += (Number(liquidity) * Math.max(0, next - place)) / kept;
    if (sum > enough || ticks[index] === undefined) return sum;
    const net = nets[index] ?? 0n;
    liquidity += zeroForOne ? -net : net;
    place = next;
    index += zeroForOne ? -1 : 1;
  }
}

function toTicksIn(pool: PoolWithTicks, zeroForOne: boolean, enough: number): number {
  const known = KNOWN.get(pool) ?? {};
  const whole = zeroForOne ? known.down : known.up;
  if (whole !== undefined) return whole;
  const sum = addTicks(pool, zeroForOne, enough);
  // Only what was added up to the end is good for every amount.
  if (sum <= enough) KNOWN.set(pool, { ...known, [zeroForOne ? 'down' : 'up']: sum });
  return sum;
}

/** Never less than the pool can take; as soon as it is more than `enough`, anything above it. */
export function toRoomInTicks(pool: PoolWithTicks, zeroForOne: boolean, enough: number): number {
  const rounded = UNITS_PER_STOP * (pool.terms.ticks.size + WORD_COUNT_MAX);
  return toTicksIn(pool, zeroForOne, enough) * MARGIN + rounded;
}
