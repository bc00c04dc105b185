// What every kind of pool can do once it is in memory: swap, and tell what routing asks about it.

import type { Ratio } from '../lib/decimal.ts';
import type { TickTable } from './concentrated/tick-table.ts';
import type { SwapOutcome } from './swap-outcome.ts';

/** Fees in pips, a protocol's share included. */
export interface DirectionFees {
  readonly zeroForOne: number;
  readonly oneForZero: number;
}

/** A piece of a curve: where it begins, and its Λ (see `Stretches`). */
export interface Stretch {
  u: number;
  depth: number;
}

/**
 * A pool's curve in floating point, as pieces. Let u be the square root of what the next unit out
 * costs, fee included. Within a piece the pool takes Λ·Δu for a move of u and pays Λ·(1/u − 1/u').
 * Without the contracts' roundings the pieces pay more than the pool, or less by a millionth.
 */
export interface Stretches {
  /** Writes the next piece; false where there is none. The last one has no end. */
  next(stretch: Stretch): boolean;
}

interface MovedPool {
  readonly swap: SwapOutcome;
  /** The pool as the swap leaves it. */
  readonly after: SwapPool;
}

/** Immutable. Amounts are exact to the unit; `depth` and `stretches` only guide the search. */
export interface SwapPool {
  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome;
  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome;
  swapAndMove(zeroForOne: boolean, amountIn: bigint): MovedPool;
  feePips(zeroForOne: boolean): number;
  /** What a unit in is worth in units out, without any fee. */
  midPrice(zeroForOne: boolean): Ratio;
  /** How deep it is at its price; comparable between pools of one pair. */
  readonly depth: number;
  stretches(zeroForOne: boolean): Stretches;
  /** Never less than it can take; as soon as that is more than `enough`, anything above it. */
  takesAtMost(zeroForOne: boolean, enough: number): number;
  /** The same pool with other fees. */
  withFees(fees: DirectionFees): SwapPool;
  /** Its ticks, which outlive most of its states; null for a kind without any. */
  readonly ticks: TickTable | null;
  /** The rest, as data that another thread can be sent; its kind makes the pool of it again. */
  toPlain(): object;
}
