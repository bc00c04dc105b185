// What a process tells the others on its store, and hears of them: through the store or, where it
// cannot, through the primary of the workers.

import type { Config } from '../config.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import { decodeBatch, type EncodedBatch, serializeBatch } from '../live/encode-batch.ts';
import type { Feed } from '../live/feed.ts';
import { LocalFeed } from '../live/local-feed.ts';
import { SharedFeed } from '../live/shared-feed.ts';
import type { FeedStore } from '../store/feed-store.ts';
import type { SignalStore } from '../store/signal-store.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ChainConnections } from './chain-connections.ts';
import type { ChainReport } from './indexer-message.ts';
import { SharedCredits } from './shared-credits.ts';
import { encodeSharedReport } from './shared-report.ts';
import type { WorkerLink } from './worker-link.ts';

/** What processes on one store share: by the store or, if it cannot, by their primary. */
export function openSharing(store: Store, link: WorkerLink | null) {
  const { leases, feed, signals } = store.feed === null && link !== null ? link : store;
  return { leases, source: feed, signals };
}

export function openFeed(source: FeedStore | null, node: string, logger: Logger): Feed {
  const onError = (error: unknown) => {
    // The outage's start and end are logged elsewhere.
    if (!isLoggedOutage(error)) logger.error({ err: error }, 'a commit could not be delivered');
  };
  if (source === null) return new LocalFeed({ onError });
  return new SharedFeed({ source, node, onError });
}

/** Null if no chain has a daily budget, or no other process counts in it. */
export function openCredits(of: {
  readonly config: Pick<Config, 'chains'>;
  readonly signals: SignalStore | null;
  readonly node: string;
  readonly connections: ChainConnections;
  readonly clock: Clock;
  readonly logger: Logger;
}): SharedCredits | null {
  const { config, signals, node, connections, clock, logger } = of;
  const isLimited = config.chains.some(({ creditsPerDay }) => creditsPerDay !== null);
  if (signals === null || !isLimited) return null;
  const onError = (error: unknown) => {
    if (!isLoggedOutage(error)) logger.warn({ err: error }, 'credits could not be shared');
  };
  const listConnected = () => connections.list();
  return new SharedCredits({ signals, node, listConnected, clock, onError });
}

/** What the indexer of this process has to tell: to its own parts, and to the other workers. */
export function createSinks(of: {
  readonly feed: Feed;
  /** Null if the store tells them. */
  readonly link: WorkerLink | null;
  readonly node: string;
  readonly clock: Clock;
}) {
  const { feed, link, node, clock } = of;
  return {
    onCommitted: (batch: EncodedBatch) => {
      if (link !== null) {
        const { chain, epoch, version } = batch;
        const commit = { chain, epoch, version, body: serializeBatch(batch) };
        link.tell({ type: 'commit', commit, origin: node });
      }
      feed.publish(decodeBatch(batch));
    },
    onReports: (reports: readonly ChainReport[]) => {
      if (link === null) return;
      for (const report of reports) {
        const { chain } = report.status;
        link.tell({ type: 'report', chain, report: encodeSharedReport(report, clock) });
      }
    },
  };
}
