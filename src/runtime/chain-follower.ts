// The main thread's side of indexing: keeps the indexer's thread alive and holds its last report.

import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { ChainMarket } from '../chains/chain-nodes.ts';
import { endThread } from '../chains/endpoint-memory.ts';
import type { ChainSource } from '../chains/family.ts';
import type { Config } from '../config.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { findFamily, requireMarkets } from '../engines/chain-families.ts';
import type { ConfiguredScopes } from '../engines/chain-scopes.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import { TokenDemand } from '../ingest/demand/token-demand.ts';
import type { Clock } from '../lib/clock.ts';
import { type Backoff, computeBackoffMs, sleep } from '../lib/retry.ts';
import type { EncodedBatch } from '../live/encode-batch.ts';
import type { ChainAnswer, ChainDirectory, FollowedChainStatus } from '../market/chain-status.ts';
import type { PoolDemand } from '../model/adoption.ts';
import { type ChainSlug, isEmbedded } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import type { Address, PoolId } from '../model/ids.ts';
import { sumUsage } from '../model/rpc-usage.ts';
import type { LeaseStore, SignalStore } from '../store/feed-store.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import {
  computeChainProgress,
  describeNotReady,
  describeProblems,
  isLate,
  pickStatus,
  toShown,
} from './chain-progress.ts';
import { ClientDemand, PoolDemands } from './client-demand.ts';
import { IndexerCommands } from './indexer-commands.ts';
import { INDEXER_HEAP } from './indexer-heap.ts';
import type {
  ChainReport,
  IndexerCommand,
  IndexerMessage,
  IndexerThreadInput,
} from './indexer-message.ts';
import { measureChains } from './measure-chains.ts';
import type { IndexerReport } from './shared-report.ts';
import { pickUndecoded, RemoteReports } from './shared-report.ts';

const RESTART_BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };
/** The thread reports twice a second; silence for this long means that it hangs. */
const SILENCE_MAX_MS = 15_000;
const WATCH_MS = 1000;
const STOP_GRACE_MS = 20_000;

interface ChainFollowerOptions {
  readonly store: Config['store'];
  readonly indexing: Config['indexing'];
  /** How long rollback records are kept. */
  readonly rollbacksKeptMs: number;
  readonly scopes: ConfiguredScopes;
  readonly known: ChainRegistry;
  readonly leases: Pick<LeaseStore, 'list'> | null;
  readonly signals: SignalStore | null;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly leaseMs: number;
  readonly canIndex: (chain: ChainSlug) => boolean;
  /** Every chain that will be followed, for answers before its source is known. */
  readonly chains: readonly ChainSlug[];
  /** Whose memory of the endpoints the thread shares. */
  readonly connections: ChainConnections;
  /** Called with every commit of this process, in order. */
  readonly onCommitted: (batch: EncodedBatch) => void;
  /** Called for store faults in the thread. */
  readonly onStoreFault: Store['report'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class ChainFollower implements ChainDirectory {
  readonly #options: ChainFollowerOptions;
  #slugs: readonly ChainSlug[];
  /** Of the chains that this process indexes. */
  #reports: ReadonlyMap<ChainSlug, ChainReport> = new Map();
  readonly #remote: RemoteReports;
  readonly #commands: IndexerCommands;
  /** Why a chain without a report is not ready. */
  readonly #preparing = new Map<ChainSlug, string>();
  /** Chains that have been at their head since the start. */
  readonly #arrived = new Set<ChainSlug>();
  /** The first block of each chain in this run, from which progress is counted. */
  readonly #firstBlocks = new Map<ChainSlug, number>();
  readonly #pools: PoolDemands;
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
    this.#slugs = options.chains;
    this.#pools = new PoolDemands(options.clock, (chain, pools, demand) => {
      this.#commands.send({ type: 'adopt', chain, pools, demand });
    });
    this.#history = new ClientDemand(options.clock, (chain, tokens, caller) => {
      for (const token of tokens) {
        this.#commands.send({ type: 'backfill', chain, token, caller });
      }
    });
    this.tokens = new TokenDemand({
      perMinute: options.indexing.lookupsPerMinute,
      send: (chain, token, caller) => this.#commands.send({ type: 'lookUp', chain, token, caller }),
      hasBudget: (chain) => options.signals === null || this.isIndexing(chain),
      onOutcome: (chain, token, outcome) => this.#commands.settle({ chain, token, outcome }),
      clock: options.clock,
      sleep,
    });
    measureChains(options.metrics, {
      listOwn: () => this.#reports,
      listSeen: () =>
        this.#slugs.flatMap((chain) => {
          const report = this.#findReport(chain);
          return report === undefined ? [] : [[chain, report] as const];
        }),
      isReady: (chain) => this.#findNotReady(chain, this.#findReport(chain)) === null,
      listUsage: () => this.#listUsage(),
      countWaiting: () => this.tokens.waiting,
    });
    // The start and end of an outage are logged elsewhere.
    const onError = (error: unknown) => {
      if (!isLoggedOutage(error)) options.logger.warn({ err: error }, 'other processes: no answer');
    };
    this.#remote = new RemoteReports({ ...options, onError });
    this.#commands = new IndexerCommands({
      ...options,
      isIndexing: (chain) => this.isIndexing(chain),
      post: (command) => {
        this.#worker?.postMessage(command);
        return this.#worker !== null;
      },
      onLookUp: ({ chain, token, caller }) => this.tokens.accept(chain, token, caller),
      onLookedUp: ({ chain, token, outcome }) => this.tokens.settle(chain, token, outcome),
      onError,
    });
  }

  adopt(chain: ChainSlug, pools: readonly PoolId[], demand: PoolDemand): void {
    this.#pools.ask(chain, pools, demand);
  }

  requestHistory(chain: ChainSlug, token: Address, caller: string): void {
    this.#history.ask(chain, [token], caller);
  }

  /** Sets the status of a chain whose source is not known yet. */
  prepare(chain: ChainSlug, what: string): void {
    this.#preparing.set(chain, what);
  }

  /** A chain that will not be followed in this run is not answered for. */
  drop(chain: ChainSlug): void {
    this.#slugs = this.#slugs.filter((slug) => slug !== chain);
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
    return this.#slugs.map((slug) => {
      const report = this.#findReport(slug);
      const notReady = this.#findNotReady(slug, report);
      const limitations = this.#listLimitations(slug, report);
      const progress = this.#computeProgress(slug, report);
      const isStopped = this.#isStopped(report) || report?.isAbandoned === true;
      const status = isStopped ? 'stalled' : pickStatus(notReady, report?.status.state);
      const answer = this.#buildAnswer(slug, report, { status, progress: toShown(progress) });
      const { endpoints = [], lastError = null, backfill = null } = report ?? {};
      const undecoded = pickUndecoded(report ?? {});
      const source = {
        ...{ head: report?.status.head ?? null, endpoints, lastError, backfill, undecoded },
      };
      return { slug, answer, notReady, limitations, source, progress };
    });
  }

  get known(): ChainRegistry {
    return this.#options.known;
  }

  get slugs(): readonly ChainSlug[] {
    return this.#slugs;
  }

  /** Whether answers about the chain are older than they should be. */
  isLate(chain: ChainSlug): boolean {
    return this.list().some((one) => one.slug === chain && isLate(one));
  }

  /** Whether this process indexes the chain. */
  isIndexing(chain: ChainSlug): boolean {
    return this.#reports.has(chain);
  }

  /**
   * For how long the index is no longer known to be at the chain's head; infinite if it never was.
   * A chain that its operator has slowed down may be behind for any time.
   */
  readAge(chain: ChainSlug): { readonly ageMs: number; readonly isSlowed: boolean } {
    const report = this.#findReport(chain);
    const currentAtMs = report?.status.currentAtMs ?? Number.NEGATIVE_INFINITY;
    const ageMs = this.#options.clock.monotonicMs() - currentAtMs;
    return { ageMs, isSlowed: report !== undefined && report.slowed !== null };
  }

  isAdopting(chain: ChainSlug): boolean {
    return this.#findReport(chain)?.adoption !== null;
  }

  findSource(chain: ChainSlug): ChainSource | null {
    return this.#sources.find((source) => source.chain === chain) ?? null;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.tokens.stop();
    await Promise.all([this.#remote.stop(), this.#commands.stop()]);
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

  /** Ours, or that of the process that indexes the chain; ours is empty until it is at work. */
  #findReport(slug: ChainSlug): IndexerReport | undefined {
    const own: IndexerReport | undefined = this.#reports.get(slug);
    const hasNews = own !== undefined && (own.status.head !== null || own.problems.length > 0);
    if (hasNews && this.#worker !== null) return own;
    const remote = this.#remote.find(slug);
    // What somebody reported long ago says less than that we are starting.
    const report = remote?.isAbandoned ? (own ?? remote) : (remote ?? own);
    if (report !== undefined && !report.isAbandoned) this.#noteArrival(report);
    return report;
  }

  #noteArrival({ status: { chain, block, head, state } }: IndexerReport): void {
    if (state === 'following' && block !== null && block === head) this.#arrived.add(chain);
  }

  #isStopped(report: IndexerReport | undefined): boolean {
    return this.#crashes > 0 && (!this.#worker || !report);
  }

  #findNotReady(slug: ChainSlug, report: IndexerReport | undefined): string | null {
    const preparing = this.#preparing.get(slug);
    if (preparing !== undefined) return preparing;
    if (this.#isStopped(report)) {
      return 'the indexer stopped and is being restarted, see the log';
    }
    if (!report) return 'starting';
    if (report.isAbandoned) return 'no process indexes it, see the logs of those that should';
    if (report.problems.length > 0) return describeProblems(report.problems);
    const isSlowed = report.slowed !== null;
    return describeNotReady(report.status, { hasArrived: this.#arrived.has(slug), isSlowed });
  }

  /** As both threads met them. */
  #listLimitations(slug: ChainSlug, report: IndexerReport | undefined): readonly string[] {
    const here = this.#options.connections.find(slug)?.nodes.listLimitations() ?? [];
    const shortage = report?.status.shortage ?? [];
    return [...new Set([...(report?.limitations ?? []), ...here].concat(shortage))];
  }

  /** What the calls of both threads took. */
  *#listUsage() {
    for (const chain of this.#slugs) {
      const there = this.#reports.get(chain)?.usage ?? [];
      const here = this.#options.connections.find(chain)?.nodes.listUsage() ?? [];
      for (const usage of sumUsage([there, here])) yield { chain, usage };
    }
  }

  #computeProgress(
    slug: ChainSlug,
    report: IndexerReport | undefined,
  ): FollowedChainStatus['progress'] {
    const { block, head } = report?.status ?? {};
    if (block == null || head == null || this.#arrived.has(slug)) return null;
    const first = this.#firstBlocks.get(slug) ?? block;
    this.#firstBlocks.set(slug, first);
    const progress = computeChainProgress({ first, block, head });
    const { historyLeftMs, historyBlocksPerSecond } = report?.status ?? {};
    if (progress === null || historyLeftMs === undefined || historyBlocksPerSecond === undefined) {
      return progress;
    }
    return { ...progress, historyLeftMs, historyBlocksPerSecond };
  }

  #buildAnswer(
    slug: ChainSlug,
    report: IndexerReport | undefined,
    state: Pick<ChainAnswer, 'status' | 'progress'>,
  ): FollowedChainStatus['answer'] {
    const { caip2, name, explorerUrl } = this.#options.known.get(slug);
    const source = this.#sources.find((one) => one.chain === slug);
    const rpcUrl = isEmbedded(slug) ? source?.endpoints[0] : undefined;
    const market = this.#markets.get(slug);
    const anchor = market?.assets.anchorPools[0];
    const slowed = report?.slowed ?? report?.status.shortage;
    return {
      ...{ slug, caip2, name },
      head: report?.status.block ?? null,
      finalized: report?.status.finalized ?? null,
      lagMs: report?.status.lagMs ?? null,
      ...state,
      venues: [...(market?.venues ?? [])],
      explorerUrl,
      scope: this.#options.scopes[slug]?.name ?? 'all',
      usdAnchor: anchor === undefined ? null : findFamily(slug).addresses.toShown(anchor),
      ...(slowed == null ? {} : { slowed }),
      ...(rpcUrl === undefined ? {} : { rpcUrl }),
    };
  }

  #startWorker(): void {
    if (this.#restart) clearTimeout(this.#restart);
    this.#restart = null;
    if (this.#stopping) return;
    const { connections, clock, logger } = this.#options;
    const { store, node, leaseMs, indexing, scopes, rollbacksKeptMs } = this.#options;
    const followed = this.#sources;
    const sources = followed.filter(({ chain }) => this.#options.canIndex(chain));
    if (sources.length === 0) return;
    const memories = sources.map((source) => connections.connect(source).memory);
    const workerData: IndexerThreadInput = {
      ...{ store, node, leaseMs, indexing, scopes, rollbacksKeptMs, sources, memories },
    };
    const worker = new Worker(new URL('./indexer-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: INDEXER_HEAP,
    });
    this.#worker = worker;
    this.#heardAtMs = clock.monotonicMs();
    const watch = setInterval(() => {
      if (clock.monotonicMs() - this.#heardAtMs <= SILENCE_MAX_MS) return;
      logger.error({}, 'the indexer is not responding and will be terminated');
      void worker.terminate();
    }, WATCH_MS);
    worker.on('message', (message: IndexerMessage) => this.#onMessage(message));
    worker.on('error', (error) => logger.error({ err: error }, 'the indexer failed'));
    worker.on('exit', () => {
      clearInterval(watch);
      for (const memory of memories) endThread({ memory, thread: 'indexer' });
      if (this.#worker !== worker) return;
      this.#worker = null;
      // Another process may index the chains now. Without others the last report stays true.
      if (this.#options.leases !== null) this.#reports = new Map();
      this.tokens.abandon();
      if (this.#stopping) return;
      if (followed !== this.#sources) {
        this.#startWorker();
        return;
      }
      this.#crashes += 1;
      const waitMs = computeBackoffMs(this.#crashes, RESTART_BACKOFF, Math.random);
      logger.error({ waitMs }, 'the indexer stopped and is restarted');
      this.#restart = setTimeout(() => this.#startWorker(), waitMs);
    });
  }

  #onMessage(message: IndexerMessage): void {
    const { logger, metrics, clock } = this.#options;
    this.#heardAtMs = clock.monotonicMs();
    if (message.type === 'log') logger[message.level](message.fields, message.message);
    if (message.type === 'committed') this.#options.onCommitted(message.batch);
    if (message.type === 'storeFault') this.#options.onStoreFault(message.fault, message.message);
    if (message.type === 'lookedUp') {
      this.tokens.settle(message.chain, message.token, message.outcome);
    }
    if (message.type === 'timing') metrics.observeStore(message.operation, message.ms);
    if (message.type !== 'reports') return;
    this.#crashes = 0;
    this.#reports = new Map(message.reports.map((report) => [report.status.chain, report]));
    for (const report of message.reports) this.#noteArrival(report);
  }
}
