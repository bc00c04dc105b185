// Wires the parts into a service. The only file that names an engine.

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { toCosts, toEntitlements } from './access/entitlements.ts';
import { toAnonymousTier, toIpBudget } from './access/tiers.ts';
import type { Config } from './config.ts';
import type { Handlers } from './contract/handler.ts';
import { operations } from './contract/operations.ts';
import { createApp, DEFAULT_TIMEOUTS } from './http/app.ts';
import type { AnyHandler } from './http/bind.ts';
import { createMetricsServer } from './http/metrics-server.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { ChainDirectory } from './market/chain-status.ts';
import { createReadiness } from './market/readiness.ts';
import { createReference } from './market/reference.ts';
import { createPostgresStore } from './store/postgres/create-postgres-store.ts';
import { createSqliteStore } from './store/sqlite/create-sqlite-store.ts';
import type { Store } from './store/store.ts';
import { createLogger, type Logger } from './telemetry/logger.ts';
import { Metrics } from './telemetry/metrics.ts';

export interface ServiceOptions {
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
  /** Drains: no new connections, running requests finish or are cut after the grace time. */
  stop(): Promise<void>;
}

export function openStore(config: Config['store'], metrics: Metrics): Promise<Store> {
  const onTiming = metrics.observeStore;
  if (config.databaseUrl !== null) {
    const poolSize = config.databasePoolSize;
    return createPostgresStore({ url: config.databaseUrl, poolSize, onTiming });
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  return createSqliteStore({ file: join(config.dataDir, 'market.sqlite'), onTiming });
}

interface HandlerParts {
  readonly config: Config;
  readonly version: string;
  readonly store: Store;
  readonly chains: ChainDirectory;
  readonly clock: Clock;
  readonly isDraining: () => boolean;
}

function createHandlers(parts: HandlerParts): Handlers {
  const tier = toAnonymousTier(parts.config.limits);
  const costs = toCosts(operations);
  const reference = createReference(operations, { version: parts.version });
  return {
    getChains: () => ({ chains: parts.chains.list().map((chain) => chain.answer) }),
    getEntitlements: () =>
      toEntitlements(tier, { costs, chains: parts.chains.list().map((chain) => chain.slug) }),
    getHealth: () => ({ status: 'ok' }),
    getReady: createReadiness(parts),
    getOpenapi: () => reference.openapi,
    getDocs: () => reference.docs,
    getLlms: () => reference.llms,
  };
}

function listenMetrics(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
    });
  });
}

function toOrigin(app: FastifyInstance, host: string): string {
  const { port, family } = app.server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${family === 'IPv6' && shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, version } = options;
  const clock = options.clock ?? systemClock;
  const { logFormat, logLevel } = config.server;
  const format = logFormat === 'auto' ? (options.terminal ? 'text' : 'json') : logFormat;
  const logger = options.logger ?? createLogger({ level: logLevel, format });
  const metrics = new Metrics();
  metrics.collectProcess();
  const store = await openStore(config.store, metrics);
  let draining = false;
  const isDraining = () => draining;
  const chains: ChainDirectory = { list: () => [] };
  const handlers = createHandlers({ config, version, store, chains, clock, isDraining });
  const app = createApp({
    operations,
    // Each handler takes what its own operation's parser gives; the list ties the two by id.
    handlers: handlers as unknown as Readonly<Record<string, AnyHandler>>,
    budgets: {
      ipBudget: toIpBudget(config.limits),
      anonymousBudget: toAnonymousTier(config.limits).budget,
      identitiesMax: config.limits.limiterIdentitiesMax,
    },
    trustedProxies: config.server.trustedProxies,
    overload: {
      requestsMax: config.limits.overloadRequestsMax,
      lagMaxMs: config.limits.overloadLagMs,
    },
    timeouts: DEFAULT_TIMEOUTS,
    clock,
    createRequestId: randomUUID,
    logger,
    metrics,
    isDraining,
  });
  const metricsServer = createMetricsServer(metrics);
  const closeAll = async () => {
    metricsServer.close();
    metricsServer.closeAllConnections();
    await app.close();
    await store.close();
  };
  try {
    const metricsUrl = await listenMetrics(metricsServer, config.server.metricsPort);
    await app.listen({ host: config.server.host, port: config.server.port });
    return {
      url: `${toOrigin(app, config.server.host)}/v1`,
      metricsUrl,
      engine: store.engine,
      logger,
      stop: async () => {
        draining = true;
        const cut = setTimeout(
          () => app.server.closeAllConnections(),
          config.server.shutdownGraceSeconds * 1000,
        );
        await closeAll();
        clearTimeout(cut);
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
