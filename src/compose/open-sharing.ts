// What a process tells the others on its store, and hears of them.

import type { Config } from '../config.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import { LocalFeed } from '../live/local-feed.ts';
import { SharedFeed } from '../live/shared-feed.ts';
import { SharedCredits } from '../runtime/shared-credits.ts';
import type { FeedStore, SignalStore } from '../store/feed-store.ts';
import type { Logger } from '../telemetry/logger.ts';

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
