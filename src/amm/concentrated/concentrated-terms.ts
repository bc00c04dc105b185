// The fixed terms and the changing state of a concentrated-liquidity pool.

import type { DirectionFees } from '../swap-pool.ts';
import type { TickList } from './tick-list.ts';

export interface ConcentratedState {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
}

export interface ConcentratedTerms {
  readonly tickSpacing: number;
  readonly fees: DirectionFees;
  readonly ticks: TickList;
}
