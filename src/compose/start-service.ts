// Wires the parts into a service.

import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Access } from '../access/create-access.ts';
import { buildIpBudget } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import type { AnyHandler, Handlers } from '../contract/handler.ts';
import { operations } from '../contract/operations.ts';
import { checkHeads } from '../http/check-heads.ts';
import {
  createHttpServer,
  DEFAULT_TIMEOUTS,
  type HttpServerOptions,
} from '../http/create-http-server.ts';
import { createMetricsServer } from '../http/metrics-server.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { LocalFeed } from '../live/local-feed.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import type { Market } from '../market/create-market.ts';
import { createReference } from '../market/create-reference.ts';
import { createReadiness } from '../market/readiness.ts';
import type { Streams } from '../market/stream/create-streams.ts';
import type { Store } from '../store/store.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { ChainConnections } from './chain-connections.ts';
import { openAccess, openPeppers } from './open-access.ts';
import { openMarket } from './open-market.ts';
import { openMcp } from './open-mcp.ts';
import { openStore } from './open-store.ts';
import { openStreams } from './open-streams.ts';
import { openTokenLists } from './open-token-lists.ts';
import { openTrading, type Trading } from './open-trading.ts';
import { readGuides } from './read-guides.ts';
import { startChains } from './start-chains.ts';

interface ServiceOptions {
  readonly config: Config;
  readonly version: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Whether standard output is a terminal, for `LOG_FORMAT=auto`. */
  readonly terminal?: boolean;
}

export interface Service {
  readonly url: string;
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

interface HandlerParts {
  readonly config: Config;
  readonly version: string;
  readonly store: Store;
  readonly chains: ChainDirectory;
  readonly market: Market;
  readonly streams: Streams;
  readonly trading: Trading;
  readonly access: Access;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isDraining: () => boolean;
}

function createHandlers(parts: HandlerParts): Handlers {
  const about = { version: parts.version, guides: readGuides() };
  const reference = createReference(operations, about);
  const handlers: Omit<Handlers, 'callMcp'> = {
    getChains: () => ({ chains: parts.chains.list().map((chain) => chain.answer) }),
    ...parts.market.handlers,
    ...parts.streams.handlers,
    ...parts.trading.handlers,
    ...parts.access.handlers,
    getHealth: () => ({ status: 'ok' }),
    getReady: createReadiness(parts),
    getOpenapi: () => reference.openapi,
    getDocs: () => reference.docs,
    getLlms: () => reference.llms,
  };
  const callMcp = openMcp({
    handlers: toAnyHandlers(handlers),
    ...about,
    listChains: () => parts.chains.list().map((chain) => chain.slug),
    logger: parts.logger,
  });
  return { ...handlers, callMcp };
}

/** Each handler accepts what its operation's parser returns; the id ties the two together. */
function toAnyHandlers(handlers: object): Readonly<Record<string, AnyHandler>> {
  return handlers as Readonly<Record<string, AnyHandler>>;
}

/**
 * Whether we can write response heads ourselves; otherwise Node does, which costs some microseconds
 * each.
 */
async function readOwnHeads(logger: Logger): Promise<boolean> {
  const ownHeads = await checkHeads();
  if (!ownHeads)
    logger.warn(
      { node: process.version },
      'this Node version does not accept our response heads; using writeHead',
    );
  return ownHeads;
}

function buildServerOptions(config: Config, access: Access) {
  const { anonymous, key, session } = access.tiers;
  return {
    operations,
    limits: {
      ipBudget: buildIpBudget(config.limits),
      budgets: { anonymous: anonymous.budget, key: key.budget, session: session.budget },
      identitiesMax: config.limits.limiterIdentitiesMax,
    },
    access,
    isAllowedOrigin: (origin) => access.origins.isAllowed(origin),
    isSecure: access.origins.isSecure,
    trustedProxies: config.server.trustedProxies,
    overload: {
      requestsMax: config.limits.overloadRequestsMax,
      lagMaxMs: config.limits.overloadLagMs,
    },
    timeouts: DEFAULT_TIMEOUTS,
    // Random, so that callers cannot count each other's requests.
    createRequestId: () => randomUUID(),
  } satisfies Partial<HttpServerOptions>;
}

function listen(server: Server, at: { host: string; port: number }): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => resolve(server.address() as AddressInfo));
  });
}

/** Resolves when no connection is left; idle ones are closed at once. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (server.listening) server.close(() => resolve());
    else resolve();
    server.closeIdleConnections();
  });
}

function buildOrigin(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

/** The store, with the start and end of each outage logged. */
function openLoggedStore(
  config: Config,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<Store> {
  return openStore(config.store, {
    onTiming: metrics.observeStore,
    onOutage: (error) => logger.error({ fault: error.fault, err: error }, error.reason),
    onRecovered: () => logger.info('the store works again'),
  });
}

function openLogger({ config, terminal }: ServiceOptions): Logger {
  const { logFormat, logLevel } = config.server;
  const format = logFormat === 'auto' ? (terminal ? 'text' : 'json') : logFormat;
  return createLogger({ level: logLevel, format });
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, version } = options;
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? openLogger(options);
  const metrics = new Metrics();
  metrics.collectProcess();
  const lists = await openTokenLists({ config, logger, metrics });
  const store = await openLoggedStore(config, { logger, metrics });
  const peppers = await openPeppers({ config, store, clock, logger }).catch(async (error) => {
    await store.close();
    throw error;
  });
  let draining = false;
  const feed = new LocalFeed({
    onError: (error) => logger.error({ err: error }, 'a feed listener failed'),
  });
  const { promise: failed, resolve: onConflict } = Promise.withResolvers<string>();
  const connections = new ChainConnections({ clock, log: logger });
  const sinks = { feed, onStoreFault: store.report, onConflict };
  const chains = startChains({ config, ...sinks, connections, clock, logger, metrics });
  const shared = { config, store, feed, chains, connections, peppers, clock, logger, metrics };
  const access = openAccess(shared);
  const market = await openMarket({ ...shared, access, lists });
  const streams = openStreams({ config, market, access, clock, logger, metrics });
  const trading = openTrading({ ...shared, market });
  const parts = { ...shared, market, streams, trading, access };
  const handlers = createHandlers({ ...parts, version, isDraining: () => draining });
  const server = createHttpServer({
    ...buildServerOptions(config, access),
    ownHeads: await readOwnHeads(logger),
    handlers: toAnyHandlers(handlers),
    clock,
    logger,
    metrics,
    isDraining: () => draining,
  });
  const metricsServer = createMetricsServer(metrics);
  const stop = async () => {
    draining = true;
    streams.stop();
    const graceMs = config.server.shutdownGraceSeconds * 1000;
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    metricsServer.closeAllConnections();
    await Promise.all([close(server), close(metricsServer)]);
    clearTimeout(cut);
    await Promise.all([chains, access, market, trading].map((part) => part.stop()));
    connections.close();
    await feed.close();
    await store.close();
  };
  try {
    const { host, metricsPort, port } = config.server;
    const metricsAt = await listen(metricsServer, { host: '127.0.0.1', port: metricsPort });
    const at = await listen(server, { host, port });
    access.origins.listenOn(at.port);
    return {
      url: `${buildOrigin(host, at.port)}/v1`,
      metricsUrl: `http://127.0.0.1:${metricsAt.port}/metrics`,
      engine: store.engine,
      logger,
      chains,
      failed,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
