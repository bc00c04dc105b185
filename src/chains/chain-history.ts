// What backfill needs from a chain: the events of chosen pools and tokens in old blocks.

import type { MarketEvent, TransferEvent } from '../model/block-events.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { Address } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';

/** The events of one log, at its place in the block. */
export interface HistoryLog {
  readonly logIndex: number;
  readonly events: readonly MarketEvent[];
}

export interface HistoryBlock {
  /** With `detail: 'states'` only its position is certain; the time may be 0. */
  readonly header: BlockHeader;
  /** Ascending. */
  readonly logs: readonly HistoryLog[];
}

export interface PoolEventsQuery {
  readonly pools: readonly PoolDescription[];
  readonly fromBlock: number;
  readonly toBlock: number;
  /**
   * `trades`: with times and senders, and with every other swap of the same transactions, because a
   * trade's id counts them. `states`: only what changes the pools; senders are not read.
   */
  readonly detail: 'trades' | 'states';
}

export interface PoolEventsReading {
  /** Blocks with events of the pools, ascending. */
  readonly blocks: readonly HistoryBlock[];
  /** The oldest covered block: the requested one, or a later one if that was too much at once. */
  readonly fromBlock: number;
  readonly callCount: number;
  /** If logs and receipts came from an archive: which. */
  readonly archive?: string;
}

export interface TransfersQuery {
  readonly token: Address;
  readonly fromBlock: number;
  readonly toBlock: number;
}

export interface TransfersReading {
  /** In chain order. */
  readonly transfers: readonly { readonly block: number; readonly event: TransferEvent }[];
  /** The newest covered block: the requested one, or an earlier one. */
  readonly toBlock: number;
  readonly callCount: number;
}

/** No node has what was asked for (any more); asking again does not help. */
export class HistoryUnavailableError extends Error {
  override readonly name = 'HistoryUnavailableError';
}

/** Every method throws `HistoryUnavailableError` if no node has the blocks or their receipts. */
export interface ChainHistory {
  /** The newest part of the range that can be read at once. All blocks must be final. */
  readPoolEvents(query: PoolEventsQuery, signal?: AbortSignal): Promise<PoolEventsReading>;
  /** The oldest part of the range that can be read at once. */
  readTransfers(query: TransfersQuery, signal?: AbortSignal): Promise<TransfersReading>;
  /**
   * The first block at which the contract exists, or a later one than `toBlock` if it does not
   * exist there; null if no node has states that are old enough.
   */
  findFirstBlock(
    contract: Address,
    toBlock: number,
    signal?: AbortSignal,
  ): Promise<{ readonly block: number | null; readonly callCount: number }>;
}
