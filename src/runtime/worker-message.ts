// Messages between the supervisor and the workers that serve its port (`WORKERS`). What else they
// share is in the store.

import type { LedgerEntry, LedgerReply, StreamClaim } from '../access/limits/limit-ledger.ts';
import type { Store } from '../store/store.ts';
import type { MetricsReading } from '../telemetry/metrics.ts';

/** What a worker is to do. */
export interface WorkerTask {
  /** Whether it starts before the others, because it upgrades the store. */
  readonly isFirst: boolean;
  /** Whether it replaces one that served: then it serves once it can answer everything. */
  readonly isReplacement: boolean;
}

/** What a worker asks about limits over all workers: as `LimitLedger` does. */
export interface Questions {
  readonly budgets: {
    readonly ask: readonly LedgerEntry[];
    readonly answer: readonly LedgerReply[];
  };
  readonly stream: { readonly ask: StreamClaim; readonly answer: boolean };
}

type Question = {
  [Of in keyof Questions]: { readonly of: Of; readonly ask: Questions[Of]['ask'] };
}[keyof Questions];

export type WorkerMessage =
  /** It listens to the supervisor, which sends nothing before. */
  | { readonly type: 'ready' }
  /** The store is open and upgraded: the other workers may start. */
  | { readonly type: 'opened' }
  | { readonly type: 'serving'; readonly url: string; readonly engine: Store['engine'] }
  /** It cannot serve, for this reason. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Another process uses what only one may: all workers should stop. */
  | { readonly type: 'conflict'; readonly reason: string }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  /** As `LimitLedger.putStreams`. */
  | { readonly type: 'streams'; readonly counts: ReadonlyMap<string, number> }
  | { readonly type: 'metrics'; readonly id: number; readonly reading: MetricsReading };

export type PrimaryMessage =
  | ({ readonly type: 'begin' } & WorkerTask)
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'readMetrics'; readonly id: number }
  | { readonly type: 'stop' };
