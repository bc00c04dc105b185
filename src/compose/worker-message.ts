// Messages between the primary process and the workers that serve its port (`WORKERS`).

import type { LedgerEntry, LedgerReply, StreamClaim } from '../access/limits/limit-ledger.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { LeaseState } from '../store/lease-store.ts';
import type { Store } from '../store/store.ts';
import type { MetricsReading } from '../telemetry/metrics.ts';
import type { DevnetNews } from './run-devnet.ts';

/** What a worker is to do. */
export interface WorkerTask {
  readonly isIndexing: boolean;
  /** Whether it replaces one that served: then it serves once it can answer everything. */
  readonly isReplacement: boolean;
}

/** A commit, serialized by the worker that indexes. */
export interface WorkerCommit {
  readonly chain: ChainSlug;
  readonly epoch: string;
  readonly version: number;
  readonly body: string;
}

export interface CommitNews {
  readonly chain: ChainSlug;
  readonly version: number;
  /** The worker that committed it. */
  readonly origin: string;
}

/** The file of a search segment, and whether the worker that asked must build it first. */
export interface SegmentTurn {
  /** Null if no file can be written: each worker builds in memory. */
  readonly file: string | null;
  readonly mustBuild: boolean;
}

/** What a worker asks the primary. */
export interface Questions {
  /** Commits after a place, as in `FeedStore.readBatches`. */
  readonly batches: {
    readonly ask: {
      readonly chain: ChainSlug;
      readonly after: { readonly epoch: string | null; readonly version: number };
      readonly limit: { readonly countMax: number; readonly bytesMax: number };
    };
    readonly answer: readonly string[];
  };
  readonly leases: { readonly ask: null; readonly answer: readonly LeaseState[] };
  /** As `LimitLedger.settle`. */
  readonly budgets: {
    readonly ask: readonly LedgerEntry[];
    readonly answer: readonly LedgerReply[];
  };
  /** As `LimitLedger.takeStream`. */
  readonly stream: { readonly ask: StreamClaim; readonly answer: boolean };
  readonly segment: { readonly ask: ChainSlug; readonly answer: SegmentTurn };
}

export type Question = {
  [Of in keyof Questions]: { readonly of: Of; readonly ask: Questions[Of]['ask'] };
}[keyof Questions];

export type WorkerMessage =
  /** It listens to the primary, which sends nothing before. */
  | { readonly type: 'ready' }
  /** The store is open and upgraded: the other workers may start. */
  | { readonly type: 'opened' }
  | { readonly type: 'serving'; readonly url: string; readonly engine: Store['engine'] }
  /** It cannot serve, for this reason. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Another process uses what only one may: all workers should stop. */
  | { readonly type: 'conflict'; readonly reason: string }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  | { readonly type: 'signal'; readonly channel: string; readonly text: string }
  | { readonly type: 'commit'; readonly commit: WorkerCommit; readonly origin: string }
  | { readonly type: 'report'; readonly chain: ChainSlug; readonly report: string }
  /** As `LimitLedger.putStreams`. */
  | { readonly type: 'streams'; readonly counts: ReadonlyMap<string, number> }
  /** The segment that this worker was to build is in its file, or could not be built. */
  | { readonly type: 'built'; readonly chain: ChainSlug; readonly isBuilt: boolean }
  | { readonly type: 'metrics'; readonly id: number; readonly reading: MetricsReading };

export type PrimaryMessage =
  | ({ readonly type: 'begin' } & WorkerTask)
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'signal'; readonly channel: string; readonly text: string }
  | { readonly type: 'news'; readonly news: CommitNews }
  | { readonly type: 'devnet'; readonly news: DevnetNews }
  | { readonly type: 'readMetrics'; readonly id: number }
  | { readonly type: 'stop' };
