// Curve's StableSwap NG pools in memory: two of a pool's coins, with the balances of all of them.

import type { Ratio } from '../../lib/decimal.ts';
import { UINT256_MAX } from '../../lib/sortable-integer.ts';
import { findInputNear } from '../input-near.ts';
import { buildCurveStretches, findCurveDepth, type SmoothCurve } from '../smooth-curve.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { computeBend, computeStableTotal, findStableBalance } from './stable-swap-math.ts';

const E18 = 10n ** 18n;
/** Fees are in 1e-10. */
const FEE_UNIT = 10n ** 10n;
const FEE_PER_PIP = 10n ** 4n;
const AMP_PRECISION = 100n;
/** The part of a fee that leaves the balances: a half, in every NG pool. */
const ADMIN_FEE = 5n * 10n ** 9n;
/** Scaled balances have fewer bits, or the contract's products overflow. */
const BALANCE_BITS = 120n;
const MARGIN = 1 + 1e-6;

export interface PlainStableSwap {
  /** Which of the pool's coins token 0 and token 1 are. */
  readonly index0: number;
  readonly index1: number;
  readonly balances: readonly bigint[];
  /** 1e18 for a token with 18 decimals, 1e30 for one with 6, times the token's own rate. */
  readonly rates: readonly bigint[];
  /** A times 100, as `A_precise()` gives it. */
  readonly ampPrecise: bigint;
  /** In 1e-10, at balance. */
  readonly fee: bigint;
  /** By how much the fee grows away from balance, in 1e-10; no more than 1e10 if it does not. */
  readonly offpegMultiplier: bigint;
}

interface StableOutcome extends SwapOutcome {
  /** What leaves the balance of the output beside the output. */
  readonly adminPart: bigint;
}

const NOTHING: StableOutcome = {
  ...{ amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 },
  adminPart: 0n,
};

export class StableSwapPool implements SwapPool {
  readonly ticks = null;
  readonly #pool: PlainStableSwap;
  readonly #amp: bigint;
  readonly #scaled: readonly bigint[];
  /** Null if the contract reverts. */
  readonly #total: bigint | null;

  constructor(pool: PlainStableSwap) {
    this.#pool = pool;
    this.#amp = pool.ampPrecise * BigInt(pool.balances.length);
    this.#scaled = pool.balances.map((balance, at) => (balance * (pool.rates[at] ?? 0n)) / E18);
    this.#total = computeStableTotal(this.#scaled, this.#amp);
  }

  get depth(): number {
    return findCurveDepth(this.toSmoothCurve(true));
  }

  feePips(): number {
    return Number((this.#pool.fee + FEE_PER_PIP - 1n) / FEE_PER_PIP);
  }

  midPrice(zeroForOne: boolean): Ratio {
    const { from, to } = this.#sideOf(zeroForOne);
    const bend = computeBend(this.#scaled, this.#total ?? 0n) * AMP_PRECISION;
    return {
      numerator: (this.#amp * from.scaled + bend) * to.scaled * from.rate,
      denominator: (this.#amp * to.scaled + bend) * from.scaled * to.rate,
    };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): StableOutcome {
    const { from, to } = this.#sideOf(zeroForOne);
    const scaledIn = from.scaled + (amountIn * from.rate) / E18;
    if (this.#total === null || scaledIn >> BALANCE_BITS > 0n || to.rate === 0n) return NOTHING;
    const moved = this.#scaled.with(from.index, scaledIn);
    const left = findStableBalance(moved, to.index, { total: this.#total, amp: this.#amp });
    const paid = left === null ? -1n : to.scaled - left - 1n;
    // The contract reverts if nothing is left to pay.
    if (left === null || paid < 0n) return NOTHING;
    const rate = this.#findFee((from.scaled + scaledIn) / 2n, (to.scaled + left) / 2n);
    if (rate === null) return NOTHING;
    const fee = (paid * rate) / FEE_UNIT;
    return {
      amountIn,
      amountOut: ((paid - fee) * E18) / to.rate,
      feeAmount: (amountIn * rate) / FEE_UNIT,
      isFilled: true,
      ticksCrossed: 0,
      adminPart: (((fee * ADMIN_FEE) / FEE_UNIT) * E18) / to.rate,
    };
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const { from, to } = this.#sideOf(zeroForOne);
    const wanted = (amountOut * to.rate) / E18;
    const gross = (wanted * FEE_UNIT) / (FEE_UNIT - this.#pool.fee) + 1n;
    if (this.#total === null || gross >= to.scaled || from.rate === 0n) return NOTHING;
    const moved = this.#scaled.with(to.index, to.scaled - gross);
    const needed = findStableBalance(moved, from.index, { total: this.#total, amp: this.#amp });
    if (needed === null) return NOTHING;
    const guess = needed > from.scaled ? ((needed - from.scaled) * E18) / from.rate : 1n;
    return findInputNear(guess, amountOut, (amountIn) => this.swapIn(zeroForOne, amountIn));
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const { from, to } = this.#sideOf(zeroForOne);
    const { balances } = this.#pool;
    const after = balances
      .with(from.index, (balances[from.index] ?? 0n) + swap.amountIn)
      .with(to.index, (balances[to.index] ?? 0n) - swap.amountOut - swap.adminPart);
    return { swap, after: new StableSwapPool({ ...this.#pool, balances: after }) };
  }

  /** The fee grows away from balance, so the pieces pay more than the pool there. */
  stretches(zeroForOne: boolean): Stretches {
    const keptOut = 1 - Number(this.#pool.fee) / Number(FEE_UNIT);
    return buildCurveStretches(this.toSmoothCurve(zeroForOne), { keptIn: 1, keptOut });
  }

  takesAtMost(zeroForOne: boolean): number {
    const { from } = this.#sideOf(zeroForOne);
    if (from.rate === 0n) return 0;
    return (Number((1n << BALANCE_BITS) - from.scaled) / Number(from.rate)) * 1e18 * MARGIN + 1;
  }

  withFees({ zeroForOne }: DirectionFees): StableSwapPool {
    return new StableSwapPool({ ...this.#pool, fee: BigInt(zeroForOne) * FEE_PER_PIP });
  }

  toPlain(): PlainStableSwap {
    return this.#pool;
  }

  /** Without fees. The balance of the output is the root of a quadratic equation. */
  toSmoothCurve(zeroForOne: boolean): SmoothCurve {
    const { from, to } = this.#sideOf(zeroForOne);
    const total = Number(this.#total ?? 0n);
    const amp = Number(this.#amp) / Number(AMP_PRECISION);
    const others = this.#scaled.filter((_, at) => at !== from.index && at !== to.index).map(Number);
    const count = others.length + 2;
    const [rateIn, rateOut] = [Number(from.rate) / 1e18, Number(to.rate) / 1e18];
    const sumOfOthers = others.reduce((sum, balance) => sum + balance, 0);
    return {
      scale: Number(this.#pool.balances[from.index] ?? 0n),
      rateAfter(amountIn) {
        const x = Number(from.scaled) + amountIn * rateIn;
        let bend = total;
        for (const balance of [x, ...others]) bend *= total / (balance * count);
        const c = (bend * total) / (amp * count);
        const b = x + sumOfOthers + total / amp - total;
        const root = Math.sqrt(b * b + 4 * c);
        const y = b > 0 ? (2 * c) / (b + root) : (root - b) / 2;
        const whole = (bend * total) / (y * count);
        return (((amp + whole / x) / (amp + whole / y)) * rateIn) / rateOut;
      },
    };
  }

  #sideOf(zeroForOne: boolean) {
    const { index0, index1, rates } = this.#pool;
    const toCoin = (index: number) => ({
      ...{ index, scaled: this.#scaled[index] ?? 0n, rate: rates[index] ?? 0n },
    });
    const [coin0, coin1] = [toCoin(index0), toCoin(index1)];
    return zeroForOne ? { from: coin0, to: coin1 } : { from: coin1, to: coin0 };
  }

  /** The fee at the mean balances of a swap; null if the contract's product overflows. */
  #findFee(meanIn: bigint, meanOut: bigint): bigint | null {
    const { fee, offpegMultiplier } = this.#pool;
    if (offpegMultiplier <= FEE_UNIT) return fee;
    const product = (offpegMultiplier - FEE_UNIT) * 4n * meanIn * meanOut;
    if (product > UINT256_MAX) return null;
    return (offpegMultiplier * fee) / (product / (meanIn + meanOut) ** 2n + FEE_UNIT);
  }
}
