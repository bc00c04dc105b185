// What a chain adapter tells the ingest pipeline: the few plain facts that markets are made of.
//
// Addresses are lower-case hex inside the service and checksummed only where they leave it.
// Amounts are bigint. Token order (0, 1) is the pool's own.

import type { PoolChange, PoolDescription } from './pool.ts';

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

/** Where in its block an event happened, and who sent the transaction. */
interface EventOrigin {
  readonly txHash: string;
  readonly logIndex: number;
  /** The transaction's sender. */
  readonly wallet: Address;
}

export interface PoolCreatedEvent {
  readonly kind: 'poolCreated';
  readonly description: PoolDescription;
  /** False when the pool was met mid-life, so that its ticks are not all known. */
  readonly complete: boolean;
}

/** A pool changed other than by a swap: its reserves, its positions, its fees. */
export interface PoolChangedEvent {
  readonly kind: 'poolChanged';
  readonly pool: PoolId;
  readonly change: PoolChange;
}

export interface SwapEvent extends EventOrigin {
  readonly kind: 'swap';
  readonly pool: PoolId;
  /** Signed from the pool's side: positive came in, negative went out. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** What else the event tells of the pool; null where other events do. */
  readonly change: PoolChange | null;
}

/** An ERC-20 transfer; a wrapped coin's deposit and withdrawal are told as mint and burn. */
export interface TransferEvent {
  readonly kind: 'transfer';
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
}

export type MarketEvent = PoolCreatedEvent | PoolChangedEvent | SwapEvent | TransferEvent;

/** One block's events in the order of its log. */
export interface BlockEvents {
  readonly header: BlockHeader;
  readonly events: readonly MarketEvent[];
}

/** What a token's contract says of itself, read at discovery and cleaned for display. */
export interface TokenMetadata {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
