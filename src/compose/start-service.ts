// Starts the service: opens its parts one after the other, each with what those before it offer.

import { randomUUID } from 'node:crypto';
import { openPeppers } from '../access/open-peppers.ts';
import type { Config } from '../config.ts';
import { ChainConnections } from '../engines/chain-connections.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import { decodeBatch } from '../live/encode-batch.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import { openLogger } from '../runtime/open-logger.ts';
import type { WorkerLink } from '../runtime/worker-link.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { openAccess } from './open-access.ts';
import { openApi, openLookups, type Served, serveProbes } from './open-api.ts';
import type { EarlyPort } from './open-early-port.ts';
import { openLimits } from './open-limits.ts';
import { openLoggedStore } from './open-logged-store.ts';
import { openServer } from './open-server.ts';
import { openCredits, openFeed } from './open-sharing.ts';
import { openStatus } from './open-status.ts';
import { addDevnetList, openTokenLists } from './open-token-lists.ts';
import { startChains } from './start-chains.ts';

const WARM_LOOK_MS = 20;
const WARM_MAX_MS = 60_000;

interface ServiceOptions {
  readonly config: Config;
  readonly version: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** To the process that this one is a worker of; null or absent if it serves alone. */
  readonly link?: WorkerLink | null;
  /** The port of the API, if it is open already. */
  readonly earlyPort?: EarlyPort | null;
  /** Whether standard output is a terminal, for `LOG_FORMAT=auto`. */
  readonly terminal?: boolean;
}

export interface Service {
  readonly url: string;
  /** Empty of a worker: its primary serves the metrics of all. */
  readonly metricsUrl: string;
  readonly engine: Store['engine'];
  readonly logger: Logger;
  readonly chains: ChainDirectory;
  /** Resolves with the reason when the service cannot continue and should be stopped. */
  readonly failed: Promise<string>;
  /**
   * Drains: accepts no new connections; running requests finish or are cut after the grace time.
   */
  stop(): Promise<void>;
}

/** A worker that takes another's place lets the others answer until it can. */
async function untilWarm({ isWarm }: Served, { begun }: WorkerLink): Promise<void> {
  if (!(await begun).isReplacement) return;
  const abort = AbortSignal.timeout(WARM_MAX_MS);
  while (!isWarm() && !abort.aborted) await sleep(WARM_LOOK_MS);
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, version, link = null, earlyPort = null } = options;
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? openLogger(config, options);
  const metrics = new Metrics();
  metrics.collectProcess();
  link?.serveMetrics(() => metrics.read());
  const tools = { config, clock, logger, metrics };

  // The operator's files, and the store.
  const lists = await openTokenLists(tools);
  const store = await openLoggedStore({ ...tools, earlyPort });
  const peppers = await openPeppers({ ...tools, store }).catch(async (error) => {
    await store.close();
    throw error;
  });
  link?.tell({ type: 'opened' });

  // The chains, whose commits go to the feed.
  const node = randomUUID();
  const { leases, signals } = store;
  const feed = openFeed(store.feed, node, logger);
  const { promise: failed, resolve: onConflict } = Promise.withResolvers<string>();
  const connections = new ChainConnections({ clock, log: logger });
  const following = startChains({
    ...{ ...tools, node, leases, signals, connections, onConflict },
    onCommitted: (batch) => feed.publish(decodeBatch(batch)),
    onStoreFault: store.report,
    onDevnet: (folder) => void addDevnetList(lists, { folder, config, logger }),
  });
  const { chains } = following;

  // Who callers are, and what they may use.
  const isShared = leases !== null;
  const shared = { ...tools, store, isShared, feed, chains, connections, peppers };
  const access = openAccess(shared);
  const limits = await openLimits({ ...tools, node, signals, link });
  const lookups = openLookups({ ...shared, access, createLimiter: limits?.createLimiter });
  const credits = openCredits({ ...tools, node, signals, connections });
  const status = openStatus({ ...shared, version, node });

  // The operations, and the server that answers them.
  let draining = false;
  const parts = {
    ...{ ...shared, access, lookups, version, node, getStatus: status.getStatus },
    sharedStreams: limits?.streams,
    isDraining: () => draining,
  };
  const served = config.node.role === 'indexer' ? serveProbes(parts) : await openApi(parts, lists);
  const hasMetrics = link === null;
  const server = openServer({ ...parts, served, limits, earlyPort, hasMetrics });

  const stop = async () => {
    draining = true;
    served.endStreams();
    await server.stop();
    const opened = [following, access, limits, credits, status, ...served.parts];
    await Promise.all(opened.map((part) => part?.stop()));
    connections.close();
    await feed.close();
    await store.close();
  };
  try {
    if (link !== null) {
      server.admit();
      await untilWarm(served, link);
    }
    const urls = await server.listen();
    // Not before all ports are open: a start that fails has answered nothing.
    if (link === null) server.admit();
    link?.tell({ type: 'serving', url: urls.url, engine: store.engine });
    return { ...urls, engine: store.engine, logger, chains, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
