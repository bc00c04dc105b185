// The main thread's side of indexing: keeps the indexer's thread alive and holds its last report.

import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { ChainMarket } from '../chains/chain-nodes.ts';
import { endThread } from '../chains/endpoint-memory.ts';
import type { ChainSource } from '../chains/family.ts';
import type { Config } from '../config.ts';
import type { AdoptionStatus } from '../ingest/adopt/pool-adopter.ts';
import type { BackfillProgress } from '../ingest/backfill/backfiller.ts';
import { TokenDemand } from '../ingest/demand/token-demand.ts';
import type { LookupStatus } from '../ingest/demand/token-lookups.ts';
import type { Clock } from '../lib/clock.ts';
import { type Backoff, computeBackoffMs, sleep } from '../lib/retry.ts';
import { decodeBatch } from '../live/encode-batch.ts';
import type { Feed } from '../live/feed.ts';
import type { ChainAnswer, ChainDirectory, FollowedChainStatus } from '../market/chain-status.ts';
import { CHAINS, type ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import { type MethodUsage, sumUsage } from '../model/rpc-usage.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ChainConnections } from './chain-connections.ts';
import { findFamily, requireMarkets } from './chain-families.ts';
import { computeChainProgress, describeNotReady } from './chain-progress.ts';
import type { ConfiguredScopes } from './chain-scopes.ts';
import { ClientDemand } from './client-demand.ts';
import type {
  ChainReport,
  IndexerCommand,
  IndexerMessage,
  IndexerThreadInput,
} from './indexer-message.ts';

const RESTART_BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };
/** The thread reports twice a second; silence for this long means that it hangs. */
const SILENCE_MAX_MS = 15_000;
const WATCH_MS = 1000;
/** Batches are short-lived; without this limit V8 lets them grow to a hundred megabytes. */
const YOUNG_GENERATION_MB = 24;
const STOP_GRACE_MS = 20_000;

interface ChainFollowerOptions {
  readonly store: Config['store'];
  readonly indexing: Config['indexing'];
  /** How long rollback records are kept. */
  readonly rollbacksKeptMs: number;
  readonly scopes: ConfiguredScopes;
  /** Every chain that will be followed, for answers before its source is known. */
  readonly chains: readonly ChainSlug[];
  /** Whose memory of the endpoints the thread shares. */
  readonly connections: ChainConnections;
  /** Where commits are published. */
  readonly feed: Feed;
  /** Called for store faults in the thread. */
  readonly onStoreFault: Store['report'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

type AddGauge = (name: string, help: string, read: (report: ChainReport) => number | null) => void;

export class ChainFollower implements ChainDirectory {
  readonly #options: ChainFollowerOptions;
  readonly #reports = new Map<ChainSlug, ChainReport>();
  /** Why a chain without a report is not ready. */
  readonly #preparing = new Map<ChainSlug, string>();
  /** Chains that have been at their head since the start. */
  readonly #arrived = new Set<ChainSlug>();
  /** The first block of each chain in this run, from which progress is counted. */
  readonly #firstBlocks = new Map<ChainSlug, number>();
  readonly #pools: ClientDemand<PoolId>;
  readonly #history: ClientDemand<Address>;
  /** The tokens that clients ask for. */
  readonly tokens: TokenDemand;
  #sources: readonly ChainSource[] = [];
  /** Described once: `/chains` and every quote ask. */
  #markets: ReadonlyMap<ChainSlug, ChainMarket> = new Map();
  #worker: Worker | null = null;
  #restart: NodeJS.Timeout | null = null;
  #crashes = 0;
  #heardAtMs = 0;
  #stopping = false;

  constructor(options: ChainFollowerOptions) {
    this.#options = options;
    this.#pools = new ClientDemand(options.clock, (chain, pools) => {
      this.#worker?.postMessage({ type: 'adopt', chain, pools } satisfies IndexerCommand);
    });
    this.#history = new ClientDemand(options.clock, (chain, tokens) => {
      this.#worker?.postMessage({ type: 'backfill', chain, tokens } satisfies IndexerCommand);
    });
    this.tokens = new TokenDemand({
      perMinute: options.indexing.lookupsPerMinute,
      send: (chain, token) => {
        this.#worker?.postMessage({ type: 'lookUp', chain, token } satisfies IndexerCommand);
        return this.#worker !== null;
      },
      clock: options.clock,
      sleep,
    });
    const gauge: AddGauge = (name, help, read) =>
      options.metrics.chainGauge(name, help, () =>
        [...this.#reports].map(([chain, report]) => [chain, read(report)] as const),
      );
    gauge('mintwire_chain_head_block', "The chain's newest block.", (one) => one.status.head);
    gauge('mintwire_chain_indexed_block', 'The last indexed block.', (one) => one.status.block);
    gauge(
      'mintwire_chain_lag_seconds',
      'Age of the last indexed block relative to the head.',
      (one) => (one.status.lagMs === null ? null : one.status.lagMs / 1000),
    );
    gauge('mintwire_chain_ready', 'Whether the chain is indexed up to its head.', (one) =>
      this.#findNotReady(one.status.chain, one) === null ? 1 : 0,
    );
    gauge('mintwire_chain_blocks_indexed', 'Blocks since the start.', (one) => one.blocksTotal);
    gauge('mintwire_chain_trades_indexed', 'Trades since the start.', (one) => one.tradesTotal);
    gauge(
      'mintwire_chain_reorganisations',
      'Rollbacks since the start.',
      (one) => one.reorganisationsTotal,
    );
    gauge('mintwire_chain_rpc_requests', 'Requests to endpoints.', (one) => one.rpcRequests);
    gauge('mintwire_chain_rpc_failures', 'Failed requests.', (one) => one.rpcFailures);
    gauge('mintwire_chain_slowed', 'Whether its daily budget slows the chain down.', (one) =>
      one.slowed === null ? 0 : 1,
    );
    const usage = (name: string, help: string, pick: (usage: MethodUsage) => number) =>
      options.metrics.chainMethodCounter(name, help, () => this.#listUsage(pick));
    usage('mintwire_rpc_calls_total', 'Calls to endpoints.', ({ calls }) => calls);
    usage('mintwire_rpc_credits_total', 'What they cost.', ({ credits }) => credits);
    usage(
      'mintwire_rpc_received_bytes_total',
      'Bytes received, as compressed by the endpoint.',
      ({ bytes }) => bytes,
    );
    usage(
      'mintwire_rpc_unpacked_bytes_total',
      'The same bytes, unpacked.',
      ({ unpackedBytes }) => unpackedBytes,
    );
    this.#addSideMetrics(gauge);
  }

  #addSideMetrics(gauge: AddGauge): void {
    const adoption = (name: keyof AdoptionStatus, help: string) =>
      gauge(`mintwire_adoption_${name}`, help, (one) => one.adoption?.[name] ?? null);
    adoption('waiting', 'Pools that are older than the index and wait for their adoption.');
    adoption('adopted', 'Pools adopted since the start.');
    adoption('failed', 'Adoptions that failed since the start; each is tried again.');
    adoption('calls', 'Requests that adoptions took since the start.');
    const backfill = (name: keyof BackfillProgress, help: string) =>
      gauge(`mintwire_backfill_${name}`, help, (one) => one.backfill?.[name] ?? null);
    backfill('waiting', 'Tokens whose history is waiting or being read.');
    backfill('done', 'Backfill jobs finished since the start.');
    backfill('failed', 'Backfill jobs that failed since the start.');
    backfill('calls', 'Requests that backfill took since the start.');
    const lookups = (name: keyof LookupStatus, help: string) =>
      gauge(`mintwire_lookups_${name}`, help, (one) => one.lookups?.[name] ?? null);
    lookups('running', 'Tokens that are being looked up.');
    lookups('found', 'Tokens found by lookups since the start.');
    lookups('failed', 'Lookups since the start that no node answered.');
    lookups('calls', 'Requests that lookups took since the start.');
    this.#options.metrics.gauge(
      'mintwire_lookups_waiting',
      'Tokens that wait for their lookup.',
      () => {
        return this.tokens.waiting;
      },
    );
  }

  adopt(chain: ChainSlug, pools: readonly PoolId[]): void {
    this.#pools.ask(chain, pools);
  }

  requestHistory(chain: ChainSlug, token: Address): void {
    this.#history.ask(chain, [token]);
  }

  /** Sets the status of a chain whose source is not known yet. */
  prepare(chain: ChainSlug, what: string): void {
    this.#preparing.set(chain, what);
  }

  /** Called again when a source has changed: the thread is then restarted with the new sources. */
  follow(sources: readonly ChainSource[]): void {
    const moved = !isDeepStrictEqual(sources, this.#sources);
    this.#sources = sources;
    this.#markets = new Map(
      sources.map((source) => [source.chain, requireMarkets(source.chain).describe(source)]),
    );
    for (const { chain } of sources) {
      this.#preparing.delete(chain);
      if (moved) this.#arrived.delete(chain);
    }
    if (!this.#worker) this.#startWorker();
    else if (moved) this.#worker.postMessage({ type: 'stop' } satisfies IndexerCommand);
  }

  list(): readonly FollowedChainStatus[] {
    return this.#options.chains.map((slug) => {
      const report = this.#reports.get(slug);
      const answer = this.#buildAnswer(slug, report);
      const notReady = this.#findNotReady(slug, report);
      const limitations = this.#listLimitations(slug, report);
      const progress = this.#computeProgress(slug, report);
      return { slug, answer, notReady, limitations, progress };
    });
  }

  get slugs(): readonly ChainSlug[] {
    return this.#options.chains;
  }

  findSource(chain: ChainSlug): ChainSource | null {
    return this.#sources.find((source) => source.chain === chain) ?? null;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.tokens.stop();
    if (this.#restart) clearTimeout(this.#restart);
    const worker = this.#worker;
    if (!worker) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ type: 'stop' } satisfies IndexerCommand);
    // Batches are transactions, so terminating a thread that hangs loses nothing.
    const cut = setTimeout(() => void worker.terminate(), STOP_GRACE_MS);
    await exited;
    clearTimeout(cut);
  }

  #findNotReady(slug: ChainSlug, report: ChainReport | undefined): string | null {
    const preparing = this.#preparing.get(slug);
    if (preparing !== undefined) return preparing;
    if (this.#crashes > 0 && (!this.#worker || !report)) {
      return 'the indexer stopped and is being restarted, see the log';
    }
    if (!report) return 'starting';
    const isSlowed = report.slowed !== null;
    return describeNotReady(report.status, { hasArrived: this.#arrived.has(slug), isSlowed });
  }

  /** As both threads met them. */
  #listLimitations(slug: ChainSlug, report: ChainReport | undefined): readonly string[] {
    const here = this.#options.connections.find(slug)?.nodes.listLimitations() ?? [];
    return [...new Set([...(report?.limitations ?? []), ...here])];
  }

  /** What the calls of both threads took. */
  *#listUsage(pick: (usage: MethodUsage) => number) {
    for (const chain of this.#options.chains) {
      const there = this.#reports.get(chain)?.usage ?? [];
      const here = this.#options.connections.find(chain)?.nodes.listUsage() ?? [];
      for (const usage of sumUsage([there, here])) {
        yield { chain, method: usage.method, value: pick(usage) };
      }
    }
  }

  #computeProgress(
    slug: ChainSlug,
    report: ChainReport | undefined,
  ): FollowedChainStatus['progress'] {
    const { block, head } = report?.status ?? {};
    if (block == null || head == null || this.#arrived.has(slug)) return null;
    const first = this.#firstBlocks.get(slug) ?? block;
    this.#firstBlocks.set(slug, first);
    return computeChainProgress({ first, block, head });
  }

  #buildAnswer(slug: ChainSlug, report: ChainReport | undefined): ChainAnswer {
    const { caip2, name, native } = CHAINS[slug];
    const source = this.#sources.find((one) => one.chain === slug);
    const rpcUrl = slug === 'devnet' ? source?.endpoints[0] : undefined;
    const market = this.#markets.get(slug);
    const anchor = market?.assets.anchorPools[0];
    return {
      slug,
      caip2,
      name,
      head: report?.status.block ?? null,
      finalized: report?.status.finalized ?? null,
      lagMs: report?.status.lagMs ?? null,
      venues: [...(market?.venues ?? [])],
      native: { ...native },
      scope: this.#options.scopes[slug]?.name ?? 'all',
      usdAnchor: anchor === undefined ? null : findFamily(slug).addresses.toShown(anchor),
      ...(report?.slowed == null ? {} : { slowed: report.slowed }),
      ...(rpcUrl === undefined ? {} : { rpcUrl }),
    };
  }

  #startWorker(): void {
    if (this.#restart) clearTimeout(this.#restart);
    this.#restart = null;
    if (this.#stopping) return;
    const { connections, clock, logger } = this.#options;
    const { store, indexing, scopes, rollbacksKeptMs } = this.#options;
    const sources = this.#sources;
    const memories = sources.map((source) => connections.connect(source).memory);
    const workerData: IndexerThreadInput = {
      ...{ store, indexing, scopes, rollbacksKeptMs, sources, memories },
    };
    const worker = new Worker(new URL('./indexer-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker = worker;
    this.#heardAtMs = clock.monotonicMs();
    const watch = setInterval(() => {
      if (clock.monotonicMs() - this.#heardAtMs <= SILENCE_MAX_MS) return;
      logger.error({}, 'the indexer is not responding and will be terminated');
      void worker.terminate();
    }, WATCH_MS);
    worker.on('message', (message: IndexerMessage) => this.#hear(message));
    worker.on('error', (error) => logger.error({ err: error }, 'the indexer failed'));
    worker.on('exit', () => {
      clearInterval(watch);
      for (const memory of memories) endThread({ memory, thread: 'indexer' });
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.tokens.abandon();
      if (this.#stopping) return;
      if (workerData.sources !== this.#sources) {
        this.#startWorker();
        return;
      }
      this.#crashes += 1;
      const waitMs = computeBackoffMs(this.#crashes, RESTART_BACKOFF, Math.random);
      logger.error({ waitMs }, 'the indexer stopped and is restarted');
      this.#restart = setTimeout(() => this.#startWorker(), waitMs);
    });
  }

  #hear(message: IndexerMessage): void {
    const { logger, metrics, clock } = this.#options;
    this.#heardAtMs = clock.monotonicMs();
    if (message.type === 'log') logger[message.level](message.fields, message.message);
    if (message.type === 'committed') this.#options.feed.publish(decodeBatch(message.batch));
    if (message.type === 'storeFault') this.#options.onStoreFault(message.fault, message.message);
    if (message.type === 'lookedUp') {
      this.tokens.settle(message.chain, message.token, message.outcome);
    }
    if (message.type === 'timing') metrics.observeStore(message.operation, message.ms);
    if (message.type !== 'reports') return;
    this.#crashes = 0;
    for (const report of message.reports) {
      const { chain, block, head, state } = report.status;
      this.#reports.set(chain, report);
      if (state === 'following' && block !== null && block === head) this.#arrived.add(chain);
    }
  }
}
