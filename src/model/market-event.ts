// What every market event names: addresses, pools, blocks, tokens.
//
// Addresses are in their stored form inside the service (lower case on EVM chains), and in the form
// that people are shown only where they leave it: an `AddressCodec` changes one into the other.

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
