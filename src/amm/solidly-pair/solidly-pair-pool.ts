// Pairs of Solidly's family in memory: Aerodrome and Velodrome V2, Camelot V2. A pair is volatile
// (constant product) or stable; its fees may differ by direction and may leave the reserves.

import type { Ratio } from '../../lib/decimal.ts';
import { findInputNear } from '../input-near.ts';
import { buildProductPieces, ListedStretches } from '../listed-stretches.ts';
import { buildCurveStretches, findCurveDepth, type SmoothCurve } from '../smooth-curve.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import {
  computeInvariant,
  type DecimalUnits,
  findReserveAfter,
  type NewtonLoop,
} from './stable-curve.ts';

const PIPS = 1_000_000n;
const E18 = 10n ** 18n;
const MARGIN = 1 + 1e-6;

export interface SolidlyTerms {
  /** `fee`: the fee is rounded first, then the output. `router`: only the output, as Uniswap. */
  readonly rounding: 'fee' | 'router';
  readonly loop: NewtonLoop;
  /** The part of the fee that leaves the reserves, while the pair is volatile or stable. */
  readonly feeLeavesPips: number;
  readonly stableFeeLeavesPips: number;
  /** In which the contract stores a reserve. */
  readonly reserveBits: number;
}

export interface PlainSolidlyPair {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly decimals0: number;
  readonly decimals1: number;
  readonly isStable: boolean;
  readonly fees: DirectionFees;
  readonly terms: SolidlyTerms;
}

/** The pair as a swap in one direction sees it. */
interface PairSide {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** 10 to the power of the decimals. */
  readonly unitIn: bigint;
  readonly unitOut: bigint;
  readonly feePips: bigint;
}

const NOTHING = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };

/** x³y + y³x in floating point, scaled so that both reserves count whole tokens. */
function createStableCurve({ reserveIn, reserveOut, unitIn, unitOut }: PairSide): SmoothCurve {
  const x0 = Number(reserveIn) / Number(unitIn);
  const y0 = Number(reserveOut) / Number(unitOut);
  const invariant = x0 * y0 * (x0 * x0 + y0 * y0);
  const solve = (x: number) => {
    let y = y0;
    for (let count = 0; count < 64; count += 1) {
      const next = y - (x * y * (x * x + y * y) - invariant) / (x ** 3 + 3 * x * y * y);
      if (Math.abs(next - y) <= y * 1e-15) return next;
      y = next;
    }
    return y;
  };
  const scale = Number(unitOut) / Number(unitIn);
  return {
    scale: Number(reserveIn),
    rateAfter(amountIn) {
      const x = x0 + amountIn / Number(unitIn);
      const y = amountIn === 0 ? y0 : solve(x);
      return (scale * (3 * x * x * y + y ** 3)) / (x ** 3 + 3 * x * y * y);
    },
  };
}

export class SolidlyPairPool implements SwapPool {
  readonly ticks = null;
  readonly #pair: PlainSolidlyPair;
  readonly #units: DecimalUnits;

  constructor(pair: PlainSolidlyPair) {
    this.#pair = pair;
    this.#units = [10n ** BigInt(pair.decimals0), 10n ** BigInt(pair.decimals1)];
  }

  get isStable(): boolean {
    return this.#pair.isStable;
  }

  get depth(): number {
    const { reserve0, reserve1, isStable } = this.#pair;
    if (isStable) return findCurveDepth(createStableCurve(this.#sideOf(true)));
    return Math.sqrt(Number(reserve0) * Number(reserve1));
  }

  feePips(zeroForOne: boolean): number {
    const { fees } = this.#pair;
    return zeroForOne ? fees.zeroForOne : fees.oneForZero;
  }

  midPrice(zeroForOne: boolean): Ratio {
    const { reserveIn, reserveOut, unitIn, unitOut } = this.#sideOf(zeroForOne);
    if (!this.#pair.isStable) return { numerator: reserveOut, denominator: reserveIn };
    const x = reserveIn * unitOut;
    const y = reserveOut * unitIn;
    return {
      numerator: (3n * x * x + y * y) * y * unitOut,
      denominator: (x * x + 3n * y * y) * x * unitIn,
    };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    const side = this.#sideOf(zeroForOne);
    const { reserveIn, reserveOut, feePips } = side;
    const { isStable, terms } = this.#pair;
    if (reserveIn === 0n || reserveOut === 0n) return NOTHING;
    if ((reserveIn + amountIn) >> BigInt(terms.reserveBits) > 0n) return NOTHING;
    const feeAmount = (amountIn * feePips) / PIPS;
    const kept = amountIn - feeAmount;
    let amountOut: bigint | null;
    if (isStable) {
      amountOut = this.#payStable(side, kept);
    } else if (terms.rounding === 'fee') {
      amountOut = (kept * reserveOut) / (reserveIn + kept);
    } else {
      const wide = amountIn * (PIPS - feePips);
      amountOut = (wide * reserveOut) / (reserveIn * PIPS + wide);
    }
    if (amountOut === null) return NOTHING;
    return { amountIn, amountOut, feeAmount, isFilled: true, ticksCrossed: 0 };
  }

  /** The routers of these venues take an input only: the smallest that pays enough. */
  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const side = this.#sideOf(zeroForOne);
    const { reserveIn, reserveOut, feePips } = side;
    if (reserveIn === 0n || amountOut >= reserveOut || feePips >= PIPS) return NOTHING;
    const kept = this.#pair.isStable
      ? this.#estimateStable(side, amountOut)
      : (reserveIn * amountOut) / (reserveOut - amountOut) + 1n;
    const guess = (kept * PIPS) / (PIPS - feePips) + 1n;
    return findInputNear(guess, amountOut, (amountIn) => this.swapIn(zeroForOne, amountIn));
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const { reserve0, reserve1, isStable, terms } = this.#pair;
    const sharePips = isStable ? terms.stableFeeLeavesPips : terms.feeLeavesPips;
    const stays = swap.amountIn - (swap.feeAmount * BigInt(sharePips)) / PIPS;
    const after = zeroForOne
      ? { reserve0: reserve0 + stays, reserve1: reserve1 - swap.amountOut }
      : { reserve0: reserve0 - swap.amountOut, reserve1: reserve1 + stays };
    return { swap, after: new SolidlyPairPool({ ...this.#pair, ...after }) };
  }

  stretches(zeroForOne: boolean): Stretches {
    const side = this.#sideOf(zeroForOne);
    const kept = { keptIn: 1 - Number(side.feePips) / Number(PIPS), keptOut: 1 };
    if (this.#pair.isStable) return buildCurveStretches(createStableCurve(side), kept);
    const [reserveIn, reserveOut] = [Number(side.reserveIn), Number(side.reserveOut)];
    return new ListedStretches(
      buildProductPieces({ reserveIn, reserveOut, held: reserveOut }, kept),
    );
  }

  takesAtMost(zeroForOne: boolean): number {
    const { reserveIn } = this.#sideOf(zeroForOne);
    return Number((1n << BigInt(this.#pair.terms.reserveBits)) - reserveIn) * MARGIN;
  }

  withFees(fees: DirectionFees): SolidlyPairPool {
    return new SolidlyPairPool({ ...this.#pair, fees });
  }

  toPlain(): PlainSolidlyPair {
    return this.#pair;
  }

  /** Its curve without fees, if it is stable. */
  toSmoothCurve(zeroForOne: boolean): SmoothCurve | null {
    return this.#pair.isStable ? createStableCurve(this.#sideOf(zeroForOne)) : null;
  }

  #payStable({ reserveIn, reserveOut, unitIn, unitOut }: PairSide, kept: bigint): bigint | null {
    const x = (reserveIn * E18) / unitIn;
    const y = (reserveOut * E18) / unitOut;
    const invariant = computeInvariant(x, y);
    const target = { x: (kept * E18) / unitIn + x, invariant, y };
    const after = findReserveAfter(target, this.#pair.terms.loop, this.#units);
    if (after === null) return null;
    return after < y ? ((y - after) * unitOut) / E18 : 0n;
  }

  /** The curve is symmetric: the reserve of the input follows from that of the output. */
  #estimateStable(side: PairSide, amountOut: bigint): bigint {
    const { reserveIn, reserveOut, unitIn, unitOut } = side;
    const x = (reserveIn * E18) / unitIn;
    const y = (reserveOut * E18) / unitOut;
    const target = {
      x: ((reserveOut - amountOut) * E18) / unitOut,
      invariant: computeInvariant(x, y),
      y: x,
    };
    const after = target.x === 0n ? null : findReserveAfter(target, 'settled', this.#units);
    return after === null || after < x ? reserveIn : ((after - x) * unitIn) / E18 + 1n;
  }

  #sideOf(zeroForOne: boolean): PairSide {
    const { reserve0, reserve1 } = this.#pair;
    const [unit0, unit1] = this.#units;
    const feePips = BigInt(this.feePips(zeroForOne));
    return zeroForOne
      ? { reserveIn: reserve0, reserveOut: reserve1, unitIn: unit0, unitOut: unit1, feePips }
      : { reserveIn: reserve1, reserveOut: reserve0, unitIn: unit1, unitOut: unit0, feePips };
  }
}
