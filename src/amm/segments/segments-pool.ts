// Meteora's dynamic bonding curve in memory: a curve of segments with a liquidity each. Token 0 is
// the coin, token 1 what it is paid with.

import { maxOf, minOf } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX, toAmountAbove } from '../amount-u64.ts';
import { type FeeSchedule, findRateAt } from '../fee-schedule.ts';
import { buildEndPiece, ListedStretches, toStretch } from '../listed-stretches.ts';
import { deductFee, NANO } from '../nano-fee.ts';
import type { PoolMoment } from '../pool-moment.ts';
import { findSmallestInput } from '../smallest-input.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretch, Stretches, SwapPool } from '../swap-pool.ts';
import {
  computeBaseDown,
  computeBaseUp,
  computeQuoteDown,
  computeQuoteUp,
  findPriceAfterBaseIn,
  findPriceAfterQuoteIn,
} from '../wide-price-math.ts';

const X128 = 1n << 128n;
const Q64 = 2 ** 64;
const NANO_PER_PIP = 1000;
const MARGIN = 1 + 1e-6;

/** Which token the fee is taken from: always the quote, or always the output. */
export type CurveFeeToken = 'quote' | 'output';

/** From the end of the segment before, up to its own end. */
export interface CurveSegment {
  readonly priceEnd: bigint;
  /** The liquidity times 2^64. */
  readonly wide: bigint;
}

export interface PlainSegments {
  readonly sqrtPriceX64: bigint;
  readonly priceStart: bigint;
  readonly segments: readonly CurveSegment[];
  /** In 1e-9. */
  readonly feeRate: bigint;
  readonly feeOn: CurveFeeToken;
  /** How much may still be paid before the curve ends: no swap goes beyond. */
  readonly room: bigint;
  /** How the fee changes with time; null or absent if it does not. */
  readonly schedule?: FeeSchedule | null;
}

interface SegmentsSwap extends SwapOutcome {
  readonly sqrtPriceX64: bigint;
}

/** A part of a segment on the way of a swap. */
interface CurveSpan {
  readonly lower: bigint;
  readonly upper: bigint;
  readonly wide: bigint;
}

interface CurveWalk {
  /** What was taken and paid, without fees. */
  readonly taken: bigint;
  readonly paid: bigint;
  readonly price: bigint;
  readonly spanCount: number;
}

export class SegmentsPool implements SwapPool {
  readonly ticks = null;
  readonly #curve: PlainSegments;

  constructor(curve: PlainSegments) {
    this.#curve = curve;
  }

  get depth(): number {
    const [first] = [...this.#listUp()];
    return Number(first?.wide ?? 0n) / Q64;
  }

  feePips(): number {
    return Math.ceil(Number(this.#curve.feeRate) / NANO_PER_PIP);
  }

  midPrice(zeroForOne: boolean): Ratio {
    const square = this.#curve.sqrtPriceX64 ** 2n;
    return zeroForOne
      ? { numerator: square, denominator: X128 }
      : { numerator: X128, denominator: square };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SegmentsSwap {
    const { feeRate } = this.#curve;
    const isOnInput = this.#isFeeOnInput(zeroForOne);
    const kept = isOnInput ? deductFee(amountIn, feeRate) : amountIn;
    const walk = zeroForOne ? this.#walkDown(kept) : this.#walkUp(kept);
    const amountOut = isOnInput ? walk.paid : deductFee(walk.paid, feeRate);
    const isWithin = zeroForOne || kept <= this.#curve.room;
    const isFilled = isWithin && walk.taken === kept && amountIn <= AMOUNT_U64_MAX;
    return {
      amountIn: isFilled ? amountIn : walk.taken,
      amountOut,
      feeAmount: isOnInput ? amountIn - kept : walk.paid - amountOut,
      isFilled,
      ticksCrossed: Math.max(0, walk.spanCount - 1),
      sqrtPriceX64: walk.price,
    };
  }

  /** For the smallest input the program pays what it was asked for, even if that buys more. */
  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const found = findSmallestInput(amountOut, (amountIn) => this.swapIn(zeroForOne, amountIn));
    return found.isFilled ? { ...found, amountOut } : found;
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const { sqrtPriceX64 } = swap;
    const { feeRate, room } = this.#curve;
    const kept = this.#isFeeOnInput(zeroForOne) ? deductFee(amountIn, feeRate) : amountIn;
    const moved = { sqrtPriceX64, room: zeroForOne ? room : maxOf(room - kept, 0n) };
    return { swap, after: new SegmentsPool({ ...this.#curve, ...moved }) };
  }

  stretches(zeroForOne: boolean): Stretches {
    const left = 1 - Number(this.#curve.feeRate) / Number(NANO);
    const isOnInput = this.#isFeeOnInput(zeroForOne);
    const kept = { keptIn: isOnInput ? left : 1, keptOut: isOnInput ? 1 : left };
    const toRoot = (price: bigint) => (zeroForOne ? Q64 / Number(price) : Number(price) / Q64);
    const pieces: Stretch[] = [];
    let end = 0;
    for (const { lower, upper, wide } of zeroForOne ? this.#listDown() : this.#listUp()) {
      const liquidity = Number(wide) / Q64;
      const [from, to] = zeroForOne ? [upper, lower] : [lower, upper];
      pieces.push(toStretch({ root: toRoot(from), liquidity }, kept));
      end = toStretch({ root: toRoot(to), liquidity }, kept).u;
    }
    const last = pieces.at(-1);
    return new ListedStretches(last === undefined ? [] : [...pieces, buildEndPiece(last, end)]);
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    const { amountIn } = this.swapIn(zeroForOne, toAmountAbove(enough));
    const rate = Number(this.#curve.feeRate) / Number(NANO);
    return (Number(amountIn) / (1 - rate)) * MARGIN + this.#curve.segments.length;
  }

  at(moment: PoolMoment): SegmentsPool {
    const { schedule, feeRate: before } = this.#curve;
    const feeRate = schedule ? findRateAt(schedule, moment) : before;
    return feeRate === before ? this : new SegmentsPool({ ...this.#curve, feeRate });
  }

  withFees({ zeroForOne }: DirectionFees): SegmentsPool {
    const feeRate = BigInt(zeroForOne * NANO_PER_PIP);
    return new SegmentsPool({ ...this.#curve, feeRate, schedule: null });
  }

  toPlain(): PlainSegments {
    return this.#curve;
  }

  /** What it pays, without fees, until its square-root price is at `end`. */
  payTo(end: bigint): bigint {
    let sum = 0n;
    if (end < this.#curve.sqrtPriceX64) {
      for (const { lower, upper, wide } of this.#listDown()) {
        if (upper > end) sum += computeQuoteDown(wide, maxOf(lower, end), upper);
      }
      return sum;
    }
    for (const { lower, upper, wide } of this.#listUp()) {
      if (lower < end) sum += computeBaseDown(wide, lower, minOf(upper, end));
    }
    return sum;
  }

  #isFeeOnInput(zeroForOne: boolean): boolean {
    return this.#curve.feeOn === 'quote' && !zeroForOne;
  }

  /** From the present price upwards. */
  *#listUp(): Generator<CurveSpan> {
    let lower = this.#curve.sqrtPriceX64;
    for (const { priceEnd, wide } of this.#curve.segments) {
      if (priceEnd <= lower || wide === 0n) continue;
      yield { lower, upper: priceEnd, wide };
      lower = priceEnd;
    }
  }

  /** From the present price down to the start of the curve. */
  *#listDown(): Generator<CurveSpan> {
    const { segments, priceStart, sqrtPriceX64 } = this.#curve;
    for (let index = segments.length - 1; index >= 0; index -= 1) {
      const lower = segments[index - 1]?.priceEnd ?? priceStart;
      const { priceEnd = 0n, wide = 0n } = segments[index] ?? {};
      if (lower >= sqrtPriceX64 || wide === 0n) continue;
      yield { lower, upper: minOf(priceEnd, sqrtPriceX64), wide };
    }
  }

  #walkUp(amount: bigint): CurveWalk {
    let [taken, paid, price, spanCount] = [0n, 0n, this.#curve.sqrtPriceX64, 0];
    for (const { lower, upper, wide } of this.#listUp()) {
      const whole = computeQuoteUp(wide, lower, upper);
      const rest = amount - taken;
      spanCount += 1;
      price = rest < whole ? findPriceAfterQuoteIn(wide, lower, rest) : upper;
      paid += computeBaseDown(wide, lower, price);
      if (rest < whole) return { taken: amount, paid, price, spanCount };
      taken += whole;
      if (taken === amount) break;
    }
    return { taken, paid, price, spanCount };
  }

  #walkDown(amount: bigint): CurveWalk {
    let [taken, paid, price, spanCount] = [0n, 0n, this.#curve.sqrtPriceX64, 0];
    for (const { lower, upper, wide } of this.#listDown()) {
      const whole = computeBaseUp(wide, lower, upper);
      const rest = amount - taken;
      spanCount += 1;
      price = rest < whole ? findPriceAfterBaseIn(wide, upper, rest) : lower;
      paid += computeQuoteDown(wide, price, upper);
      if (rest < whole) return { taken: amount, paid, price, spanCount };
      taken += whole;
      if (taken === amount) break;
    }
    return { taken, paid, price, spanCount };
  }
}
