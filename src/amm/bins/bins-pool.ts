// Pools of bins in memory: liquidity in bins of one price each, as Meteora's DLMM and Liquidity
// Book have it. Token 0 is X, token 1 is Y.
//
// Bins above the active one hold X only, bins below it Y only. So a bin is one signed number,
// X − Y, kept as the net of a tick; the active bin's two amounts are in the state.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { divideUp } from '../divide-up.ts';
import { ListedStretches } from '../listed-stretches.ts';
import type { PoolMoment } from '../pool-moment.ts';
import { findLastTick } from '../swap-arrays.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretch, Stretches, SwapPool } from '../swap-pool.ts';
import { type BinStep, TickList } from '../tick-list.ts';
import {
  type BinFeeTerms,
  type BinVolatility,
  findBaseRate,
  findFeeRate,
  findVolatility,
  renewVolatility,
} from './bin-fee.ts';
import type { BinRules } from './bin-rules.ts';

const PIPS = 1_000_000;
const SHARE_SCALE = 10_000n;
/** Above all ids. */
const ID_RANGE = 2 ** 24;
/** Bins at different volatilities. */
const STEPS_MAX = 4096;
/** Far below what a bin of Liquidity Book may be worth. */
const CHECKED_ABOVE = 2n ** 100n;
const MARGIN = 1 + 1e-6;
const UNITS_PER_BIN = 2;
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
  readonly rules: BinRules;
  /** The part of a fee that leaves the bin, in 1/10,000; where fees stay in bins. */
  readonly protocolShare?: number;
  /** When the swap is made. */
  readonly nowSeconds: number;
  readonly ticks: TickList;
}

export interface PlainBins extends Omit<BinsTerms, 'ticks' | 'rules'> {
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
    this.#baseRate = findBaseRate(terms, terms.rules.rates);
    this.#volatility = renewVolatility(terms, state, { activeId, nowSeconds: terms.nowSeconds });
  }

  get ticks(): TickList {
    return this.terms.ticks;
  }

  get depth(): number {
    const price = this.#toNumber(this.#priceOf(this.state.activeId));
    return (
      Number(this.state.activeX) * Math.sqrt(price) + Number(this.state.activeY) / Math.sqrt(price)
    );
  }

  feePips(): number {
    const { scale } = this.terms.rules.rates;
    return Math.ceil((Number(this.#rateIn(this.state.activeId)) * PIPS) / Number(scale));
  }

  midPrice(zeroForOne: boolean): Ratio {
    const price = this.#priceOf(this.state.activeId);
    const one = 1n << this.terms.rules.fractionBits;
    return zeroForOne
      ? { numerator: price, denominator: one }
      : { numerator: one, denominator: price };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): BinsSwap {
    const sums = new BinSums(this, zeroForOne);
    const { fractionBits: bits, rates, fillsExactly, amountMax } = this.terms.rules;
    let left = amountIn;
    for (const bin of this.#listBins(zeroForOne)) {
      const { whole, wholeFee, taken } = this.#findStep(zeroForOne, bin);
      // Liquidity Book computes what the whole bin takes in any case.
      if (fillsExactly && taken > amountMax) break;
      // By rounding, DLMM's bins may take a unit more without being emptied.
      if (left >= taken && (fillsExactly || left > taken + 1n || this.#empties(bin, left, whole))) {
        sums.add(bin, { kept: whole, fee: wholeFee, amountOut: bin.amount });
        left -= taken;
        if (left === 0n) return sums.finish(this.#volatility, true);
        continue;
      }
      const price = this.#priceOf(bin.id);
      const fee = divideUp(left * this.#rateIn(bin.id), rates.scale);
      const paid = zeroForOne ? (price * (left - fee)) >> bits : ((left - fee) << bits) / price;
      sums.add(bin, { kept: left - fee, fee, amountOut: minOf(paid, bin.amount) });
      return sums.finish(this.#volatility, true);
    }
    return sums.finish(this.#volatility, false);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): BinsSwap {
    const sums = new BinSums(this, zeroForOne);
    let left = amountOut;
    for (const bin of this.#listBins(zeroForOne)) {
      const isAll = left >= bin.amount;
      const { whole: kept, wholeFee: fee } = isAll
        ? this.#findStep(zeroForOne, bin)
        : this.#computeStep(zeroForOne, { id: bin.id, amount: left });
      sums.add(bin, { kept, fee, amountOut: isAll ? bin.amount : left });
      left -= isAll ? bin.amount : left;
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
      const price = this.#toNumber(this.#priceOf(bin.id));
      const kept = 1 - Number(this.#rateIn(bin.id)) / Number(this.terms.rules.rates.scale);
      const cost = (zeroForOne ? 1 / price : price) / kept;
      const u = Math.sqrt(cost);
      const depth = (Number(bin.amount) * cost) / (u * FLATNESS);
      const start = u * (1 - FLATNESS / 2);
      pieces.push({ u: start, depth }, { u: u * (1 + FLATNESS / 2), depth: depth * REMNANT });
    }
    return new ListedStretches(pieces);
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    const { amountMax } = this.terms.rules;
    const above = enough < Number(amountMax) ? BigInt(Math.ceil(enough)) + 1n : amountMax;
    const { amountIn } = this.swapIn(zeroForOne, above);
    return Number(amountIn) * MARGIN + UNITS_PER_BIN * (this.ticks.size + 1);
  }

  at({ seconds }: Pick<PoolMoment, 'seconds'>): BinsPool {
    return new BinsPool(this.state, { ...this.terms, nowSeconds: seconds });
  }

  /** Tests of hooks use it; the fee becomes the base fee alone, in both directions. */
  withFees({ zeroForOne }: DirectionFees): BinsPool {
    const { binStep, rules } = this.terms;
    const { scale, baseUnit } = rules.rates;
    const baseFactor = (zeroForOne * Number(scale / baseUnit)) / (PIPS * binStep);
    return new BinsPool(this.state, { ...this.terms, baseFactor, basePower: 0, control: 0 });
  }

  toPlain(): PlainBins {
    const { ticks: _ticks, rules: _rules, ...terms } = this.terms;
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
    const { binsPerArray } = this.terms.rules;
    const start = { tick: activeId, arrayTicks: binsPerArray ?? 1, zeroForOne };
    const last = binsPerArray === null ? null : findLastTick(this.ticks, start);
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
    return this.terms.rules.toPrice(id, this.terms.binStep);
  }

  #toNumber(price: bigint): number {
    return Number(price) / 2 ** Number(this.terms.rules.fractionBits);
  }

  #rateIn(id: number): bigint {
    const volatility = findVolatility(this.terms, this.#volatility, id);
    const { rates: units } = this.terms.rules;
    return findFeeRate(this.terms, volatility, { units, baseRate: this.#baseRate });
  }

  /** Whether so much is more than the bin takes, as DLMM compares it. */
  #empties({ id }: PayingBin, left: bigint, whole: bigint): boolean {
    return left - divideUp(left * this.#rateIn(id), this.terms.rules.rates.scale) > whole;
  }

  /** Of all that a bin pays. The list remembers it: bins but the active one change with it. */
  #findStep(zeroForOne: boolean, bin: PayingBin): BinStep {
    if (bin.id === this.state.activeId) return this.#computeStep(zeroForOne, bin);
    const volatility = findVolatility(this.terms, this.#volatility, bin.id);
    const { binSteps } = this.ticks;
    const key = volatility * ID_RANGE + (bin.id & (ID_RANGE - 1));
    const known = binSteps.get(key);
    if (known !== undefined) return known;
    const step = this.#computeStep(zeroForOne, bin);
    if (binSteps.size >= STEPS_MAX) binSteps.clear();
    if (Number.isSafeInteger(key)) binSteps.set(key, step);
    return step;
  }

  #computeStep(zeroForOne: boolean, { id, amount }: PayingBin): BinStep {
    const rate = this.#rateIn(id);
    const whole = this.#findCost(zeroForOne, this.#priceOf(id), amount);
    const wholeFee = divideUp(whole * rate, this.terms.rules.rates.scale - rate);
    return { whole, wholeFee, taken: whole + wholeFee };
  }

  #findCost(zeroForOne: boolean, price: bigint, amount: bigint): bigint {
    const { fractionBits: bits } = this.terms.rules;
    return zeroForOne ? divideUp(amount << bits, price) : divideUp(amount * price, 1n << bits);
  }
}

/** What a swap does in a bin. */
interface BinPart {
  readonly bin: PayingBin;
  /** Of the input, what the bin exchanges. */
  readonly kept: bigint;
  readonly fee: bigint;
  readonly amountOut: bigint;
}

/** The sums of a swap over its bins, and the state that it leaves. */
class BinSums {
  readonly #pool: BinsPool;
  readonly #zeroForOne: boolean;
  #amountIn = 0n;
  #amountOut = 0n;
  #feeAmount = 0n;
  #isTooMuch = false;
  readonly #parts: BinPart[] = [];

  constructor(pool: BinsPool, zeroForOne: boolean) {
    this.#pool = pool;
    this.#zeroForOne = zeroForOne;
  }

  add(bin: PayingBin, by: Omit<BinPart, 'bin'>): void {
    this.#amountIn += by.kept + by.fee;
    this.#amountOut += by.amountOut;
    this.#feeAmount += by.fee;
    const part = { bin, ...by };
    this.#parts.push(part);
    const { rules } = this.#pool.terms;
    if (rules.worthMax === null) return;
    // What a bin is worth changes by the fee alone: small bins need no check, but for the one that
    // may hold both tokens.
    const inY = this.#zeroForOne ? bin.amount : by.kept;
    if (bin.id !== this.#pool.state.activeId && inY <= CHECKED_ABOVE) return;
    this.#isTooMuch ||= this.#exceeds(this.#settle(part), rules.worthMax);
  }

  /** The contract refuses a bin of which more is worth, at its price, than it can count. */
  #exceeds({ id, x, y }: BinSetting, worthMax: bigint): boolean {
    const { rules, binStep } = this.#pool.terms;
    return x * rules.toPrice(id, binStep) + (y << rules.fractionBits) > worthMax;
  }

  /** What stays of a fee in its bin. */
  #keepFee(fee: bigint): bigint {
    const { protocolShare } = this.#pool.terms;
    if (protocolShare === undefined) return 0n;
    return fee - (fee * BigInt(protocolShare)) / SHARE_SCALE;
  }

  /** The bin as the swap leaves it. */
  #settle({ bin: { id, amount }, kept, fee, amountOut }: BinPart): BinSetting {
    const { activeId, activeX, activeY } = this.#pool.state;
    // Only the first bin held any of the token that came in.
    const had = id !== activeId ? 0n : this.#zeroForOne ? activeX : activeY;
    const [stays, rest] = [had + kept + this.#keepFee(fee), amount - amountOut];
    return this.#zeroForOne ? { id, x: stays, y: rest } : { id, x: rest, y: stays };
  }

  #findAfter(volatility: BinVolatility): BinsState {
    const { state, terms } = this.#pool;
    const last = this.#parts.at(-1);
    const { activeId: id, activeX: x, activeY: y } = state;
    const active = last === undefined ? { id, x, y } : this.#settle(last);
    return {
      ...volatility,
      ...{ activeId: active.id, activeX: active.x, activeY: active.y },
      volatility: findVolatility(terms, volatility, active.id),
    };
  }

  finish(volatility: BinVolatility, isDone: boolean): BinsSwap {
    const isPaid = this.#amountOut > 0n && this.#amountIn <= this.#pool.terms.rules.amountMax;
    const settleAll = () => this.#parts.map((part) => this.#settle(part));
    const findAfter = () => this.#findAfter(volatility);
    return {
      ...{ amountIn: this.#amountIn, amountOut: this.#amountOut, feeAmount: this.#feeAmount },
      // The program refuses a swap that pays nothing.
      isFilled: isDone && isPaid && !this.#isTooMuch,
      ticksCrossed: Math.max(0, this.#parts.length - 1),
      // Most quotes need neither.
      get bins() {
        return settleAll();
      },
      get after() {
        return findAfter();
      },
    };
  }
}
