// What every kind of pool can do in memory: swap, and answer the questions of routing.

import type { Ratio } from '../lib/decimal.ts';
import type { PoolMoment } from './pool-moment.ts';
import type { SwapOutcome } from './swap-outcome.ts';
import type { TickList } from './tick-list.ts';

/** Fees in pips, including the protocol's share. */
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
 * A pool's curve in floating point, as pieces. Let u be the square root of the marginal cost of the
 * output, fee included. Within a piece the pool takes Λ·Δu for a change of u and pays Λ·(1/u −
 * 1/u'). Because contracts round, the pieces pay more than the pool, or at most a millionth less.
 */
export interface Stretches {
  /** Writes the next piece; false if there is none. The last one has no end. */
  next(stretch: Stretch): boolean;
}

interface MovedPool {
  readonly swap: SwapOutcome;
  /** The pool after the swap. */
  readonly after: SwapPool;
}

/** What tokens themselves deduct from the transfers of a swap. */
export interface TransferParts {
  /** Of the input, in its units. */
  readonly inRaw: bigint;
  /** Of the output, in its units. */
  readonly outRaw: bigint;
}

/** Immutable. Amounts are exact to the unit; `depth` and `stretches` only guide the search. */
export interface SwapPool {
  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome;
  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome;
  swapAndMove(zeroForOne: boolean, amountIn: bigint): MovedPool;
  /**
   * The largest swap after which `midPrice(zeroForOne)` is at least `priceMin`, or as much as the
   * pool can take. Absent for a kind without a formula: `search-swap.ts` finds it by quotes.
   */
  swapToPrice?(zeroForOne: boolean, priceMin: Ratio): SwapOutcome;
  feePips(zeroForOne: boolean): number;
  /** The value of a unit in, in units out, without fees. */
  midPrice(zeroForOne: boolean): Ratio;
  /** How deep it is at its price; comparable between pools of one pair. */
  readonly depth: number;
  stretches(zeroForOne: boolean): Stretches;
  /** Never less than it can take; may be any value above `enough` once that is exceeded. */
  takesAtMost(zeroForOne: boolean, enough: number): number;
  /** Whether it swaps like a stable pair, where a kind has both; null if not known. */
  readonly isStable?: boolean | null;
  /** The same pool in another block; absent if its swaps do not depend on the time. */
  at?(moment: PoolMoment): SwapPool;
  /** For a pool of tokens with transfer fees, whose amounts are those of the wallet. */
  splitTransfers?(
    zeroForOne: boolean,
    swap: Pick<SwapOutcome, 'amountIn' | 'amountOut'>,
  ): TransferParts;
  /** The same pool with other fees. */
  withFees(fees: DirectionFees): SwapPool;
  /** Its ticks, which outlive most of its states; null for a kind without ticks. */
  readonly ticks: TickList | null;
  /** The rest, as data that can be sent to another thread; its kind restores the pool from it. */
  toPlain(): object;
}
