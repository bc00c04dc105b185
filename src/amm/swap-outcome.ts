// The result of a swap, for any kind of pool.

export interface SwapOutcome {
  /** What the pool takes; less than offered if it runs out of liquidity. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The part of `amountIn` that is fee, including the protocol's share. */
  readonly feeAmount: bigint;
  /** False if the pool could not take or pay the whole amount. */
  readonly isFilled: boolean;
  /** Initialised ticks crossed; 0 if the pool has none. */
  readonly ticksCrossed: number;
}
