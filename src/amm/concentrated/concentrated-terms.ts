// The fixed terms and the changing state of a concentrated-liquidity pool.

import type { DirectionFees } from '../swap-pool.ts';
import type { TickList } from '../tick-list.ts';

export interface ConcentratedState {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
}

/** Prices from the lower tick to the upper one, both included. */
export interface TickBounds {
  readonly lower: number;
  readonly upper: number;
}

export interface ConcentratedTerms {
  /**
   * The ticks that a bit of the pool's bitmap stands for. Swaps stop at the end of each word, so
   * it decides their rounding; it may be smaller than the spacing of positions. Null if swaps stop
   * at initialised ticks alone.
   */
  readonly bitmapSpacing: number | null;
  readonly fees: DirectionFees;
  readonly ticks: TickList;
  /** The range whose liquidity is known; swaps end at its edge. The whole range unless given. */
  readonly bounds?: TickBounds;
}
