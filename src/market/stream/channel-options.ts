// What a token's channel is made with, and what it is told.

import type { Clock } from '../../lib/clock.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { TokenEvent } from './encode-events.ts';
import type { Missed, MissedRequest, NoWay } from './read-missed.ts';
import type { StreamFilter } from './stream-filter.ts';
import type { StreamName, StreamPoint } from './stream-point.ts';

/** One commit of the chain, for this token. */
export interface ChannelStep {
  readonly checkpoint: Checkpoint;
  /** `other` if the change must be read from the store. */
  readonly kind: 'append' | 'rollback' | 'other';
  /** The token's trades that were added or, by a rollback, removed. */
  readonly trades: readonly TradeRecord[];
}

export interface ChannelOptions {
  readonly name: StreamName;
  readonly checkpoint: Checkpoint;
  readonly clock: Clock;
  readonly pageEvents: number;
  readonly read: (request: MissedRequest) => Promise<Missed | NoWay>;
  /** The last commit of the chain that this process knows. */
  readonly currentVersion: () => number;
  /** There is something to flush: now, or after this time. */
  readonly onNews: (afterMs: number) => void;
  /** The channel cannot continue, for any reader. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface ChannelState {
  readonly key: string;
  readonly event: TokenEvent;
}

/** A reader that has everything up to `point`. */
export interface Joiner {
  readonly filter: StreamFilter;
  readonly point: StreamPoint;
  /** The klines and names of its last page, as of the point; null if it read none. */
  readonly page: Pick<Missed, 'series' | 'tokens'> | null;
}
