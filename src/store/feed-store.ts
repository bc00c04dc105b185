// What processes on one store share through it: commits, leases, pauses, watches, signals.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { TradeRecord } from '../model/market-record.ts';

// Who indexes a chain, when several processes share a store.
//
// A lease lasts a few seconds, by the database's clock, and its holder renews it. Whoever takes it
// next gets a higher token, and the transactions of a lower one are refused (`MarketStore.fence`):
// a holder that was suspended, or cut off, cannot write when it comes back.

export interface ChainLease {
  readonly chain: ChainSlug;
  /** The name of the process that holds it. */
  readonly holder: string;
  readonly token: number;
}

/** A lease as every process sees it. */
export interface LeaseState {
  readonly chain: ChainSlug;
  readonly holder: string;
  /** What the holder reported with its last renewal; null before its first. */
  readonly report: string | null;
  /** How old that is. */
  readonly reportAgeMs: number;
  /** Whether it has expired or was released. */
  readonly isFree: boolean;
}

export interface LeaseStore {
  /** Null if another process holds it, or its last holder's transaction still runs. */
  take(
    chain: ChainSlug,
    wanted: { readonly holder: string; readonly lifeMs: number },
  ): Promise<ChainLease | null>;
  /** Extends the lease, also one that has expired; false if another process has taken it. */
  renew(
    lease: ChainLease,
    wanted: { readonly lifeMs: number; readonly report: string },
  ): Promise<boolean>;
  /** Another process may take it at once. */
  release(lease: ChainLease): Promise<void>;
  list(): Promise<LeaseState[]>;
}

// The tokens that an operator watches by command; those in the configuration are not here.

export interface WatchStore {
  /** Returns whether it was added: false if it was there. */
  add(chain: ChainSlug, token: Address, nowMs: number): Promise<boolean>;
  /** Returns whether it was there. */
  remove(chain: ChainSlug, token: Address): Promise<boolean>;
  list(chain: ChainSlug): Promise<Address[]>;
}

// Short texts between processes on the same store. They may be lost: whoever needs one asks again.

export interface SignalStore {
  /** Delivered to every process that listens on the channel, the sender included. */
  send(channel: string, text: string): Promise<void>;
  /**
   * Calls back for every text from now on; while the connection is lost there are none. The
   * returned function ends that.
   */
  listen(channel: string, onText: (text: string) => void): () => Promise<void>;
}

// Paused tokens. Changes are numbered, so that pollers read only what is new.

export interface PauseChange {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly paused: boolean;
  readonly version: number;
}

export interface PauseStore {
  /** Returns whether anything changed. */
  setPaused(change: {
    readonly chain: ChainSlug;
    readonly token: Address;
    readonly paused: boolean;
    readonly nowMs: number;
  }): Promise<boolean>;
  /** Changes after a version, ascending; version 0 is before the first. */
  readChanges(afterVersion: number): Promise<PauseChange[]>;
}

/** A commit, serialized by the caller. */
export interface FeedRow {
  readonly epoch: string;
  readonly version: number;
  readonly body: string;
}

export interface FeedStore {
  /**
   * The bodies of commits after a version, in order, of the epoch that the chain has now; from the
   * first one kept if that is another epoch than the given one. Null stands for any. A page ends
   * where it has so many commits or bytes.
   */
  readBatches(
    chain: ChainSlug,
    after: { readonly epoch: string | null; readonly version: number },
    page: { readonly countMax: number; readonly bytesMax: number },
  ): Promise<string[]>;
  /**
   * The stored trades of blocks, both ends included, in chain order. Absent if every body has its
   * trades.
   */
  readTrades?(
    chain: ChainSlug,
    blocks: { readonly fromBlock: number; readonly toBlock: number },
  ): Promise<TradeRecord[]>;
  /**
   * Calls back for every commit from now on; while the connection is lost there are none. The
   * returned function ends it.
   */
  listen(
    onNews: (news: {
      readonly chain: ChainSlug;
      readonly version: number;
      readonly origin: string;
    }) => void,
  ): () => Promise<void>;
}
