// A concentrated-liquidity pool (Uniswap V3 and V4) in memory: its swaps, exact to the unit.

import { computeSquareRoot } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import type { TickList } from '../tick-list.ts';
import type { ConcentratedState, ConcentratedTerms } from './concentrated-terms.ts';
import { TICK_MAX, TICK_MIN } from './sqrt-price-at-tick.ts';
import { type LadderSwap, SwapLadder } from './swap-ladder.ts';
import { toTick } from './tick-at-sqrt-price.ts';
import { TickStretches } from './tick-stretches.ts';

// The maximum input of a concentrated pool: what moves its price to the end of the range. Between
// two ticks that is its liquidity times the change of the square-root price, or of its inverse.

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
function computeRoomInTicks(pool: PoolWithTicks, zeroForOne: boolean, enough: number): number {
  const rounded = UNITS_PER_STOP * (pool.terms.ticks.size + WORD_COUNT_MAX);
  return sumTicksIn(pool, zeroForOne, enough) * MARGIN + rounded;
}

/** 2^192: a squared square-root price has 192 fractional bits. */
const X192 = 1n << 192n;

export interface PlainRange extends Omit<ConcentratedTerms, 'ticks'> {
  readonly state: ConcentratedState;
}

interface ConcentratedSwap extends SwapOutcome {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  /** Null if the price ended between two stops, so that its tick must be computed. */
  readonly tick: number | null;
}

/** Immutable, except for the cached ladders. */
export class ConcentratedPool implements SwapPool {
  readonly state: ConcentratedState;
  readonly terms: ConcentratedTerms;
  #down: SwapLadder | null = null;
  #up: SwapLadder | null = null;

  constructor(state: ConcentratedState, terms: ConcentratedTerms) {
    this.state = state;
    this.terms = terms;
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): ConcentratedSwap {
    return this.#findLadder(zeroForOne).swapIn(amountIn);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): ConcentratedSwap {
    return this.#findLadder(zeroForOne).swapOut(amountOut);
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    return { swap, after: new ConcentratedPool(readStateAfter(swap), this.terms) };
  }

  swapToPrice(zeroForOne: boolean, priceMin: Ratio): ConcentratedSwap {
    return this.#findLadder(zeroForOne).swapToPrice(toLimit(zeroForOne, priceMin));
  }

  get depth(): number {
    return Number(this.state.liquidity);
  }

  feePips(zeroForOne: boolean): number {
    const { fees } = this.terms;
    return zeroForOne ? fees.zeroForOne : fees.oneForZero;
  }

  midPrice(zeroForOne: boolean): Ratio {
    const square = this.state.sqrtPriceX96 ** 2n;
    return zeroForOne
      ? { numerator: square, denominator: X192 }
      : { numerator: X192, denominator: square };
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    return computeRoomInTicks(this, zeroForOne, enough);
  }

  get ticks(): TickList {
    return this.terms.ticks;
  }

  toPlain(): PlainRange {
    const { ticks: _ticks, ...terms } = this.terms;
    return { ...terms, state: this.state };
  }

  stretches(zeroForOne: boolean): Stretches {
    return new TickStretches(this, zeroForOne);
  }

  withFees(fees: DirectionFees): ConcentratedPool {
    return new ConcentratedPool(this.state, { ...this.terms, fees });
  }

  #findLadder(zeroForOne: boolean): SwapLadder {
    const known = zeroForOne ? this.#down : this.#up;
    if (known !== null) return known;
    const { bitmapSpacing, ticks, bounds } = this.terms;
    const feePips = this.feePips(zeroForOne);
    const terms = { zeroForOne, feePips, bitmapSpacing, ticks, bounds };
    const ladder = new SwapLadder(this.state, terms);
    if (zeroForOne) this.#down = ladder;
    else this.#up = ladder;
    return ladder;
  }
}

/** The last square-root price at which a unit in is worth at least `priceMin` units out. */
function toLimit(zeroForOne: boolean, { numerator, denominator }: Ratio): bigint {
  if (!zeroForOne) return computeSquareRoot((X192 * denominator) / numerator);
  const square = (X192 * numerator + denominator - 1n) / denominator;
  const root = computeSquareRoot(square);
  return root * root === square ? root : root + 1n;
}

export function readStateAfter(swap: LadderSwap): ConcentratedState {
  const { sqrtPriceX96, liquidity } = swap;
  return { sqrtPriceX96, liquidity, tick: swap.tick ?? toTick(sqrtPriceX96) };
}
