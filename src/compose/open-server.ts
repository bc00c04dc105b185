// The server of the API and, unless a primary serves them for all, that of the metrics.

import { randomUUID } from 'node:crypto';
import type { Access } from '../access/create-access.ts';
import { buildIpBudget, listTierBudgets } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import { operations } from '../contract/operations.ts';
import {
  createBareServer,
  createDrain,
  createMetricsServer,
  DEFAULT_TIMEOUTS,
} from '../http/create-bare-server.ts';
import { createHttpServer, type HttpServerOptions } from '../http/create-http-server.ts';
import type { Clock } from '../lib/clock.ts';
import { openPorts } from '../runtime/open-ports.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Served, toAnyHandlers } from './open-api.ts';
import { type EarlyPort, limitConnections } from './open-early-port.ts';
import type { openLimits } from './open-limits.ts';

interface ServerParts {
  readonly config: Config;
  readonly access: Access;
  readonly served: Served;
  readonly limits: Awaited<ReturnType<typeof openLimits>>;
  readonly isDraining: () => boolean;
  /** The port of the API, if it is open already. */
  readonly earlyPort: EarlyPort | null;
  readonly hasMetrics: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

function buildServerOptions({ config, access, served, limits }: ServerParts) {
  const { handlers, compat } = served;
  const { anonymous, key, session } = access.tiers;
  return {
    operations: operations.filter(({ id }) => Object.hasOwn(handlers, id)),
    handlers: toAnyHandlers(handlers),
    compat,
    limits: {
      ipBudget: buildIpBudget(config.limits),
      budgets: { anonymous: anonymous.budget, key: key.budget, session: session.budget },
      tierBudgets: listTierBudgets(access.tiers),
      identitiesMax: config.limits.limiterIdentitiesMax,
      createLimiter: limits?.createLimiter,
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

export function openServer(parts: ServerParts) {
  const { config, access, served, isDraining, earlyPort, clock, logger, metrics } = parts;
  const { findFile } = served;
  const server = earlyPort?.server ?? createBareServer(DEFAULT_TIMEOUTS);
  if (earlyPort === null) limitConnections(server, config);
  createHttpServer(
    {
      ...buildServerOptions(parts),
      ...{ isDraining, clock, logger, metrics },
      ...(findFile === undefined ? {} : { findFile }),
    },
    server,
  );
  const metricsServer = parts.hasMetrics ? createMetricsServer(() => metrics.render()) : null;
  const drains = [
    earlyPort?.drain ?? createDrain(server),
    ...(metricsServer === null ? [] : [createDrain(metricsServer)]),
  ];
  return {
    /** An early port answers requests from now on. */
    admit: () => {
      if (earlyPort === null) return;
      access.origins.listenOn(earlyPort.port);
      earlyPort.admit();
    },
    listen: async () => {
      const servers = { api: server, metrics: metricsServer };
      const { port, ...urls } = await openPorts(servers, config.server);
      access.origins.listenOn(port);
      return urls;
    },
    /** Running requests finish, or are cut after the grace time. */
    stop: async () => {
      const graceMs = config.server.shutdownGraceSeconds * 1000;
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      metricsServer?.closeAllConnections();
      await Promise.all(drains.map((drain) => drain()));
      clearTimeout(cut);
    },
  };
}
