// What every market event names: addresses, pools, blocks, tokens.
//
// Addresses are lower-case hex inside the service and checksummed only where they leave it.

export type Address = string;

/** A pool's address, or for Uniswap V4 its 32-byte pool id. */
export type PoolId = string;

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

export interface TokenMetadata {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
