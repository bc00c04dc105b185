// The state of the whole service, for operators, and what this process tells the others of itself.

import { isOperator } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import type { Handlers } from '../contract/handler.ts';
import { AppError } from '../errors/app-error.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { FollowedChainStatus } from '../market/chain-status.ts';
import type { ChainFollower } from '../runtime/chain-follower.ts';
import { NodeDirectory, type NodeReport } from '../runtime/node-directory.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface OpenStatusOptions {
  readonly config: Pick<Config, 'access' | 'node'>;
  readonly version: string;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly store: Pick<Store, 'access' | 'engine' | 'ping'>;
  /** Whether other processes use the store, too. */
  readonly isShared: boolean;
  readonly chains: Pick<ChainFollower, 'list' | 'slugs' | 'isIndexing'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Status {
  readonly getStatus: Handlers['getStatus'];
  stop(): Promise<void>;
}

async function checkStore({ engine, ping }: OpenStatusOptions['store']) {
  try {
    await ping();
    return { engine, status: 'ok', detail: `${engine} answers` } as const;
  } catch (error) {
    const detail = error instanceof StoreError ? error.reason : 'The store is not responding.';
    return { engine, status: 'failing', detail } as const;
  }
}

function describeChain({ slug, answer, notReady, source }: FollowedChainStatus) {
  const { head, endpoints, lastError, undecoded } = source;
  return {
    ...{ slug, head, indexed: answer.head, lagMs: answer.lagMs, scope: answer.scope },
    endpoints: endpoints.map(({ name, state, latencyMs, failures }) => ({
      ...{ name, state, latencyMs, failures },
    })),
    lastError: notReady ?? lastError,
    undecoded: undecoded.map(({ venue, discriminator: instruction, count: calls }) => ({
      ...{ venue, instruction, calls },
    })),
  };
}

function readEventLoopLagMs(metrics: Metrics): number {
  return Math.round(metrics.readGauge('mintwire_event_loop_lag_seconds') * 1e6) / 1000;
}

function describeProcess({ config, metrics }: OpenStatusOptions) {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    pid: process.pid,
    role: config.node.role,
    node: process.version,
    uptimeSeconds: Math.floor(process.uptime()),
    memoryBytes: rss,
    heapBytes: heapUsed,
    cpuSeconds: Math.round((user + system) / 1e4) / 100,
    eventLoopLagMs: readEventLoopLagMs(metrics),
  };
}

export function openStatus(options: OpenStatusOptions): Status {
  const { config, version, store, chains, metrics, clock, logger } = options;
  const startedAt = clock.nowMs();
  const describe = (): NodeReport => ({
    ...{ role: config.node.role, version, startedAt },
    indexes: chains.slugs.filter((chain) => chains.isIndexing(chain)),
    streams: metrics.readGauge('mintwire_streams_open'),
    requests: metrics.countRequests().total,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopLagMs: readEventLoopLagMs(metrics),
  });
  const nodes = new NodeDirectory({
    id: options.node,
    store: options.isShared ? store.access : null,
    describe,
    clock,
    onError: (error) => {
      if (!isLoggedOutage(error)) logger.warn({ err: error }, 'this node could not report itself');
    },
  });
  return {
    getStatus: async (_input, { identity }) => {
      if (!isOperator(identity, config.access.operatorWallets)) {
        throw new AppError('OPERATOR_REQUIRED', {});
      }
      const followed = chains.list();
      const streams = (name: string) => metrics.readGauge(`mintwire_streams_${name}`);
      return {
        version,
        startedAt,
        nodes: (await nodes.list()).map(({ indexes, ...one }) => ({
          ...{ ...one, indexes: [...indexes] },
        })),
        store: await checkStore(store),
        chains: followed.map(describeChain),
        streams: {
          ...{ open: streams('open'), tokens: metrics.readGauge('mintwire_stream_tokens') },
          ...{ resumed: streams('resumed'), reset: streams('reset'), cut: streams('cut') },
        },
        requests: {
          inFlight: metrics.readGauge('mintwire_http_requests_in_flight'),
          ...metrics.countRequests(),
        },
        backfills: followed.flatMap(({ slug, source: { backfill } }) => {
          if (backfill === null) return [];
          const { waiting, done, failed } = backfill;
          return [{ chain: slug, waiting, done, failed }];
        }),
        process: describeProcess(options),
      };
    },
    stop: () => nodes.stop(),
  };
}
