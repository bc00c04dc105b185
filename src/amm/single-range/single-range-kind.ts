// Meteora's DAMM v2 pools as rows: one range of prices, its liquidity, the fee at present.

import { maxOf, minOf } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX } from '../amount-u64.ts';
import { decodeSchedule, type FeeSchedule, findRateAt } from '../fee-schedule.ts';
import { buildEndPiece, ListedStretches, toStretch } from '../listed-stretches.ts';
import { addFeeTo, deductFee, NANO } from '../nano-fee.ts';
import type { PoolKind } from '../pool-kind.ts';
import { decodeOpening, type PoolMoment } from '../pool-moment.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { hasFlag, isQuotable } from '../unchecked-flag.ts';
import {
  computeBaseDown,
  computeBaseUp,
  computeQuoteDown,
  computeQuoteUp,
  findPriceAfterBaseIn,
  findPriceAfterBaseOut,
  findPriceAfterQuoteIn,
  findPriceAfterQuoteOut,
} from '../wide-price-math.ts';

// Meteora's DAMM v2 in memory: all liquidity in one range of prices. Token 0 is A, token 1 is B.

const X128 = 1n << 128n;
const Q64 = 2 ** 64;
const NANO_PER_PIP = 1000;
const MARGIN = 1 + 1e-6;

/** Which token the fee is taken from: always the output, or always token B. */
type RangeFeeToken = 'output' | 'tokenB';

interface PlainSingleRange {
  readonly sqrtPriceX64: bigint;
  readonly priceMin: bigint;
  readonly priceMax: bigint;
  /** Times 2^64. */
  readonly wide: bigint;
  /** In 1e-9. */
  readonly feeRate: bigint;
  readonly feeOn: RangeFeeToken;
  /** How the fee changes with time; null or absent if it does not. */
  readonly schedule?: FeeSchedule | null;
}

interface SingleRangeSwap extends SwapOutcome {
  readonly sqrtPriceX64: bigint;
}

export class SingleRangePool implements SwapPool {
  readonly ticks = null;
  readonly #range: PlainSingleRange;

  constructor(range: PlainSingleRange) {
    this.#range = range;
  }

  get depth(): number {
    return Number(this.#range.wide) / Q64;
  }

  feePips(): number {
    return Math.ceil(Number(this.#range.feeRate) / NANO_PER_PIP);
  }

  midPrice(zeroForOne: boolean): Ratio {
    const square = this.#range.sqrtPriceX64 ** 2n;
    return zeroForOne
      ? { numerator: square, denominator: X128 }
      : { numerator: X128, denominator: square };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SingleRangeSwap {
    const { wide, sqrtPriceX64: price, feeRate } = this.#range;
    if (amountIn > AMOUNT_U64_MAX || wide === 0n) return this.#refuse();
    const isOnInput = this.#isFeeOnInput(zeroForOne);
    const kept = isOnInput ? deductFee(amountIn, feeRate) : amountIn;
    const after = zeroForOne
      ? findPriceAfterBaseIn(wide, price, kept)
      : findPriceAfterQuoteIn(wide, price, kept);
    if (!this.#isWithin(after)) return this.#refuse();
    const gross = zeroForOne
      ? computeQuoteDown(wide, after, price)
      : computeBaseDown(wide, price, after);
    const amountOut = isOnInput ? gross : deductFee(gross, feeRate);
    if (amountOut <= 0n) return this.#refuse();
    const feeAmount = isOnInput ? amountIn - kept : gross - amountOut;
    return { ...{ amountIn, amountOut, feeAmount, isFilled: true }, ...this.#end(after) };
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SingleRangeSwap {
    const { wide, sqrtPriceX64: price, feeRate } = this.#range;
    if (wide === 0n) return this.#refuse();
    const isOnInput = this.#isFeeOnInput(zeroForOne);
    const gross = isOnInput ? amountOut : addFeeTo(amountOut, feeRate);
    const after = zeroForOne
      ? findPriceAfterQuoteOut(wide, price, gross)
      : findPriceAfterBaseOut(wide, price, gross);
    if (after === null || !this.#isWithin(after)) return this.#refuse();
    const kept = zeroForOne
      ? computeBaseUp(wide, after, price)
      : computeQuoteUp(wide, price, after);
    const amountIn = isOnInput ? addFeeTo(kept, feeRate) : kept;
    if (amountIn > AMOUNT_U64_MAX) return this.#refuse();
    const feeAmount = isOnInput ? amountIn - kept : gross - amountOut;
    return { ...{ amountIn, amountOut, feeAmount, isFilled: true }, ...this.#end(after) };
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const after = new SingleRangePool({ ...this.#range, sqrtPriceX64: swap.sqrtPriceX64 });
    return { swap, after };
  }

  stretches(zeroForOne: boolean): Stretches {
    const { sqrtPriceX64, priceMin, priceMax, wide, feeRate } = this.#range;
    const left = 1 - Number(feeRate) / Number(NANO);
    const isOnInput = this.#isFeeOnInput(zeroForOne);
    const kept = { keptIn: isOnInput ? left : 1, keptOut: isOnInput ? 1 : left };
    const toRoot = (price: bigint) => (zeroForOne ? Q64 / Number(price) : Number(price) / Q64);
    const liquidity = Number(wide) / Q64;
    const first = toStretch({ root: toRoot(sqrtPriceX64), liquidity }, kept);
    const end = toStretch({ root: toRoot(zeroForOne ? priceMin : priceMax), liquidity }, kept);
    return new ListedStretches([first, buildEndPiece(first, end.u)]);
  }

  takesAtMost(zeroForOne: boolean): number {
    const { sqrtPriceX64, priceMin, priceMax, wide, feeRate } = this.#range;
    const whole = zeroForOne
      ? computeBaseUp(wide, priceMin, sqrtPriceX64)
      : computeQuoteUp(wide, sqrtPriceX64, priceMax);
    return Number(addFeeTo(whole, feeRate)) * MARGIN;
  }

  at(moment: PoolMoment): SingleRangePool {
    const { schedule, feeRate: before } = this.#range;
    const feeRate = schedule ? findRateAt(schedule, moment) : before;
    return feeRate === before ? this : new SingleRangePool({ ...this.#range, feeRate });
  }

  withFees({ zeroForOne }: DirectionFees): SingleRangePool {
    const feeRate = BigInt(zeroForOne * NANO_PER_PIP);
    return new SingleRangePool({ ...this.#range, feeRate, schedule: null });
  }

  toPlain(): PlainSingleRange {
    return this.#range;
  }

  #isFeeOnInput(zeroForOne: boolean): boolean {
    return this.#range.feeOn === 'tokenB' && !zeroForOne;
  }

  #isWithin(price: bigint): boolean {
    return price >= this.#range.priceMin && price <= this.#range.priceMax;
  }

  #end(sqrtPriceX64: bigint) {
    return { sqrtPriceX64, ticksCrossed: 0 };
  }

  #refuse(): SingleRangeSwap {
    const nothing = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false };
    return { ...nothing, ...this.#end(this.#range.sqrtPriceX64) };
  }
}

/** Null before the first event. */
interface SingleRangeRow {
  readonly sqrtPriceX64: bigint | null;
  /** The liquidity times 2^64. */
  readonly wide: bigint | null;
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  /** In 1e-9: the dynamic fee and the base one, at the cliff of its schedule if it has one. */
  readonly feeRate: bigint | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** Whether each swap changes the fee, by how far it moved the price. */
  readonly isDynamic: boolean | null;
  /** A `FeeSchedule` as text; empty for a base fee that does not change with time. */
  readonly schedule: string;
  /** A `PoolOpening` as text. */
  readonly opens: string;
  /** What its tokens deduct from transfers (`encodeTransferFees`); empty if nothing. */
  readonly transferFees?: string;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    singleRange: {
      readonly terms: {
        readonly priceMin: bigint;
        readonly priceMax: bigint;
        readonly feeOn: RangeFeeToken;
      };
      readonly state: SingleRangeRow;
      readonly change: FieldChange<SingleRangeRow>;
    };
  }
}

/** The square root of 0.98, in 1e-18. */
const BAND = 989_949_493_661_166_534n;
const ONE = 1_000_000_000_000_000_000n;

const parts = createRecordParts<'singleRange'>({
  terms: { priceMin: 'bigint', priceMax: 'bigint', feeOn: 'text' },
  state: {
    ...{ sqrtPriceX64: 'bigint', wide: 'bigint', held0: 'bigint', held1: 'bigint' },
    ...{ feeRate: 'bigint', flags: 'text', isDynamic: 'boolean' },
    ...{ schedule: 'text', opens: 'text', transferFees: 'text' },
  },
  stateCountMin: 6,
});

export const singleRangeKind: PoolKind<'singleRange'> = {
  ...parts,
  name: 'singleRange',
  hasTicks: false,
  hasDepthByLog: false,
  countsArrivals: false,
  eventFields: ['sqrtPriceX64'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens }) => decodeOpening(opens),
  apply(draft, change, context) {
    parts.apply(draft, change, context);
    const { flags, isDynamic } = draft.state;
    // Earlier versions stored no schedule and no opening.
    const isOld = hasFlag(flags, 'feeScheduler') || hasFlag(flags, 'rateLimiter');
    if (isOld) draft.complete = false;
    if (context.swapped === null || isDynamic !== true) return;
    draft.state = { ...draft.state, feeRate: null };
    draft.complete = false;
  },
  price({ sqrtPriceX64 }) {
    if (!sqrtPriceX64) return null;
    return { numerator: sqrtPriceX64 * sqrtPriceX64, denominator: 1n << 128n };
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw({ state: { sqrtPriceX64: price, wide }, terms }, base) {
    if (!price || !wide) return 0n;
    if (base === 'token0') {
      const end = (price * BAND) / ONE;
      return computeQuoteDown(wide, maxOf(end, terms.priceMin), price);
    }
    const end = (price * ONE) / BAND;
    return computeBaseDown(wide, price, minOf(end, terms.priceMax));
  },
  createSwapPool({ state, terms }) {
    const { sqrtPriceX64, wide, feeRate, flags } = state;
    if (!sqrtPriceX64 || !wide || feeRate === null || !isQuotable(flags)) return null;
    const schedule = decodeSchedule(state.schedule);
    return new SingleRangePool({ ...terms, sqrtPriceX64, wide, feeRate, schedule });
  },
  revive: (plain) => new SingleRangePool(plain as PlainSingleRange),
};
