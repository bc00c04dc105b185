// A concentrated-liquidity pool (Uniswap V3 and V4) in memory: its swaps, exact to the unit.

import type { SwapOutcome } from '../swap-outcome.ts';
import { toTick } from '../tick-at-sqrt-price.ts';
import type { DirectionFees } from './swap-fee.ts';
import { type LadderSwap, SwapLadder } from './swap-ladder.ts';
import type { TickTable } from './tick-table.ts';

export interface ConcentratedState {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
}

export interface ConcentratedTerms {
  readonly tickSpacing: number;
  readonly fees: DirectionFees;
  readonly ticks: TickTable;
}

export interface ConcentratedSwap extends SwapOutcome {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  /** Null where the price ended between two stops, so that its tick must be looked up. */
  readonly tick: number | null;
}

/** Immutable, apart from the ladders that it keeps from one swap to the next. */
export class ConcentratedPool {
  readonly state: ConcentratedState;
  readonly terms: ConcentratedTerms;
  #down: SwapLadder | null = null;
  #up: SwapLadder | null = null;

  constructor(state: ConcentratedState, terms: ConcentratedTerms) {
    this.state = state;
    this.terms = terms;
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): ConcentratedSwap {
    return this.#toLadder(zeroForOne).swapIn(amountIn);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): ConcentratedSwap {
    return this.#toLadder(zeroForOne).swapOut(amountOut);
  }

  /** The pool as a swap leaves it. */
  toPoolAfter(swap: ConcentratedSwap): ConcentratedPool {
    return new ConcentratedPool(toStateAfter(swap), this.terms);
  }

  #toLadder(zeroForOne: boolean): SwapLadder {
    const known = zeroForOne ? this.#down : this.#up;
    if (known !== null) return known;
    const { tickSpacing, fees, ticks } = this.terms;
    const feePips = zeroForOne ? fees.zeroForOne : fees.oneForZero;
    const ladder = new SwapLadder(this.state, { zeroForOne, feePips, tickSpacing, ticks });
    if (zeroForOne) this.#down = ladder;
    else this.#up = ladder;
    return ladder;
  }
}

export function toStateAfter(swap: LadderSwap): ConcentratedState {
  const { sqrtPriceX96, liquidity } = swap;
  return { sqrtPriceX96, liquidity, tick: swap.tick ?? toTick(sqrtPriceX96) };
}
