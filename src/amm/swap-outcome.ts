// What a swap comes to, whatever the kind of pool.

export interface SwapOutcome {
  /** What the pool takes; less than was offered where it runs out of liquidity. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The part of `amountIn` that is fee, the protocol's share included. */
  readonly feeAmount: bigint;
  /** False where the pool could not take or give all that was asked. */
  readonly isFilled: boolean;
  /** Initialised ticks on the way; 0 where the pool has none. */
  readonly ticksCrossed: number;
}
