// The state of the whole service, for operators, and what this process tells the others of itself.

import { isOperator } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import type { Handlers } from '../contract/handler.ts';
import { AppError } from '../errors/app-error.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import { startPolling } from '../lib/start-polling.ts';
import type { FollowedChainStatus } from '../market/chain-status.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { AccessStore } from '../store/access-store.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { FollowedChains } from './start-chains.ts';

// The processes on one store: each reports itself every few seconds, and reads the others when an
// operator asks. A process that is alone on its store has nobody to tell.

/** What a process says of itself. */
interface NodeReport {
  readonly role: Config['node']['role'];
  readonly version: string;
  readonly startedAt: number;
  readonly indexes: readonly ChainSlug[];
  readonly streams: number;
  readonly requests: number;
  readonly memoryBytes: number;
  readonly eventLoopLagMs: number;
}

type SeenNode = NodeReport & {
  readonly id: string;
  readonly seenAt: number;
  readonly self: boolean;
};

interface NodeDirectoryOptions {
  /** The name of this process. */
  readonly id: string;
  /** Null if no other process can be on the store. */
  readonly store: AccessStore | null;
  readonly describe: () => NodeReport;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const REPORT_MS = 5_000;
/** A process that is silent for longer counts as gone; clocks may differ by some seconds. */
const SILENCE_MAX_MS = 30_000;

class NodeDirectory {
  readonly #options: NodeDirectoryOptions;
  readonly #stopReporting: (() => Promise<void>) | null;

  constructor(options: NodeDirectoryOptions) {
    this.#options = options;
    const { store, onError } = options;
    this.#stopReporting =
      store === null
        ? null
        : startPolling(() => this.#report(store), { everyMs: REPORT_MS, onError });
  }

  /** This process comes first. */
  async list(): Promise<readonly SeenNode[]> {
    const { id, store, describe, clock } = this.#options;
    const nowMs = clock.nowMs();
    const own: SeenNode = { ...describe(), id, seenAt: nowMs, self: true };
    const stored = (await store?.readNodes(nowMs - SILENCE_MAX_MS)) ?? [];
    const others = stored
      .filter((one) => one.id !== id)
      .map((one): SeenNode => {
        const report = JSON.parse(one.report) as NodeReport;
        return { ...report, id: one.id, seenAt: one.seenAtMs, self: false };
      });
    return [own, ...others];
  }

  async stop(): Promise<void> {
    await this.#stopReporting?.();
    const { id, store, clock } = this.#options;
    const seenBeforeMs = clock.nowMs() - SILENCE_MAX_MS;
    // A store that is gone must not keep the process from ending; others see the silence.
    await store?.removeNode(id, { seenBeforeMs }).catch(() => undefined);
  }

  async #report(store: AccessStore): Promise<void> {
    const { id, describe, clock } = this.#options;
    await store.reportNode({ id, report: JSON.stringify(describe()), seenAtMs: clock.nowMs() });
  }
}

interface OpenStatusOptions {
  readonly config: Pick<Config, 'access' | 'node'>;
  readonly version: string;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly store: Pick<Store, 'access' | 'engine' | 'ping'>;
  /** Whether other processes use the store, too. */
  readonly isShared: boolean;
  readonly chains: Pick<FollowedChains, 'list' | 'slugs' | 'isIndexing'>;
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
  const { head, endpoints, lastError } = source;
  return {
    ...{ slug, head, indexed: answer.head, lagMs: answer.lagMs, scope: answer.scope },
    endpoints: endpoints.map(({ name, state, latencyMs, failures }) => ({
      ...{ name, state, latencyMs, failures },
    })),
    lastError: notReady ?? lastError,
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
