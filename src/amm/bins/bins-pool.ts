// Meteora's DLMM in memory: liquidity in bins of one price each. Token 0 is X, token 1 is Y.
//
// Bins above the active one hold X only, bins below it Y only. So a bin is one signed number,
// X − Y, kept as the net of a tick; the active bin's two amounts are in the state.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX, toAmountAbove } from '../amount-u64.ts';
import { divideUp } from '../divide-up.ts';
import { ListedStretches } from '../listed-stretches.ts';
import type { PoolMoment } from '../pool-moment.ts';
import { findLastTick } from '../swap-arrays.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretch, Stretches, SwapPool } from '../swap-pool.ts';
import { TickList } from '../tick-list.ts';
import {
  type BinFeeTerms,
  type BinVolatility,
  findBaseRate,
  findFeeRate,
  findVolatility,
  RATE_SCALE,
  renewVolatility,
} from './bin-fee.ts';
import { toBinPrice } from './bin-price.ts';

const X64 = 64n;
const ONE = 1n << X64;
const Q64 = 2 ** 64;
const PIPS_PER_RATE = 1000;
const MARGIN = 1 + 1e-6;
const UNITS_PER_BIN = 2;
export const BINS_PER_ARRAY = 70;
/** A bin's price is constant; its piece spans this share of u, so that it has a finite depth. */
const FLATNESS = 1e-6;
/** Between two bins there is nothing; this share of a piece keeps the slope continuous. */
const REMNANT = 1e-15;

interface BinsState extends BinVolatility {
  readonly activeId: number;
  readonly activeX: bigint;
  readonly activeY: bigint;
}

interface BinsTerms extends BinFeeTerms {
  /** When the swap is made. */
  readonly nowSeconds: number;
  readonly ticks: TickList;
}

export interface PlainBins extends Omit<BinsTerms, 'ticks'> {
  readonly state: BinsState;
}

/** What a bin holds. */
export interface BinSetting {
  readonly id: number;
  readonly x: bigint;
  readonly y: bigint;
}

interface BinsSwap extends SwapOutcome {
  readonly after: BinsState;
  /** The bins that it changed, as they are afterwards. */
  readonly bins: readonly BinSetting[];
}

/** What is in a bin that pays. */
interface PayingBin {
  readonly id: number;
  readonly amount: bigint;
}

export class BinsPool implements SwapPool {
  readonly state: BinsState;
  readonly terms: BinsTerms;
  readonly #volatility: BinVolatility;
  readonly #baseRate: bigint;

  constructor(state: BinsState, terms: BinsTerms) {
    this.state = state;
    this.terms = terms;
    const { activeId } = state;
    this.#baseRate = findBaseRate(terms);
    this.#volatility = renewVolatility(terms, state, { activeId, nowSeconds: terms.nowSeconds });
  }

  get ticks(): TickList {
    return this.terms.ticks;
  }

  get depth(): number {
    const price = Number(this.#priceOf(this.state.activeId)) / Q64;
    return (
      Number(this.state.activeX) * Math.sqrt(price) + Number(this.state.activeY) / Math.sqrt(price)
    );
  }

  feePips(): number {
    return Math.ceil(Number(this.#rateIn(this.state.activeId)) / PIPS_PER_RATE);
  }

  midPrice(zeroForOne: boolean): Ratio {
    const price = this.#priceOf(this.state.activeId);
    return zeroForOne
      ? { numerator: price, denominator: ONE }
      : { numerator: ONE, denominator: price };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): BinsSwap {
    const sums = new BinSums(this, zeroForOne);
    let left = amountIn;
    for (const bin of this.#listBins(zeroForOne)) {
      const price = this.#priceOf(bin.id);
      const rate = this.#rateIn(bin.id);
      const whole = this.#findCost(zeroForOne, price, bin.amount);
      const fee = divideUp(left * rate, RATE_SCALE);
      if (left - fee <= whole) {
        const paid = zeroForOne ? (price * (left - fee)) >> X64 : ((left - fee) << X64) / price;
        const amountOut = minOf(paid, bin.amount);
        sums.add(bin, { kept: left - fee, fee, amountOut });
        return sums.finish(this.#volatility, true);
      }
      const wholeFee = divideUp(whole * rate, RATE_SCALE - rate);
      sums.add(bin, { kept: whole, fee: wholeFee, amountOut: bin.amount });
      left -= whole + wholeFee;
    }
    return sums.finish(this.#volatility, false);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): BinsSwap {
    const sums = new BinSums(this, zeroForOne);
    let left = amountOut;
    for (const bin of this.#listBins(zeroForOne)) {
      const rate = this.#rateIn(bin.id);
      const amount = minOf(left, bin.amount);
      const kept = this.#findCost(zeroForOne, this.#priceOf(bin.id), amount);
      sums.add(bin, { kept, fee: divideUp(kept * rate, RATE_SCALE - rate), amountOut: amount });
      left -= amount;
      if (left === 0n) return sums.finish(this.#volatility, true);
    }
    return sums.finish(this.#volatility, false);
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const changed = new Set(swap.bins.map(({ id }) => id));
    const kept = Array.from(this.ticks.ticks, (tick, index) => ({
      tick,
      liquidityNet: this.ticks.nets[index] ?? 0n,
    })).filter(({ tick }) => !changed.has(tick));
    const moved = swap.bins.map(({ id, x, y }) => ({ tick: id, liquidityNet: x - y }));
    const ticks = new TickList([...moved, ...kept]);
    return { swap, after: new BinsPool(swap.after, { ...this.terms, ticks }) };
  }

  stretches(zeroForOne: boolean): Stretches {
    const pieces: Stretch[] = [];
    for (const bin of this.#listBins(zeroForOne)) {
      const price = Number(this.#priceOf(bin.id)) / Q64;
      const kept = 1 - Number(this.#rateIn(bin.id)) / Number(RATE_SCALE);
      const cost = (zeroForOne ? 1 / price : price) / kept;
      const u = Math.sqrt(cost);
      const depth = (Number(bin.amount) * cost) / (u * FLATNESS);
      const start = u * (1 - FLATNESS / 2);
      pieces.push({ u: start, depth }, { u: u * (1 + FLATNESS / 2), depth: depth * REMNANT });
    }
    return new ListedStretches(pieces);
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    const { amountIn } = this.swapIn(zeroForOne, toAmountAbove(enough));
    return Number(amountIn) * MARGIN + UNITS_PER_BIN * (this.ticks.size + 1);
  }

  at({ seconds }: Pick<PoolMoment, 'seconds'>): BinsPool {
    return new BinsPool(this.state, { ...this.terms, nowSeconds: seconds });
  }

  /** Tests of hooks use it; the fee becomes the base fee alone, in both directions. */
  withFees({ zeroForOne }: DirectionFees): BinsPool {
    const { binStep } = this.terms;
    const baseFactor = (zeroForOne * PIPS_PER_RATE) / (binStep * 10);
    return new BinsPool(this.state, { ...this.terms, baseFactor, basePower: 0, control: 0 });
  }

  toPlain(): PlainBins {
    const { ticks: _ticks, ...terms } = this.terms;
    return { ...terms, state: this.state };
  }

  /** The bins that can pay, from the active one outwards. */
  *#listBins(zeroForOne: boolean): Generator<PayingBin> {
    const { activeId, activeX, activeY } = this.state;
    const own = zeroForOne ? activeY : activeX;
    if (own > 0n) yield { id: activeId, amount: own };
    const { ticks, nets } = this.ticks;
    const step = zeroForOne ? -1 : 1;
    const first = this.ticks.findAbove(zeroForOne ? activeId - 1 : activeId);
    const start = { tick: activeId, arrayTicks: BINS_PER_ARRAY, zeroForOne };
    const last = findLastTick(this.ticks, start);
    for (let index = zeroForOne ? first - 1 : first; ; index += step) {
      const id = ticks[index];
      if (id === undefined) return;
      if (last !== null && (zeroForOne ? id < last : id > last)) return;
      const net = nets[index] ?? 0n;
      const amount = zeroForOne ? -net : net;
      if (amount > 0n) yield { id, amount };
    }
  }

  #priceOf(id: number): bigint {
    return toBinPrice(id, this.terms.binStep);
  }

  #rateIn(id: number): bigint {
    return findFeeRate(this.terms, this.#volatility, { id, baseRate: this.#baseRate });
  }

  #findCost(zeroForOne: boolean, price: bigint, amount: bigint): bigint {
    return zeroForOne ? divideUp(amount << X64, price) : divideUp(amount * price, ONE);
  }
}

/** The sums of a swap over its bins, and the state that it leaves. */
class BinSums {
  readonly #pool: BinsPool;
  readonly #zeroForOne: boolean;
  #amountIn = 0n;
  #amountOut = 0n;
  #feeAmount = 0n;
  readonly #bins: BinSetting[] = [];
  #last: { id: number; came: bigint; rest: bigint };

  constructor(pool: BinsPool, zeroForOne: boolean) {
    const { activeId, activeX, activeY } = pool.state;
    this.#pool = pool;
    this.#zeroForOne = zeroForOne;
    this.#last = { id: activeId, came: 0n, rest: zeroForOne ? activeY : activeX };
  }

  add(bin: PayingBin, by: { kept: bigint; fee: bigint; amountOut: bigint }): void {
    this.#amountIn += by.kept + by.fee;
    this.#amountOut += by.amountOut;
    this.#feeAmount += by.fee;
    this.#last = { id: bin.id, came: by.kept, rest: bin.amount - by.amountOut };
    this.#bins.push(this.#settle());
  }

  /** The last bin as it is now. */
  #settle(): BinSetting {
    const { state } = this.#pool;
    const { id, came, rest } = this.#last;
    // Only the first bin held any of the token that came in.
    const had = this.#zeroForOne ? state.activeX : state.activeY;
    const stays = came + (id === state.activeId ? had : 0n);
    return this.#zeroForOne ? { id, x: stays, y: rest } : { id, x: rest, y: stays };
  }

  finish(volatility: BinVolatility, isDone: boolean): BinsSwap {
    const { terms } = this.#pool;
    const { id, x: activeX, y: activeY } = this.#settle();
    const isPaid = this.#amountOut > 0n && this.#amountIn <= AMOUNT_U64_MAX;
    return {
      ...{ amountIn: this.#amountIn, amountOut: this.#amountOut, feeAmount: this.#feeAmount },
      // The program refuses a swap that pays nothing.
      isFilled: isDone && isPaid,
      ticksCrossed: Math.max(0, this.#bins.length - 1),
      bins: this.#bins,
      after: {
        ...volatility,
        ...{ activeId: id, activeX, activeY },
        volatility: findVolatility(terms, volatility, id),
      },
    };
  }
}
