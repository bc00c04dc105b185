// Messages between the indexer's thread and the main thread.

import type { ChainSource } from '../chains/family.ts';
import type { Config } from '../config.ts';
import type { ConfiguredScopes } from '../engines/chain-scopes.ts';
import type { AdoptionStatus } from '../ingest/adopt/pool-adopter.ts';
import type { BackfillProgress } from '../ingest/backfill/backfiller.ts';
import type { LookupStatus } from '../ingest/demand/token-lookups.ts';
import type { IndexerStatus } from '../ingest/follow/indexer.ts';
import type { EncodedBatch } from '../live/encode-batch.ts';
import type { PoolDemand } from '../model/adoption.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { EndpointState } from '../model/chain-source-state.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { LookupOutcome } from '../model/lookup-outcome.ts';
import type { MethodUsage } from '../model/rpc-usage.ts';
import type { UndecodedCount } from '../model/undecoded-count.ts';
import type { StoreFault } from '../store/store-error.ts';

export interface IndexerThreadInput {
  readonly store: Config['store'];
  readonly indexing: Config['indexing'];
  readonly scopes: ConfiguredScopes;
  /** How long rollback records are kept. */
  readonly rollbacksKeptMs: number;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly leaseMs: number;
  /** The chains that this process may index. */
  readonly sources: readonly ChainSource[];
  /** For each source the health of its endpoints, shared with the main thread. */
  readonly memories: readonly SharedArrayBuffer[];
}

/** The last report of one chain's indexer. */
export interface ChainReport {
  readonly status: IndexerStatus;
  /** What the operator's file says of the chain and the chain does not confirm. */
  readonly problems: readonly string[];
  readonly blocksTotal: number;
  readonly tradesTotal: number;
  readonly reorganisationsTotal: number;
  /** Swaps that no venue claims. */
  readonly swapsUnclaimed: number;
  /** Calls of venues' programs that are not decoded. */
  readonly undecoded: readonly UndecodedCount[];
  readonly rpcRequests: number;
  readonly rpcFailures: number;
  /** What this thread's calls took since its start. */
  readonly usage: readonly MethodUsage[];
  readonly endpoints: readonly EndpointState[];
  /** Of the indexer, or of an endpoint that is not healthy; safe to show. */
  readonly lastError: string | null;
  /** What endpoints cannot do. */
  readonly limitations: readonly string[];
  /** Why the chain is read more slowly than possible; null if it is not. */
  readonly slowed: string | null;
  /** Null if pools are not adopted. */
  readonly adoption: AdoptionStatus | null;
  /** Null if history is not filled in. */
  readonly backfill: BackfillProgress | null;
  /** Null if tokens cannot be looked up. */
  readonly lookups: LookupStatus | null;
}

export type IndexerMessage =
  /** Of the chains that this process indexes now. */
  | { readonly type: 'reports'; readonly reports: readonly ChainReport[] }
  | { readonly type: 'committed'; readonly batch: EncodedBatch }
  | {
      readonly type: 'log';
      readonly level: 'info' | 'warn';
      readonly fields: object;
      readonly message: string;
    }
  /** A fault of the thread's own store connection. */
  | { readonly type: 'storeFault'; readonly fault: StoreFault; readonly message: string }
  | {
      readonly type: 'lookedUp';
      readonly chain: ChainSlug;
      readonly token: Address;
      readonly outcome: LookupOutcome;
    }
  | { readonly type: 'timing'; readonly operation: string; readonly ms: number };

export type IndexerCommand =
  | { readonly type: 'stop' }
  /** Pools that a client requested. */
  | {
      readonly type: 'adopt';
      readonly chain: ChainSlug;
      readonly pools: readonly PoolId[];
      readonly demand?: PoolDemand;
    }
  /** A token that a client requested. */
  | {
      readonly type: 'backfill';
      readonly chain: ChainSlug;
      readonly token: Address;
      /** The client's address group. */
      readonly caller: string;
    }
  /** A token that a client requested; the answer is `lookedUp`. */
  | {
      readonly type: 'lookUp';
      readonly chain: ChainSlug;
      readonly token: Address;
      /** The client, for its turn in the queue; null if nobody waits. */
      readonly caller: string | null;
    };
