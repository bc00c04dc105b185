// One chain inside the indexer's thread: its adapter, its indexer and its counters.

import { isDeepStrictEqual } from 'node:util';
import type { ChainAdapter, ChainSourceStatus } from '../chains/adapter.ts';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import type { ChainLog, ChainSource } from '../chains/family.ts';
import type { ConfiguredScope } from '../config/scope-settings.ts';
import type { Config } from '../config.ts';
import { requireMarkets } from '../engines/chain-families.ts';
import { createScope } from '../engines/chain-scopes.ts';
import { createAdapter } from '../engines/chain-source.ts';
import type { CommittedEvent } from '../ingest/commit/commit-batch.ts';
import { Indexer, type IndexerStatus } from '../ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../ingest/follow/indexer-options.ts';
import { describeShortage, RateNeed } from '../ingest/follow/rate-need.ts';
import { systemClock } from '../lib/clock.ts';
import { type Backoff, computeBackoffMs, sleep } from '../lib/retry.ts';
import type { PoolDemand } from '../model/adoption.ts';
import { type ChainSlug, isEmbedded } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { LookupOutcome } from '../model/lookup-outcome.ts';
import type { Store } from '../store/store.ts';
import { redact } from '../telemetry/logger.ts';
import type { ChainReport } from './indexer-message.ts';

/** The devnet mines a block every second or per transaction, so it is polled more often. */
const DEVNET_POLL_MS = 150;
/** Of an error that is sent to other processes. */
const ERROR_LENGTH_MAX = 500;
const START_BACKOFF: Backoff = { baseMs: 250, maxMs: 10_000 };
/** A contract may be deployed later, or an endpoint replaced. */
const CHECK_BACKOFF: Backoff = { baseMs: 5000, maxMs: 60_000 };

interface ChainRunnerOptions {
  readonly source: ChainSource;
  /** The health of the endpoints, shared with the main thread. */
  readonly memory: SharedArrayBuffer;
  readonly store: Store;
  readonly indexing: Config['indexing'];
  /** Null indexes everything. */
  readonly scope: ConfiguredScope | null;
  /** How long rollback records are kept. */
  readonly rollbacksKeptMs: number;
  readonly log: ChainLog;
  readonly onProgress: () => void;
  /** Every commit and rollback, in order. */
  readonly onCommitted: (event: CommittedEvent) => void;
}

export class ChainRunner {
  readonly #options: ChainRunnerOptions;
  readonly #nodes: ChainNodes;
  readonly #adapter: ChainAdapter;
  readonly #abort = new AbortController();
  #indexer: Indexer | null = null;
  #starting: Promise<void> | null = null;
  #problems: readonly string[] = [];
  readonly #rateNeed = new RateNeed();
  #hasShortage = false;
  #blocksTotal = 0;
  #tradesTotal = 0;
  #reorganisationsTotal = 0;

  constructor(options: ChainRunnerOptions) {
    this.#options = options;
    const { source, log, memory } = options;
    const shared = { memory, thread: 'indexer' } as const;
    this.#nodes = requireMarkets(source.chain).open(source, { clock: systemClock, log, shared });
    this.#adapter = createAdapter(this.#nodes, source, { ...options, usesArchives: true });
  }

  start(): void {
    this.#starting ??= this.#start().catch((error: unknown) => {
      if (!this.#abort.signal.aborted) throw error;
    });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#starting;
    await this.#indexer?.stop();
    await this.#adapter.close();
    this.#nodes.close();
  }

  get chain(): ChainSlug {
    return this.#options.source.chain;
  }

  adopt(pools: readonly PoolId[], demand: PoolDemand): void {
    this.#indexer?.adopt(pools, demand);
  }

  /** Fills in the token's history from before the first indexed block. */
  request(token: Address, caller: string): void {
    this.#indexer?.request(token, caller);
  }

  lookUp(token: Address): Promise<LookupOutcome> {
    return this.#indexer?.lookUp(token) ?? Promise.resolve('notReady');
  }

  report(): ChainReport {
    const source = this.#adapter.status?.();
    const endpoints = source?.endpoints ?? [];
    const sum = (pick: (endpoint: (typeof endpoints)[number]) => number) =>
      endpoints.reduce((total, endpoint) => total + pick(endpoint), 0);
    const usage = this.#nodes.listUsage();
    const status: IndexerStatus = this.#indexer?.status() ?? {
      chain: this.#options.source.chain,
      state: 'starting',
      head: null,
      block: null,
      finalized: null,
      lagMs: null,
      lastProgressAtMs: systemClock.nowMs(),
      currentAtMs: null,
    };
    const shortage = this.#findShortage(status, {
      calls: usage.reduce((total, { calls }) => total + calls, 0),
      refusals: sum(({ rateLimited, failures }) => rateLimited + failures),
    });
    return {
      status: shortage === null ? status : { ...status, shortage },
      problems: this.#problems,
      blocksTotal: this.#blocksTotal,
      tradesTotal: this.#tradesTotal,
      reorganisationsTotal: this.#reorganisationsTotal,
      swapsUnclaimed: source?.swapsUnclaimed ?? 0,
      undecoded: source?.undecoded ?? [],
      rpcRequests: sum((endpoint) => endpoint.requests),
      rpcFailures: sum((endpoint) => endpoint.failures),
      usage,
      endpoints: endpoints.map(({ name, state, latencyMs, failures }) => ({
        ...{ name, state, latencyMs, failures },
      })),
      lastError: this.#findLastError(endpoints),
      limitations: source?.limitations ?? [],
      slowed: source?.slowed ?? null,
      adoption: this.#indexer?.adoption() ?? null,
      backfill: this.#indexer?.backfill() ?? null,
      lookups: this.#indexer?.lookups() ?? null,
    };
  }

  /** Told once when it begins, and when it is over. */
  #findShortage(
    status: IndexerStatus,
    counts: { readonly calls: number; readonly refusals: number },
  ): string | null {
    const { log } = this.#options;
    const { chain } = this;
    const nowMs = systemClock.monotonicMs();
    const shortage = this.#rateNeed.observe({ nowMs, status, ...counts });
    const text = shortage === null ? null : describeShortage(shortage);
    if (text !== null && !this.#hasShortage) {
      log.warn(
        { chain, ...shortage },
        `the rate of the endpoints is too low for the chain: ${text}`,
      );
    }
    if (text === null && this.#hasShortage) log.info({ chain }, 'the chain is kept up with again');
    this.#hasShortage = text !== null;
    return text;
  }

  #findLastError(endpoints: ChainSourceStatus['endpoints']): string | null {
    const unwell = endpoints.find(({ state }) => state === 'waiting' || state === 'refused');
    const text = this.#indexer?.status().error ?? unwell?.lastError ?? null;
    return text === null ? null : redact(text).slice(0, ERROR_LENGTH_MAX);
  }

  async #start(): Promise<void> {
    const { source, store, log } = this.#options;
    await this.#checkContracts();
    if (source.instance !== null) await this.#forgetOtherInstance();
    const startBlock = source.startBlock ?? (await this.#readStartBlock());
    if (this.#abort.signal.aborted) return;
    const isDevnet = isEmbedded(source.chain);
    this.#indexer = new Indexer({
      ...DEFAULT_INDEXER_OPTIONS,
      adapter: this.#adapter,
      store: store.market,
      startBlock,
      pollIntervalMs: isDevnet ? DEVNET_POLL_MS : DEFAULT_INDEXER_OPTIONS.pollIntervalMs,
      stallAfterMs: this.#options.indexing.stallSeconds * 1000,
      // A devnet without traders may make no blocks for any time.
      headStallAfterMs: isDevnet ? null : DEFAULT_INDEXER_OPTIONS.headStallAfterMs,
      rollbacksKeptMs: this.#options.rollbacksKeptMs,
      scope: createScope(this.#options.scope, { ...this.#options, adapter: this.#adapter }),
      adoption: { callsPerMinute: this.#pickCallsPerMinute('adoptCallsPerMinute') },
      backfill: {
        callsPerMinute: this.#pickCallsPerMinute('backfillCallsPerMinute'),
        tokensMax: this.#options.indexing.backfillTokensMax,
      },
      retention: {
        trades: this.#options.indexing.retainTradesDays,
        fineCandles: this.#options.indexing.retainFineCandlesDays,
      },
      clock: systemClock,
      sleep,
      random: Math.random,
      log,
      onCommitted: (event) => this.#count(event),
    });
    this.#indexer.start();
  }

  /** Waits until the chain confirms what the operator's file says of it. */
  async #checkContracts(): Promise<void> {
    const { source, log } = this.#options;
    const { signal } = this.#abort;
    if (!source.contracts) return;
    for (let attempt = 1; ; attempt += 1) {
      const problems = await this.#retry(() => this.#nodes.checkContracts(signal));
      if (!isDeepStrictEqual(problems, this.#problems)) {
        for (const problem of problems) {
          log.warn({ chain: source.chain }, `CHAINS_FILE does not fit the chain: ${problem}`);
        }
      }
      this.#problems = problems;
      if (problems.length === 0) return;
      await sleep(computeBackoffMs(attempt, CHECK_BACKOFF, Math.random), signal);
    }
  }

  /** The devnet's node is ours alone. */
  #pickCallsPerMinute(setting: 'adoptCallsPerMinute' | 'backfillCallsPerMinute'): number {
    const { source, indexing } = this.#options;
    const callsPerMinute = indexing[setting];
    const isOurs = source.instance !== null && callsPerMinute > 0;
    return isOurs ? Number.POSITIVE_INFINITY : callsPerMinute;
  }

  /**
   * A devnet that was deleted, or that lost its last state, is a different chain under the same
   * name, without the old final blocks. Its index is rebuilt.
   */
  async #forgetOtherInstance(): Promise<void> {
    const { source, store, log } = this.#options;
    const { market } = store;
    const checkpoint = await market.readCheckpoint(source.chain);
    if (checkpoint === null) return;
    const headers = await market.readHeaders(source.chain);
    const final = headers.find((header) => header.position === checkpoint.finalizedBlock);
    const header = await this.#retry(() =>
      this.#adapter.readHeader(checkpoint.finalizedBlock, this.#abort.signal),
    );
    if (final !== undefined && header?.hash === final.hash) return;
    log.warn({ chain: source.chain }, 'the devnet has changed: its index is rebuilt');
    await market.forgetChain(source.chain);
  }

  /** Without a configured start block, indexing begins at the finalized block. */
  async #readStartBlock(): Promise<number> {
    const head = await this.#retry(() => this.#adapter.readHead(this.#abort.signal));
    return head.finalizedBlock;
  }

  /** Retries until the chain's source answers or we are stopped. */
  async #retry<T>(read: () => Promise<T>): Promise<T> {
    const { signal } = this.#abort;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read();
      } catch (error) {
        signal.throwIfAborted();
        const { chain } = this.#options.source;
        if (attempt === 1) {
          this.#options.log.warn({ chain, err: error }, 'the chain cannot be read; retrying');
        }
        await sleep(computeBackoffMs(attempt, START_BACKOFF, Math.random), signal);
      }
    }
  }

  #count(event: CommittedEvent): void {
    this.#blocksTotal += event.blockCount;
    this.#tradesTotal += event.trades.length;
    if (event.reverted) this.#reorganisationsTotal += 1;
    this.#options.onCommitted(event);
    this.#options.onProgress();
  }
}
