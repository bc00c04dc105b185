// Concentrated liquidity on Solana (Raydium CLMM, Orca Whirlpools) in memory: one loop for both,
// over two tables of prices. Its steps are Uniswap V3's; its stops are the initialised ticks only,
// of the tick arrays that a swap is given, and on Orca their far edge.

import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX, toAmountAbove } from '../amount-u64.ts';
import { buildEndPiece, ListedStretches, toStretch } from '../listed-stretches.ts';
import type { PoolMoment } from '../pool-moment.ts';
import { findLastTick, SWAP_ARRAYS_MAX } from '../swap-arrays.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretch, Stretches, SwapPool } from '../swap-pool.ts';
import type { TickList } from '../tick-list.ts';
import { type AdaptiveFee, AdaptiveWalk } from './adaptive-fee.ts';
import { TICK_TABLES, TICK_X64_MAX, type TickTable, type TickTableName } from './tick-prices.ts';
import { stepIn, stepOut, type X64Step } from './x64-step.ts';

// The curve of a range pool as pieces, from one initialised tick to the next.

const Q64 = 2 ** 64;
const PIPS = 1_000_000;
const LOG_OF_SQRT_STEP = Math.log(1.0001) / 2;

interface TickedRange {
  readonly state: {
    readonly sqrtPriceX64: bigint;
    readonly liquidity: bigint;
    readonly tick: number;
  };
  readonly ticks: TickList;
}

/** A fee that changes on the way is not followed: with the least, pieces never pay too little. */
function listRangePieces(
  pool: TickedRange,
  { zeroForOne, feePips }: { readonly zeroForOne: boolean; readonly feePips: number },
): Stretch[] {
  const { state, ticks } = pool;
  const kept = { keptIn: 1 - feePips / PIPS, keptOut: 1 };
  const toRoot = (sqrtPrice: number) => (zeroForOne ? 1 / sqrtPrice : sqrtPrice);
  const pieces: Stretch[] = [];
  let { liquidity } = state;
  let root = toRoot(Number(state.sqrtPriceX64) / Q64);
  let index = ticks.findAbove(state.tick) - (zeroForOne ? 1 : 0);
  for (;;) {
    const piece = toStretch({ root, liquidity: Number(liquidity) }, kept);
    const last = pieces.at(-1) ?? { u: piece.u, depth: 1 };
    pieces.push(liquidity > 0n ? piece : buildEndPiece(last, piece.u));
    const tick = ticks.ticks[index];
    if (tick === undefined) return pieces;
    const net = ticks.nets[index] ?? 0n;
    liquidity += zeroForOne ? -net : net;
    root = toRoot(Math.exp(tick * LOG_OF_SQRT_STEP));
    index += zeroForOne ? -1 : 1;
  }
}

const X64 = 64n;
const X128 = 1n << 128n;
const MARGIN = 1 + 1e-6;
const UNITS_PER_STOP = 2;
export const ORCA_ARRAY_TICKS = 88;
export const RAYDIUM_ARRAY_TICKS = 60;

interface ClmmX64State {
  readonly sqrtPriceX64: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  /** What the vaults hold. */
  readonly held0: bigint;
  readonly held1: bigint;
  /** Null if the fee does not change. */
  readonly adaptive: AdaptiveFee | null;
}

interface ClmmX64Terms {
  readonly table: TickTableName;
  readonly tickSpacing: number;
  readonly fees: DirectionFees;
  /** When the swap is made: an adaptive fee depends on it. */
  readonly nowSeconds: number;
  /** How many of Raydium's arrays with ticks the swap is given; three if it is not set. */
  readonly arraysMax?: number;
  readonly ticks: TickList;
}

export interface PlainClmmX64 extends Omit<ClmmX64Terms, 'ticks'> {
  readonly state: ClmmX64State;
}

interface ClmmX64Swap extends SwapOutcome {
  readonly after: ClmmX64State;
}

/** The start ticks of the arrays that a swap is given, the nearest one first. */
export function listSwapArrays(
  range: { readonly tick: number; readonly tickSpacing: number },
  zeroForOne: boolean,
): number[] {
  const length = ORCA_ARRAY_TICKS * range.tickSpacing;
  const from = zeroForOne ? range.tick : range.tick + range.tickSpacing;
  const first = Math.floor(from / length) * length;
  return Array.from(
    { length: SWAP_ARRAYS_MAX },
    (_, index) => first + (zeroForOne ? -index : index) * length,
  );
}

/** One swap under way. */
class RangeWalk {
  readonly #pool: ClmmX64Pool;
  readonly #table: TickTable;
  readonly #zeroForOne: boolean;
  readonly #feePips: bigint;
  readonly #adaptive: AdaptiveWalk | null;
  /** The last tick that the swap may reach. */
  readonly #edge: number;
  #index: number;
  #price: bigint;
  #liquidity: bigint;
  /** Null if the price is between two stops. */
  #tick: number | null;
  #ticksCrossed = 0;
  #amountIn = 0n;
  #amountOut = 0n;
  #feeAmount = 0n;

  constructor(pool: ClmmX64Pool, zeroForOne: boolean) {
    const { state, terms } = pool;
    this.#pool = pool;
    this.#table = TICK_TABLES[terms.table];
    this.#zeroForOne = zeroForOne;
    this.#feePips = BigInt(zeroForOne ? terms.fees.zeroForOne : terms.fees.oneForZero);
    this.#index = terms.ticks.findAbove(state.tick) - (zeroForOne ? 1 : 0);
    this.#edge = this.#findEdge();
    this.#price = state.sqrtPriceX64;
    this.#liquidity = state.liquidity;
    this.#tick = state.tick;
    this.#adaptive =
      state.adaptive &&
      new AdaptiveWalk(state.adaptive, {
        ...{ table: this.#table, zeroForOne, staticPips: this.#feePips },
        ...{ tick: state.tick, nowSeconds: terms.nowSeconds },
      });
  }

  /** Ends when the amount is spent or bought, or at the last tick. */
  run(amount: bigint, isIn: boolean): ClmmX64Swap {
    let rest = amount;
    while (rest > 0n) {
      const stop = this.#findStop();
      if (stop === null) return this.#finish(false);
      const target = this.#table.toPrice(stop);
      rest = this.#walkTo(target, rest, isIn);
      if (this.#price === target) this.#arrive(stop);
      else this.#tick = null;
    }
    return this.#finish(true);
  }

  /** Swaps are given three arrays; those of Raydium leave out arrays without ticks. */
  #findEdge(): number {
    const { state, terms } = this.#pool;
    const down = this.#zeroForOne;
    if (terms.table === 'raydium') {
      const arrayTicks = RAYDIUM_ARRAY_TICKS * terms.tickSpacing;
      const start = { tick: state.tick, arrayTicks, zeroForOne: down };
      return (
        findLastTick(terms.ticks, start, terms.arraysMax) ?? (down ? -TICK_X64_MAX : TICK_X64_MAX)
      );
    }
    const last = listSwapArrays({ ...terms, tick: state.tick }, down).at(-1) ?? 0;
    return down
      ? Math.max(last, -TICK_X64_MAX)
      : Math.min(last + ORCA_ARRAY_TICKS * terms.tickSpacing - 1, TICK_X64_MAX);
  }

  #findStop(): number | null {
    const { terms } = this.#pool;
    const next = terms.ticks.ticks[this.#index];
    const isWithin =
      next !== undefined && (this.#zeroForOne ? next >= this.#edge : next <= this.#edge);
    if (isWithin) return next;
    if (terms.table === 'raydium') return null;
    const edgePrice = this.#table.toPrice(this.#edge);
    const isThere = this.#zeroForOne ? this.#price <= edgePrice : this.#price >= edgePrice;
    return isThere ? null : this.#edge;
  }

  /** Returns what is left of the amount. */
  #walkTo(target: bigint, amount: bigint, isIn: boolean): bigint {
    let rest = amount;
    do {
      const bound = this.#adaptive?.bound(target, this.#liquidity) ?? target;
      const feePips = this.#adaptive?.feePips ?? this.#feePips;
      const terms = {
        ...{ zeroForOne: this.#zeroForOne, price: this.#price, target: bound },
        ...{ wide: this.#liquidity << X64, feePips },
      };
      const step: X64Step = isIn ? stepIn(terms, rest) : stepOut(terms, rest);
      rest -= isIn ? step.amountIn + step.feeAmount : step.amountOut;
      this.#amountIn += step.amountIn + step.feeAmount;
      this.#amountOut += step.amountOut;
      this.#feeAmount += step.feeAmount;
      this.#price = step.priceAfter;
      this.#adaptive?.advance(this.#price);
    } while (rest > 0n && this.#price !== target);
    return rest;
  }

  #arrive(stop: number): void {
    const { ticks } = this.#pool.terms;
    if (ticks.ticks[this.#index] === stop) {
      const net = ticks.nets[this.#index] ?? 0n;
      this.#liquidity += this.#zeroForOne ? -net : net;
      this.#index += this.#zeroForOne ? -1 : 1;
      this.#ticksCrossed += 1;
    }
    this.#tick = this.#zeroForOne ? stop - 1 : stop;
  }

  #finish(isDone: boolean): ClmmX64Swap {
    const { held0, held1, adaptive } = this.#pool.state;
    const tick = this.#tick ?? this.#table.findTick(this.#price);
    const [amountIn, amountOut] = [this.#amountIn, this.#amountOut];
    const isPayable = amountOut <= (this.#zeroForOne ? held1 : held0);
    return {
      ...{ amountIn, amountOut, feeAmount: this.#feeAmount, ticksCrossed: this.#ticksCrossed },
      isFilled: isDone && isPayable && amountIn <= AMOUNT_U64_MAX,
      after: {
        ...{ sqrtPriceX64: this.#price, liquidity: this.#liquidity, tick },
        held0: this.#zeroForOne ? held0 + amountIn : held0 - amountOut,
        held1: this.#zeroForOne ? held1 - amountOut : held1 + amountIn,
        adaptive: adaptive && (this.#adaptive?.finish(tick) ?? null),
      },
    };
  }
}

export class ClmmX64Pool implements SwapPool {
  readonly state: ClmmX64State;
  readonly terms: ClmmX64Terms;

  constructor(state: ClmmX64State, terms: ClmmX64Terms) {
    this.state = state;
    this.terms = terms;
  }

  get ticks(): TickList {
    return this.terms.ticks;
  }

  get depth(): number {
    return Number(this.state.liquidity);
  }

  feePips(zeroForOne: boolean): number {
    return Number(this.#startWalk(zeroForOne)?.feePips ?? this.#findStaticPips(zeroForOne));
  }

  midPrice(zeroForOne: boolean): Ratio {
    const square = this.state.sqrtPriceX64 ** 2n;
    return zeroForOne
      ? { numerator: square, denominator: X128 }
      : { numerator: X128, denominator: square };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): ClmmX64Swap {
    if (amountIn <= 0n) throw new RangeError(`no swap of ${amountIn}`);
    return new RangeWalk(this, zeroForOne).run(amountIn, true);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): ClmmX64Swap {
    if (amountOut <= 0n) throw new RangeError(`no swap for ${amountOut}`);
    return new RangeWalk(this, zeroForOne).run(amountOut, false);
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    return { swap, after: new ClmmX64Pool(swap.after, this.terms) };
  }

  stretches(zeroForOne: boolean): Stretches {
    const walk = this.#startWalk(zeroForOne);
    const feePips = Number(walk?.feePipsLeast ?? this.#findStaticPips(zeroForOne));
    return new ListedStretches(listRangePieces(this, { zeroForOne, feePips }));
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    const { amountIn } = this.swapIn(zeroForOne, toAmountAbove(enough));
    return Number(amountIn) * MARGIN + UNITS_PER_STOP * (this.ticks.size + 1);
  }

  at({ seconds }: PoolMoment): ClmmX64Pool {
    if (this.state.adaptive === null) return this;
    return new ClmmX64Pool(this.state, { ...this.terms, nowSeconds: seconds });
  }

  withFees(fees: DirectionFees): ClmmX64Pool {
    return new ClmmX64Pool(this.state, { ...this.terms, fees });
  }

  toPlain(): PlainClmmX64 {
    const { ticks: _ticks, ...terms } = this.terms;
    return { ...terms, state: this.state };
  }

  #findStaticPips(zeroForOne: boolean): number {
    return zeroForOne ? this.terms.fees.zeroForOne : this.terms.fees.oneForZero;
  }

  #startWalk(zeroForOne: boolean): AdaptiveWalk | null {
    const { adaptive, tick } = this.state;
    if (adaptive === null) return null;
    const { table, nowSeconds } = this.terms;
    const staticPips = BigInt(this.#findStaticPips(zeroForOne));
    return new AdaptiveWalk(adaptive, {
      ...{ table: TICK_TABLES[table], zeroForOne, staticPips, tick, nowSeconds },
    });
  }
}
