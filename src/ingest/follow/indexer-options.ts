// The settings of an indexer.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Backoff, Random, Sleep } from '../../lib/retry.ts';
import type { MarketStore } from '../../store/store.ts';
import type { CommittedEvent } from '../commit/commit-batch.ts';
import type { RetentionDays } from '../commit/row-retention.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import type { StateLimits } from '../state/market-state.ts';

interface IndexerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface IndexerOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketStore;
  /** The first block to index, if the store does not have the chain yet. */
  readonly startBlock: number;
  readonly pollIntervalMs: number;
  readonly sizes: ReadSizes;
  readonly backoff: Backoff;
  /** After this many consecutive failures the state is `failed`; it still retries. */
  readonly failureCountMax: number;
  /** Without progress for this long, although there is work, the state is `stalled`. */
  readonly stallAfterMs: number;
  /** A head that does not move for this long is `stalled` too; null for a chain that may pause. */
  readonly headStallAfterMs: number | null;
  readonly limits?: StateLimits;
  /** How long rollback records are kept; a day by default. */
  readonly rollbacksKeptMs?: number;
  /** How pools that are older than the index are adopted; off by default. */
  readonly adoption?: {
    /** Average requests to the node per minute. */
    readonly callsPerMinute: number;
    readonly idleMs?: number;
  };
  /** How the history of tokens from before the index is filled in; off by default. */
  readonly backfill?: {
    /** Average requests to the node per minute. */
    readonly callsPerMinute: number;
    /** The maximum number of tokens that wait or are being read. */
    readonly tokensMax: number;
    readonly idleMs?: number;
  };
  /** How long trades and fine candles are kept; forever by default. */
  readonly retention?: RetentionDays | undefined;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: IndexerLog;
  /** Called for every commit and rollback, in order, afterwards. */
  readonly onCommitted: (event: CommittedEvent) => void;
}

export const DEFAULT_INDEXER_OPTIONS = {
  pollIntervalMs: 1000,
  sizes: { blockCountMax: 5000, eventCountMax: 20_000 },
  backoff: { baseMs: 250, maxMs: 30_000 },
  failureCountMax: 5,
  stallAfterMs: 60_000,
  headStallAfterMs: 300_000,
} as const;
