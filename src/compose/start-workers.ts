// The supervisor of several workers on one PostgreSQL (`WORKERS`): it serves no requests, but
// starts and replaces them, counts their callers' budgets and serves the metrics of all.

import type { Config } from '../config.ts';
import { createDrain } from '../http/create-drain.ts';
import { createMetricsServer } from '../http/metrics-server.ts';
import { systemClock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { openLogger } from './open-logger.ts';
import { openMetricsPort } from './open-ports.ts';
import { WorkerHub } from './worker-hub.ts';
import { WorkerMetrics } from './worker-metrics.ts';
import { WorkerPool } from './worker-pool.ts';

export interface Workers {
  readonly url: string;
  readonly metricsUrl: string;
  readonly engine: Store['engine'];
  readonly logger: Logger;
  /** Resolves with the reason when the service cannot continue and should be stopped. */
  readonly failed: Promise<string>;
  /** Drains every worker. */
  stop(): Promise<void>;
}

/**
 * What a worker may take to stop, beyond the grace time of its requests. With the default grace
 * time all end before the 30 seconds of compose.yaml and the systemd unit.
 */
const STOP_EXTRA_MS = 15_000;

/** Rejects with `StartError` if a worker cannot serve. */
export async function startWorkers(options: {
  readonly config: Config;
  readonly terminal: boolean;
}): Promise<Workers> {
  const { config } = options;
  const clock = systemClock;
  const logger = openLogger(config, options);
  const own = new Metrics();
  own.collectProcess();
  const metrics = new WorkerMetrics(own);
  const metricsServer = createMetricsServer(() => metrics.render());
  const drainMetrics = createDrain(metricsServer);
  const metricsUrl = await openMetricsPort(metricsServer, config.server);
  const { promise: failed, resolve: onConflict } = Promise.withResolvers<string>();
  const hub = new WorkerHub({ identitiesMax: config.limits.limiterIdentitiesMax, clock });
  const pool = new WorkerPool({
    ...{ count: config.node.workers, hub, clock, logger },
    onReady: (worker) => metrics.join(worker),
    onMessage: (worker, message) => {
      if (message.type === 'metrics') metrics.hear(worker, message);
      if (message.type === 'conflict') onConflict(message.reason);
    },
    onEnd: (worker) => metrics.leave(worker),
    stopMaxMs: config.server.shutdownGraceSeconds * 1000 + STOP_EXTRA_MS,
  });
  own.gauge('mintwire_workers_serving', 'Workers that serve now.', () => pool.servingCount);
  const stop = async () => {
    await pool.stop();
    metricsServer.closeAllConnections();
    await drainMetrics();
  };
  try {
    return { ...(await pool.serving), metricsUrl, logger, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
