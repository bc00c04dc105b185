// What operators are told about a chain's endpoints and the work on it.

import type { UndecodedCount } from './undecoded-count.ts';

export interface EndpointState {
  /** Host and index; never the URL, which may contain a secret. */
  readonly name: string;
  readonly state: 'untried' | 'healthy' | 'waiting' | 'refused';
  /** Of the last requests; null before the first answer. */
  readonly latencyMs: number | null;
  readonly failures: number;
}

export interface ChainSourceState {
  /** The chain's newest block. */
  readonly head: number | null;
  readonly endpoints: readonly EndpointState[];
  /** Of the indexer, or of an endpoint that is not healthy. */
  readonly lastError: string | null;
  /** Null if history is not filled in. */
  readonly backfill: {
    readonly waiting: number;
    readonly done: number;
    readonly failed: number;
  } | null;
  /** Calls of exchanges that are not decoded, the most frequent first. */
  readonly undecoded: readonly UndecodedCount[];
}
