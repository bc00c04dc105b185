// A pool's swaps in one direction, as a ladder: each rung is a stop that every larger swap makes.
//
// The contract's loop stops at initialised ticks and (not in Algebra Integral) at the end of every
// 256-tick bitmap word, and rounds at each stop. What a whole step between two stops takes and pays
// is the same for every swap, so the sums up to each stop are cached: a quote finds the last stop
// that its amount reaches and computes one partial step from there. The steps outlive the ladder: a
// swap only moves its start. A whole step is made exactly when the amount covers it:
// `⌊rest·(1e6−fee)/1e6⌋ ≥ in` is equivalent to `rest ≥ in + ⌈in·fee/(1e6−fee)⌉`.

import type { StepBook, SwapStep, TickList } from '../tick-list.ts';
import type { TickBounds } from './concentrated-terms.ts';
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  TICK_MAX,
  TICK_MIN,
  toSqrtPriceX96,
} from './sqrt-price-at-tick.ts';
import {
  computeAmount0Down,
  computeAmount0Up,
  computeAmount1Down,
  computeAmount1Up,
  computePriceAfterAmount0In,
  computePriceAfterAmount0Out,
  computePriceAfterAmount1In,
  computePriceAfterAmount1Out,
} from './sqrt-price-math.ts';

const PIPS = 1_000_000n;
const WORD_BITS = 8;
const WORD_LAST = 255;
/** No swap goes beyond these limits, as the routers and quoters call the pools. */
const PRICE_FLOOR = SQRT_PRICE_X96_MIN + 1n;
const PRICE_CEILING = SQRT_PRICE_X96_MAX - 1n;
/** Larger than any amount: if the whole input is fee, no step is ever completed. */
const UNREACHABLE = 1n << 512n;

/** Where a ladder starts. */
interface LadderStart {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
}

interface LadderTerms {
  readonly zeroForOne: boolean;
  readonly feePips: number;
  readonly bitmapSpacing: number | null;
  readonly ticks: TickList;
  readonly bounds?: TickBounds | undefined;
}

/** The last price that swaps in one direction can reach. */
interface LadderEnd {
  readonly tick: number;
  readonly sqrtPriceX96: bigint;
}

function findEnd({ zeroForOne, bounds }: LadderTerms): LadderEnd {
  const tick = zeroForOne ? (bounds?.lower ?? TICK_MIN) : (bounds?.upper ?? TICK_MAX);
  if (tick === TICK_MIN) return { tick, sqrtPriceX96: PRICE_FLOOR };
  if (tick === TICK_MAX) return { tick, sqrtPriceX96: PRICE_CEILING };
  return { tick, sqrtPriceX96: toSqrtPriceX96(tick) };
}

/** The end of a swap and its amounts. */
export interface LadderSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
  readonly isFilled: boolean;
  readonly ticksCrossed: number;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  /** Null if the price ended between two stops, so that its tick must be computed. */
  readonly tick: number | null;
}

/** One stop: the state there and the sums up to it. */
interface Rung {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
  readonly ticksCrossed: number;
}

export class SwapLadder {
  readonly #rungs: Rung[];
  readonly #table: TickList;
  readonly #zeroForOne: boolean;
  readonly #bitmapSpacing: number | null;
  readonly #book: StepBook;
  readonly #end: LadderEnd;
  /** The next initialised tick on the way, in the table. */
  #index: number;
  /** True once the last rung stands at the end. */
  #isWhole: boolean;

  constructor(start: LadderStart, terms: LadderTerms) {
    const { sqrtPriceX96, liquidity, tick } = start;
    const { zeroForOne, ticks } = terms;
    this.#table = ticks;
    this.#zeroForOne = zeroForOne;
    this.#bitmapSpacing = terms.bitmapSpacing;
    this.#book = ticks.bookOf(zeroForOne, terms.feePips);
    this.#index = ticks.findAbove(tick) - (zeroForOne ? 1 : 0);
    this.#end = findEnd(terms);
    const end = this.#end.sqrtPriceX96;
    this.#isWhole = zeroForOne ? sqrtPriceX96 <= end : sqrtPriceX96 >= end;
    const [amountIn, amountOut, feeAmount] = [0n, 0n, 0n];
    const ticksCrossed = 0;
    this.#rungs = [{ sqrtPriceX96, liquidity, tick, amountIn, amountOut, feeAmount, ticksCrossed }];
  }

  /** Spends `amount`, or as much of it as the pool's liquidity can take. */
  swapIn(amount: bigint): LadderSwap {
    if (amount <= 0n) throw new RangeError(`no swap of ${amount}`);
    let last = this.#last();
    while (last.amountIn < amount && !this.#isWhole) last = this.#extend(last);
    if (last.amountIn < amount) return { ...last, isFilled: false };
    let low = 0;
    let high = this.#rungs.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rung(middle).amountIn >= amount) high = middle;
      else low = middle + 1;
    }
    const reached = this.#rung(low);
    if (reached.amountIn === amount) return { ...reached, isFilled: true };
    return this.#spendRest(this.#rung(low - 1), amount);
  }

  /** Buys `amount`, or as much of it as the pool has. */
  swapOut(amount: bigint): LadderSwap {
    if (amount <= 0n) throw new RangeError(`no swap for ${amount}`);
    let last = this.#last();
    while (last.amountOut < amount && !this.#isWhole) last = this.#extend(last);
    if (last.amountOut < amount) return { ...last, isFilled: false };
    let low = 0;
    let high = this.#rungs.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rung(middle).amountOut >= amount) high = middle;
      else low = middle + 1;
    }
    const reached = this.#rung(low);
    if (reached.amountOut === amount) return { ...reached, isFilled: true };
    return this.#buyRest({ from: this.#rung(low - 1), next: reached }, amount);
  }

  /** The largest swap that does not move the price beyond `limit`. */
  swapToPrice(limit: bigint): LadderSwap {
    const isWithin = ({ sqrtPriceX96: price }: Rung) =>
      this.#zeroForOne ? price >= limit : price <= limit;
    let last = this.#last();
    while (isWithin(last) && !this.#isWhole) last = this.#extend(last);
    if (isWithin(last)) return { ...last, isFilled: false };
    let index = this.#rungs.length - 1;
    while (index > 0 && !isWithin(this.#rung(index))) index -= 1;
    const from = this.#rung(index);
    const rest = this.#computeRest(from, limit);
    return rest <= 0n ? { ...from, isFilled: true } : this.#spendRest(from, from.amountIn + rest);
  }

  /** The most that a swap can spend from a rung on before its rounded price is beyond `limit`. */
  #computeRest({ sqrtPriceX96: price, liquidity }: Rung, limit: bigint): bigint {
    const { keptPips } = this.#book;
    if (liquidity === 0n || keptPips <= 0n) return 0n;
    // One unit of price further is beyond it, so the amount that reaches that is one too many.
    const kept = this.#zeroForOne
      ? computeAmount0Up(liquidity, limit - 1n, price) - 1n
      : computeAmount1Up(liquidity, price, limit + 1n) - 1n;
    return ((kept + 1n) * PIPS - 1n) / keptPips;
  }

  #rung(index: number): Rung {
    const rung = this.#rungs[index];
    if (rung === undefined) throw new Error(`the ladder has no rung ${index}`);
    return rung;
  }

  #last(): Rung {
    return this.#rung(this.#rungs.length - 1);
  }

  #spendRest(from: Rung, amount: bigint): LadderSwap {
    const { liquidity, sqrtPriceX96: price } = from;
    const rest = amount - from.amountIn;
    const kept = (rest * this.#book.keptPips) / PIPS;
    const after = this.#zeroForOne
      ? computePriceAfterAmount0In(price, liquidity, kept)
      : computePriceAfterAmount1In(price, liquidity, kept);
    const paid = this.#zeroForOne
      ? computeAmount1Down(liquidity, after, price)
      : computeAmount0Down(liquidity, price, after);
    return {
      amountIn: amount,
      amountOut: from.amountOut + paid,
      feeAmount: from.feeAmount + rest - kept,
      isFilled: true,
      ticksCrossed: from.ticksCrossed,
      sqrtPriceX96: after,
      liquidity,
      tick: after === price ? from.tick : null,
    };
  }

  #buyRest(step: { readonly from: Rung; readonly next: Rung }, amount: bigint): LadderSwap {
    const { from, next } = step;
    const { liquidity, sqrtPriceX96: price } = from;
    const rest = amount - from.amountOut;
    const after = this.#zeroForOne
      ? computePriceAfterAmount1Out(price, liquidity, rest)
      : computePriceAfterAmount0Out(price, liquidity, rest);
    const taken = this.#zeroForOne
      ? computeAmount0Up(liquidity, after, price)
      : computeAmount1Up(liquidity, price, after);
    const fee = this.#computeFee(taken);
    // In a very deep pool the rounded price reaches the stop before the amount does, and the
    // contract crosses it.
    const isAtStop = after === next.sqrtPriceX96;
    return {
      amountIn: from.amountIn + taken + fee,
      amountOut: amount,
      feeAmount: from.feeAmount + fee,
      isFilled: true,
      ticksCrossed: isAtStop ? next.ticksCrossed : from.ticksCrossed,
      sqrtPriceX96: after,
      liquidity: isAtStop ? next.liquidity : liquidity,
      tick: isAtStop ? next.tick : after === price ? from.tick : null,
    };
  }

  #computeFee(amountIn: bigint): bigint {
    if (amountIn === 0n) return 0n;
    if (this.#book.keptPips <= 0n) return UNREACHABLE;
    return (amountIn * this.#book.feePips + this.#book.keptPips - 1n) / this.#book.keptPips;
  }

  /** The tick of the next stop, and whether liquidity changes there. */
  #findStop(from: Rung): number {
    const end = this.#end.tick;
    const next = this.#table.ticks[this.#index] ?? end;
    const spacing = this.#bitmapSpacing;
    // Without liquidity the stops between take and pay nothing.
    if (spacing === null || from.liquidity === 0n) {
      return this.#zeroForOne ? Math.max(next, end) : Math.min(next, end);
    }
    const compressed = Math.floor(from.tick / spacing);
    if (this.#zeroForOne) {
      const wordStart = (compressed >> WORD_BITS) << WORD_BITS;
      return Math.max(next, wordStart * spacing, end);
    }
    const wordEnd = (((compressed + 1) >> WORD_BITS) << WORD_BITS) + WORD_LAST;
    return Math.min(next, wordEnd * spacing, end);
  }

  /** Adds one rung and returns it. */
  #extend(from: Rung): Rung {
    // The first step begins between two stops, so it is specific to this ladder.
    const known = this.#rungs.length > 1 ? this.#book.steps.get(from.tick) : undefined;
    const isKnown = known !== undefined && known.liquidity === from.liquidity;
    const step = isKnown ? known : this.#workOut(from);
    if (!isKnown && this.#rungs.length > 1) this.#book.steps.set(from.tick, step);
    this.#index = step.indexAfter;
    this.#isWhole = step.isEnd;
    const rung: Rung = {
      sqrtPriceX96: step.sqrtPriceX96After,
      liquidity: step.liquidityAfter,
      tick: step.tickAfter,
      amountIn: from.amountIn + step.amountIn,
      amountOut: from.amountOut + step.amountOut,
      feeAmount: from.feeAmount + step.feeAmount,
      ticksCrossed: from.ticksCrossed + (step.isCrossing ? 1 : 0),
    };
    this.#rungs.push(rung);
    return rung;
  }

  #workOut(from: Rung): SwapStep {
    const stop = this.#findStop(from);
    const down = this.#zeroForOne;
    const isEnd = stop === this.#end.tick;
    const { liquidity, sqrtPriceX96: price } = from;
    const target = isEnd ? this.#end.sqrtPriceX96 : toSqrtPriceX96(stop);
    let taken = 0n;
    let paid = 0n;
    if (liquidity > 0n) {
      taken = down
        ? computeAmount0Up(liquidity, target, price)
        : computeAmount1Up(liquidity, price, target);
      paid = down
        ? computeAmount1Down(liquidity, target, price)
        : computeAmount0Down(liquidity, price, target);
    }
    const feeAmount = this.#computeFee(taken);
    const isCrossing = !isEnd && stop === this.#table.ticks[this.#index];
    const net = isCrossing ? (this.#table.nets[this.#index] ?? 0n) : 0n;
    return {
      liquidity,
      amountIn: taken + feeAmount,
      amountOut: paid,
      feeAmount,
      sqrtPriceX96After: target,
      liquidityAfter: down ? liquidity - net : liquidity + net,
      tickAfter: findTickAtStop(stop, down),
      indexAfter: isCrossing ? this.#index + (down ? -1 : 1) : this.#index,
      isCrossing,
      isEnd,
    };
  }
}

/** The end of all prices is one unit inside of its tick, so the price there lies in that tick. */
function findTickAtStop(stop: number, down: boolean): number {
  if (stop === TICK_MIN) return TICK_MIN;
  if (stop === TICK_MAX) return TICK_MAX - 1;
  return down ? stop - 1 : stop;
}
