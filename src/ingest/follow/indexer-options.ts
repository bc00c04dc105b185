// The settings of an indexer.

import type { Backoff } from '../../lib/retry.ts';
import type { CommittedEvent } from '../commit/commit-batch.ts';
import type { RetentionDays } from '../commit/row-retention.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import type { StateLimits } from '../state/market-state.ts';
import type { BackgroundJobsOptions } from './background-jobs.ts';

interface IndexerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface IndexerOptions extends BackgroundJobsOptions {
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
  /** How long trades and fine candles are kept; forever by default. */
  readonly retention?: RetentionDays | undefined;
  readonly log: IndexerLog;
  /** Called for every commit and rollback, in order, afterwards. */
  readonly onCommitted: (event: CommittedEvent) => void;
}

export const DEFAULT_INDEXER_OPTIONS = {
  pollIntervalMs: 1000,
  sizes: { blockCountMax: 5000, eventCountMax: 16_000 },
  backoff: { baseMs: 250, maxMs: 30_000 },
  failureCountMax: 5,
  stallAfterMs: 60_000,
  headStallAfterMs: 300_000,
} as const;
