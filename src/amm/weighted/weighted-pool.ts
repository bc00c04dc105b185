// Two tokens of a Balancer weighted pool in memory. The pool's other tokens do not matter to their
// swaps.

import type { Ratio } from '../../lib/decimal.ts';
import { divideUp } from '../divide-up.ts';
import { buildCurveStretches, findCurveDepth, type SmoothCurve } from '../smooth-curve.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { computePower } from './fixed-power.ts';

const E18 = 10n ** 18n;
/** Fees have 18 decimals. */
export const FEE_PER_PIP = 10n ** 12n;
/** The largest relative error of a power, by which the contract rounds up, with 18 decimals. */
const POWER_ERROR = 10_000n;
/** A swap takes or pays at most this share of a balance. */
const SHARE_MAX = (3n * E18) / 10n;
const MARGIN = 1 + 1e-6;

export interface PlainWeighted {
  readonly balance0: bigint;
  readonly balance1: bigint;
  /** With 18 decimals. */
  readonly weight0: bigint;
  readonly weight1: bigint;
  readonly decimals0: number;
  readonly decimals1: number;
  /** With 18 decimals. */
  readonly swapFee: bigint;
  /** Whether exponents of 1, 2 and 4 are products, as in all pools but those of 2021. */
  readonly hasShortcuts: boolean;
}

const NOTHING = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };

function multiplyUp(a: bigint, b: bigint): bigint {
  return divideUp(a * b, E18);
}

/** Null if the contract reverts. */
function computePowerUp(base: bigint, exponent: bigint, hasShortcuts: boolean): bigint | null {
  if (hasShortcuts && exponent === E18) return base;
  if (hasShortcuts && exponent === 2n * E18) return multiplyUp(base, base);
  if (hasShortcuts && exponent === 4n * E18) {
    const square = multiplyUp(base, base);
    return multiplyUp(square, square);
  }
  const power = computePower(base, exponent);
  return power === null ? null : power + multiplyUp(power, POWER_ERROR) + 1n;
}

/** The pool as a swap in one direction sees it; balances have 18 decimals. */
interface WeightedSide {
  readonly balanceIn: bigint;
  readonly balanceOut: bigint;
  readonly weightIn: bigint;
  readonly weightOut: bigint;
  readonly scaleIn: bigint;
  readonly scaleOut: bigint;
}

export class WeightedPool implements SwapPool {
  readonly ticks = null;
  readonly #pool: PlainWeighted;

  constructor(pool: PlainWeighted) {
    this.#pool = pool;
  }

  get depth(): number {
    return findCurveDepth(this.toSmoothCurve(true));
  }

  feePips(): number {
    return Number(divideUp(this.#pool.swapFee, FEE_PER_PIP));
  }

  midPrice(zeroForOne: boolean): Ratio {
    const side = this.#sideOf(zeroForOne);
    return {
      numerator: side.balanceOut * side.weightIn * side.scaleIn,
      denominator: side.balanceIn * side.weightOut * side.scaleOut,
    };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    const side = this.#sideOf(zeroForOne);
    const { balanceIn, balanceOut, weightIn, weightOut, scaleIn, scaleOut } = side;
    const feeAmount = multiplyUp(amountIn, this.#pool.swapFee);
    const kept = (amountIn - feeAmount) * scaleIn;
    if (balanceIn === 0n || kept > (balanceIn * SHARE_MAX) / E18) return NOTHING;
    const base = divideUp(balanceIn * E18, balanceIn + kept);
    const exponent = (weightIn * E18) / weightOut;
    const power = computePowerUp(base, exponent, this.#pool.hasShortcuts);
    if (power === null) return NOTHING;
    const share = power < E18 ? E18 - power : 0n;
    const amountOut = (balanceOut * share) / E18 / scaleOut;
    return { amountIn, amountOut, feeAmount, isFilled: true, ticksCrossed: 0 };
  }

  /** As the vault computes a swap for a given output: its input may be more than is needed. */
  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const side = this.#sideOf(zeroForOne);
    const { balanceIn, balanceOut, weightIn, weightOut, scaleIn, scaleOut } = side;
    const { swapFee, hasShortcuts } = this.#pool;
    const wanted = amountOut * scaleOut;
    if (balanceIn === 0n || swapFee >= E18) return NOTHING;
    if (wanted > (balanceOut * SHARE_MAX) / E18) return NOTHING;
    const base = divideUp(balanceOut * E18, balanceOut - wanted);
    const exponent = divideUp(weightOut * E18, weightIn);
    const power = computePowerUp(base, exponent, hasShortcuts);
    if (power === null || power < E18) return NOTHING;
    const kept = divideUp(multiplyUp(balanceIn, power - E18), scaleIn);
    const amountIn = divideUp(kept * E18, E18 - swapFee);
    const feeAmount = amountIn - kept;
    return { amountIn, amountOut, feeAmount, isFilled: true, ticksCrossed: 0 };
  }

  /** The whole input and its fee stay in the balance. */
  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const { balance0, balance1 } = this.#pool;
    const after = zeroForOne
      ? { balance0: balance0 + swap.amountIn, balance1: balance1 - swap.amountOut }
      : { balance0: balance0 - swap.amountOut, balance1: balance1 + swap.amountIn };
    return { swap, after: new WeightedPool({ ...this.#pool, ...after }) };
  }

  stretches(zeroForOne: boolean): Stretches {
    const keptIn = 1 - Number(this.#pool.swapFee) / Number(E18);
    return buildCurveStretches(this.toSmoothCurve(zeroForOne), { keptIn, keptOut: 1 });
  }

  takesAtMost(zeroForOne: boolean): number {
    const { balanceIn, scaleIn } = this.#sideOf(zeroForOne);
    const kept = 1 - Number(this.#pool.swapFee) / Number(E18);
    return ((Number(balanceIn) / Number(scaleIn)) * 0.3 * MARGIN) / kept + 1;
  }

  withFees({ zeroForOne }: DirectionFees): WeightedPool {
    return new WeightedPool({ ...this.#pool, swapFee: BigInt(zeroForOne) * FEE_PER_PIP });
  }

  toPlain(): PlainWeighted {
    return this.#pool;
  }

  /** Without fees: out = B·(1 − (b/(b + in))^w), with w the ratio of the weights. */
  toSmoothCurve(zeroForOne: boolean): SmoothCurve {
    const side = this.#sideOf(zeroForOne);
    const balanceIn = Number(side.balanceIn) / Number(side.scaleIn);
    const balanceOut = Number(side.balanceOut) / Number(side.scaleOut);
    const exponent = Number(side.weightIn) / Number(side.weightOut);
    const rate = (balanceOut / balanceIn) * exponent;
    return {
      scale: balanceIn,
      rateAfter: (amountIn) => rate * (balanceIn / (balanceIn + amountIn)) ** (exponent + 1),
    };
  }

  #sideOf(zeroForOne: boolean): WeightedSide {
    const { balance0, balance1, weight0, weight1, decimals0, decimals1 } = this.#pool;
    const toToken = (balance: bigint, weight: bigint, decimals: number) => {
      const scale = 10n ** BigInt(18 - decimals);
      return { balance: balance * scale, weight, scale };
    };
    const token0 = toToken(balance0, weight0, decimals0);
    const token1 = toToken(balance1, weight1, decimals1);
    const [from, to] = zeroForOne ? [token0, token1] : [token1, token0];
    return {
      ...{ balanceIn: from.balance, weightIn: from.weight, scaleIn: from.scale },
      ...{ balanceOut: to.balance, weightOut: to.weight, scaleOut: to.scale },
    };
  }
}
