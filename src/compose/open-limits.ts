// Opens what processes share of limits: through Redis if `REDIS_URL` is set, otherwise among the
// workers of one port through their primary.

import type { LimitLedger } from '../access/limits/limit-ledger.ts';
import { LimitSettler } from '../access/limits/limit-settler.ts';
import { SharedLimiter } from '../access/limits/shared-limiter.ts';
import { NodeCensus, SharedStreams } from '../access/limits/shared-streams.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { LimiterOptions, RequestLimiter } from '../lib/limiter.ts';
import type { WorkerLink } from '../runtime/worker-link.ts';
import type { SignalStore } from '../store/feed-store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface OpenLimitsOptions {
  readonly config: Config;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly signals: SignalStore | null;
  /** To the primary of this worker; null if there is none. */
  readonly link: Pick<WorkerLink, 'limits'> | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface SharedLimits {
  createLimiter(options: LimiterOptions): RequestLimiter;
  readonly streams: SharedStreams;
  stop(): Promise<void>;
}

/** Null if this process counts on its own. */
export async function openLimits(options: OpenLimitsOptions): Promise<SharedLimits | null> {
  const { config, node, signals, link, clock, logger, metrics } = options;
  const url = config.limits.redisUrl;
  if (config.node.role === 'indexer') return null;
  const monotonicMs = () => clock.monotonicMs();
  if (url === null || signals === null) {
    return link === null ? null : shareAmongWorkers(config, link.limits, monotonicMs);
  }
  // Its client takes a tenth of a second to load.
  const { RedisLedger } = await import('../access/limits/redis-ledger.ts');
  const census = new NodeCensus({ node, signals, monotonicMs });
  const ledger = new RedisLedger({
    url,
    node,
    onChange: (error) => {
      if (error === null) logger.info('limits are shared through Redis');
      else logger.warn({ err: error }, 'Redis is lost: this node takes its share of each budget');
    },
  });
  const settler = new LimitSettler({ ledger, countNodes: () => census.count(), monotonicMs });
  const streams = new SharedStreams({ ledger, census });
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(`mintwire_limits_${name}`, help, read, 'max');
  gauge('shared', 'Whether limits are shared through Redis.', () => Number(ledger.isUp));
  gauge('nodes', 'Processes that share the limits.', () => census.count());
  census.start();
  return {
    createLimiter: (of) => new SharedLimiter({ ...of, settler }),
    streams,
    stop: async () => {
      await Promise.all([census.stop(), streams.stop()]);
      await ledger.close();
    },
  };
}

/** The primary answers as long as this process runs, and knows its workers. */
function shareAmongWorkers(
  config: Config,
  ledger: LimitLedger,
  monotonicMs: () => number,
): SharedLimits {
  const countNodes = () => config.node.workers;
  const settler = new LimitSettler({ ledger, countNodes, monotonicMs });
  const streams = new SharedStreams({ ledger, census: { count: countNodes, list: () => [] } });
  return {
    createLimiter: (of) => new SharedLimiter({ ...of, settler }),
    streams,
    stop: () => streams.stop(),
  };
}
