// Who indexes a chain, when several processes share a store.
//
// A lease lasts a few seconds, by the database's clock, and its holder renews it. Whoever takes it
// next gets a higher token, and the transactions of a lower one are refused (`MarketStore.fence`):
// a holder that was suspended, or cut off, cannot write when it comes back.

import type { ChainSlug } from '../model/chain.ts';

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
