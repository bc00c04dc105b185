// A concentrated-liquidity pool (Uniswap V3 and V4) in memory: its swaps, exact to the unit.

import type { Ratio } from '../../lib/decimal.ts';
import { computeSquareRoot } from '../../lib/square-root.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import type { TickList } from '../tick-list.ts';
import type { ConcentratedState, ConcentratedTerms } from './concentrated-terms.ts';
import { computeRoomInTicks } from './room-in-ticks.ts';
import { type LadderSwap, SwapLadder } from './swap-ladder.ts';
import { toTick } from './tick-at-sqrt-price.ts';
import { TickStretches } from './tick-stretches.ts';

/** 2^192: a squared square-root price has 192 fractional bits. */
const X192 = 1n << 192n;

export interface PlainRange extends Omit<ConcentratedTerms, 'ticks'> {
  readonly state: ConcentratedState;
}

interface ConcentratedSwap extends SwapOutcome {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  /** Null if the price ended between two stops, so that its tick must be computed. */
  readonly tick: number | null;
}

/** Immutable, except for the cached ladders. */
export class ConcentratedPool implements SwapPool {
  readonly state: ConcentratedState;
  readonly terms: ConcentratedTerms;
  #down: SwapLadder | null = null;
  #up: SwapLadder | null = null;

  constructor(state: ConcentratedState, terms: ConcentratedTerms) {
    this.state = state;
    this.terms = terms;
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): ConcentratedSwap {
    return this.#findLadder(zeroForOne).swapIn(amountIn);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): ConcentratedSwap {
    return this.#findLadder(zeroForOne).swapOut(amountOut);
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    return { swap, after: new ConcentratedPool(readStateAfter(swap), this.terms) };
  }

  swapToPrice(zeroForOne: boolean, priceMin: Ratio): ConcentratedSwap {
    return this.#findLadder(zeroForOne).swapToPrice(toLimit(zeroForOne, priceMin));
  }

  get depth(): number {
    return Number(this.state.liquidity);
  }

  feePips(zeroForOne: boolean): number {
    const { fees } = this.terms;
    return zeroForOne ? fees.zeroForOne : fees.oneForZero;
  }

  midPrice(zeroForOne: boolean): Ratio {
    const square = this.state.sqrtPriceX96 ** 2n;
    return zeroForOne
      ? { numerator: square, denominator: X192 }
      : { numerator: X192, denominator: square };
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    return computeRoomInTicks(this, zeroForOne, enough);
  }

  get ticks(): TickList {
    return this.terms.ticks;
  }

  toPlain(): PlainRange {
    const { ticks: _ticks, ...terms } = this.terms;
    return { ...terms, state: this.state };
  }

  stretches(zeroForOne: boolean): Stretches {
    return new TickStretches(this, zeroForOne);
  }

  withFees(fees: DirectionFees): ConcentratedPool {
    return new ConcentratedPool(this.state, { ...this.terms, fees });
  }

  #findLadder(zeroForOne: boolean): SwapLadder {
    const known = zeroForOne ? this.#down : this.#up;
    if (known !== null) return known;
    const { bitmapSpacing, ticks, bounds } = this.terms;
    const feePips = this.feePips(zeroForOne);
    const terms = { zeroForOne, feePips, bitmapSpacing, ticks, bounds };
    const ladder = new SwapLadder(this.state, terms);
    if (zeroForOne) this.#down = ladder;
    else this.#up = ladder;
    return ladder;
  }
}

/** The last square-root price at which a unit in is worth at least `priceMin` units out. */
function toLimit(zeroForOne: boolean, { numerator, denominator }: Ratio): bigint {
  if (!zeroForOne) return computeSquareRoot((X192 * denominator) / numerator);
  const square = (X192 * numerator + denominator - 1n) / denominator;
  const root = computeSquareRoot(square);
  return root * root === square ? root : root + 1n;
}

export function readStateAfter(swap: LadderSwap): ConcentratedState {
  const { sqrtPriceX96, liquidity } = swap;
  return { sqrtPriceX96, liquidity, tick: swap.tick ?? toTick(sqrtPriceX96) };
}
