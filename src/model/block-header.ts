// Where a block stands in its chain.

export interface BlockHeader {
  /**
   * Where the block stands in its chain: a block number, or a slot on Solana. Positions ascend and
   * may have gaps, since a slot may be skipped.
   */
  readonly position: number;
  readonly hash: string;
  /** The position of the block before; -1 for a chain's first block. */
  readonly parentPosition: number;
  readonly parentHash: string;
  /** Block times may stand still, and on some chains step back: order by position, not by time. */
  readonly timestampMs: number;
}
