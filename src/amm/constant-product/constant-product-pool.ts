// Constant-product pools (Uniswap V2 and its forks), exactly as their routers compute them.
//
// Fees are in pips for every fork. 997/1000 and 997000/1000000 are the same number, so the
// quotients round as in the router, whatever denominator a fork uses.

import { computeSquareRoot } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { searchLargest } from '../search-swap.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';

const PIPS = 1_000_000n;

/** A pair stores its reserves in 112 bits and reverts on overflow. */
const RESERVE_MAX = 2n ** 112n - 1n;

/** Far more than the error of a conversion to floating point. */
const MARGIN = 1 + 1e-6;

interface Reserves {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export interface PlainPair extends Reserves {
  readonly feePips: number;
}

interface ProductSwap extends SwapOutcome {
  readonly after: Reserves;
}

export class ConstantProductPool implements SwapPool {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly ticks = null;
  readonly #feePips: number;
  readonly #keptPips: bigint;

  constructor(reserves: Reserves, feePips: number) {
    this.reserve0 = reserves.reserve0;
    this.reserve1 = reserves.reserve1;
    this.#feePips = feePips;
    this.#keptPips = PIPS - BigInt(feePips);
  }

  /** How much the pair can take before its reserves overflow. */
  takesAtMost(zeroForOne: boolean): number {
    return Number(RESERVE_MAX - (zeroForOne ? this.reserve0 : this.reserve1)) * MARGIN;
  }

  toPlain(): PlainPair {
    return { reserve0: this.reserve0, reserve1: this.reserve1, feePips: this.#feePips };
  }

  get depth(): number {
    return Math.sqrt(Number(this.reserve0) * Number(this.reserve1));
  }

  feePips(): number {
    return this.#feePips;
  }

  midPrice(zeroForOne: boolean): Ratio {
    return zeroForOne
      ? { numerator: this.reserve1, denominator: this.reserve0 }
      : { numerator: this.reserve0, denominator: this.reserve1 };
  }

  stretches(zeroForOne: boolean): Stretches {
    const reserveIn = Number(zeroForOne ? this.reserve0 : this.reserve1);
    const reserveOut = Number(zeroForOne ? this.reserve1 : this.reserve0);
    const kept = Number(this.#keptPips) / Number(PIPS);
    let isGiven = false;
    return {
      next(stretch) {
        if (isGiven) return false;
        isGiven = true;
        stretch.u = Math.sqrt(reserveIn / (kept * reserveOut));
        stretch.depth = Math.sqrt((reserveIn * reserveOut) / kept);
        return true;
      },
    };
  }

  /** A pair has one fee for both directions. */
  withFees({ zeroForOne }: DirectionFees): ConstantProductPool {
    return new ConstantProductPool(this, zeroForOne);
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    return { swap, after: new ConstantProductPool(swap.after, this.#feePips) };
  }

  /** Takes the whole input, or nothing if the pair's reserves would overflow. */
  swapIn(zeroForOne: boolean, amountIn: bigint): ProductSwap {
    const reserveIn = zeroForOne ? this.reserve0 : this.reserve1;
    const reserveOut = zeroForOne ? this.reserve1 : this.reserve0;
    if (reserveIn === 0n || reserveOut === 0n || amountIn > RESERVE_MAX - reserveIn) {
      return this.#buildOutcome(zeroForOne, { amountIn: 0n, amountOut: 0n, isFilled: false });
    }
    const kept = amountIn * this.#keptPips;
    const amountOut = (kept * reserveOut) / (reserveIn * PIPS + kept);
    return this.#buildOutcome(zeroForOne, { amountIn, amountOut, isFilled: true });
  }

  /** The smallest input that buys `amountOut`; nothing if the pair does not have it. */
  swapOut(zeroForOne: boolean, amountOut: bigint): ProductSwap {
    const reserveIn = zeroForOne ? this.reserve0 : this.reserve1;
    const reserveOut = zeroForOne ? this.reserve1 : this.reserve0;
    const nothing = { amountIn: 0n, amountOut: 0n, isFilled: false };
    if (reserveIn === 0n || amountOut >= reserveOut || this.#keptPips <= 0n) {
      return this.#buildOutcome(zeroForOne, nothing);
    }
    const divisor = (reserveOut - amountOut) * this.#keptPips;
    const amountIn = (reserveIn * amountOut * PIPS) / divisor + 1n;
    if (amountIn > RESERVE_MAX - reserveIn) return this.#buildOutcome(zeroForOne, nothing);
    return this.#buildOutcome(zeroForOne, { amountIn, amountOut, isFilled: true });
  }

  swapToPrice(zeroForOne: boolean, priceMin: Ratio): ProductSwap {
    const reserveIn = zeroForOne ? this.reserve0 : this.reserve1;
    const reserveOut = zeroForOne ? this.reserve1 : this.reserve0;
    const { numerator, denominator } = priceMin;
    const room = RESERVE_MAX - reserveIn;
    // The pair rounds what it pays down, which keeps its price up: it may take a little more.
    const amountIn = searchLargest(
      this.#estimateTaken(reserveIn, reserveOut, priceMin),
      (amount) => {
        const left = reserveOut - this.swapIn(zeroForOne, amount).amountOut;
        return amount <= room && left * denominator >= numerator * (reserveIn + amount);
      },
    );
    return this.swapIn(zeroForOne, amountIn);
  }

  /**
   * Without rounding. With the share k that the fee leaves, the price after a swap of `a` is
   * in·out / ((in + k·a)·(in + a)), so the root of a quadratic equation is the amount.
   */
  #estimateTaken(reserveIn: bigint, reserveOut: bigint, priceMin: Ratio): bigint {
    const kept = this.#keptPips;
    const product = (reserveIn * reserveOut * priceMin.denominator) / priceMin.numerator;
    const excess = product - reserveIn * reserveIn;
    if (excess <= 0n) return 0n;
    const half = (PIPS + kept) * reserveIn;
    const root = computeSquareRoot(half * half + 4n * kept * PIPS * excess) - half;
    const taken = kept > 0n ? root / (2n * kept) : excess / reserveIn;
    const room = RESERVE_MAX - reserveIn;
    if (taken > room) return room;
    return taken;
  }

  #buildOutcome(
    zeroForOne: boolean,
    swap: { readonly amountIn: bigint; readonly amountOut: bigint; readonly isFilled: boolean },
  ): ProductSwap {
    const { amountIn, amountOut, isFilled } = swap;
    const after = zeroForOne
      ? { reserve0: this.reserve0 + amountIn, reserve1: this.reserve1 - amountOut }
      : { reserve0: this.reserve0 - amountOut, reserve1: this.reserve1 + amountIn };
    const feeAmount = amountIn - (amountIn * this.#keptPips) / PIPS;
    return { amountIn, amountOut, feeAmount, isFilled, ticksCrossed: 0, after };
  }
}
