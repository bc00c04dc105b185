// The events that a chain adapter passes to ingest.
//
// Amounts are bigint. Token order (0, 1) is the pool's own.

import type { BlockHeader } from './block-header.ts';
import type { Address, PoolId, TransactionId } from './ids.ts';
import type { PoolChange, PoolDescription } from './pool.ts';

/** Where in its block an event happened, and who sent the transaction. */
interface EventOrigin {
  readonly txHash: TransactionId;
  readonly logIndex: number;
  /** The transaction's sender. */
  readonly wallet: Address;
}

export interface PoolCreatedEvent {
  readonly kind: 'poolCreated';
  readonly description: PoolDescription;
  /** False if the pool was discovered after its creation, so that not all its ticks are known. */
  readonly complete: boolean;
  /** Whether this block created it, although not all of its state can be known. */
  readonly isBirth?: boolean;
}

/** A pool changed without a swap: its reserves, its positions, its fees. */
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
  /** Its index among the transaction's swaps; absent if none of them is left out here. */
  readonly index?: number;
  /** The other changes in the event; null if separate events have them. */
  readonly change: PoolChange | null;
}

/** An ERC-20 transfer; deposits and withdrawals of a wrapped coin appear as mint and burn. */
export interface TransferEvent {
  readonly kind: 'transfer';
  readonly token: Address;
  /** Null if it was minted. */
  readonly from: Address | null;
  /** Null if it was burned. */
  readonly to: Address | null;
  readonly amountRaw: bigint;
  /** Only some transfers of the token were read, so that its holders are not complete. */
  readonly isSample?: boolean;
}

export type MarketEvent = PoolCreatedEvent | PoolChangedEvent | SwapEvent | TransferEvent;

/** One block's events in log order. */
export interface BlockEvents {
  readonly header: BlockHeader;
  readonly events: readonly MarketEvent[];
}
