// The supervisor of several workers on one PostgreSQL (`WORKERS`): it serves no requests, but
// starts and replaces them, counts their callers' budgets and serves the metrics of all.

import type { Config } from '../config.ts';
import { createDrain, createMetricsServer } from '../http/create-bare-server.ts';
import { systemClock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { addUpCounts, Metrics, type MetricsReading, renderReadings } from '../telemetry/metrics.ts';
import { openLogger } from './open-logger.ts';
import { openMetricsPort } from './open-ports.ts';
import { WorkerHub, WorkerPool, type WorkerPort } from './worker-pool.ts';

// The metrics of all workers as those of one process.

interface Read {
  readonly id: number;
  readonly done: () => void;
}

/** A worker that does not answer by then is shown as it was last. */
const READ_MAX_MS = 2000;

class WorkerMetrics {
  /** The primary's own. */
  readonly #own: Metrics;
  /** The last reading of each worker; null before the first. */
  readonly #last = new Map<WorkerPort, MetricsReading | null>();
  readonly #reads = new Map<WorkerPort, Read>();
  /** The counts of workers that have ended. */
  #ended: Promise<MetricsReading> = addUpCounts([]);
  #readCount = 0;

  constructor(own: Metrics) {
    this.#own = own;
  }

  join(port: WorkerPort): void {
    this.#last.set(port, null);
  }

  leave(port: WorkerPort): void {
    const last = this.#last.get(port) ?? null;
    this.#last.delete(port);
    this.#reads.get(port)?.done();
    this.#reads.delete(port);
    if (last !== null) this.#ended = this.#ended.then((ended) => addUpCounts([ended, last]));
  }

  onReading(
    port: WorkerPort,
    { id, reading }: { readonly id: number; readonly reading: MetricsReading },
  ) {
    if (!this.#last.has(port)) return;
    this.#last.set(port, reading);
    const read = this.#reads.get(port);
    if (read?.id === id) read.done();
  }

  async render(): Promise<string> {
    await Promise.all(Array.from(this.#last.keys(), (port) => this.#read(port)));
    const readings = [...this.#last.values()].filter((reading) => reading !== null);
    return await renderReadings([...readings, await this.#own.read(), await this.#ended]);
  }

  #read(port: WorkerPort): Promise<void> {
    this.#readCount += 1;
    const id = this.#readCount;
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), READ_MAX_MS);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#reads.get(port)?.done();
      this.#reads.set(port, { id, done });
      port.send({ type: 'readMetrics', id });
    });
  }
}

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
      if (message.type === 'metrics') metrics.onReading(worker, message);
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
