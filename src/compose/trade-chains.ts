// The followed chains for pricing, each with its pools in memory as of the last commit.

import { isDeepStrictEqual } from 'node:util';
import type { ChainSource } from '../chains/family.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { Feed, FeedBatch } from '../live/feed.ts';
import { CHAINS, type ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { listAskedPools } from '../trading/graph/list-asked-pools.ts';
import { listPartialPools } from '../trading/graph/list-partial-pools.ts';
import { PoolGraphFollower } from '../trading/graph/pool-graph-follower.ts';
import { SafetyBook } from '../trading/graph/safety-book.ts';
import { FeeWatch } from '../trading/quote/fee-watch.ts';
import type { TradeChain, TradeChains } from '../trading/quote/trade-chain.ts';
import { TradeTokens } from '../trading/quote/trade-tokens.ts';
import { SafetyEvidence } from '../trading/safety/safety-evidence.ts';
import { SafetyKeeper } from '../trading/safety/safety-keeper.ts';
import { SafetyWatch } from '../trading/safety/safety-watch.ts';
import type { ChainConnections, ConnectedChain } from './chain-connections.ts';
import { findFamily, requireMarkets } from './chain-families.ts';
import { isLate } from './chain-progress.ts';
import { createProbe } from './probe-pools.ts';
import type { FollowedChains } from './start-chains.ts';

/** Requested pools that moved are probed at most five a second, with two requests each. */
const PROBE_PAUSE_MS = 400;
/** A devnet's node is known only once it runs. */
const LOOK_MS = 250;
/** How long a quote waits for the pools that a lookup has found. */
const SETTLE_MAX_MS = 2000;

interface TradeChainsOptions {
  readonly chains: Pick<FollowedChains, 'slugs' | 'list' | 'findSource' | 'adopt'> & {
    readonly tokens: Pick<FollowedChains['tokens'], 'noteKnown'>;
  };
  readonly store: Pick<Store, 'market'>;
  readonly feed: Feed;
  readonly connections: ChainConnections;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** The parts of one chain, while its source stays the same. */
class RunningChain {
  readonly source: ChainSource;
  readonly trade: TradeChain;
  readonly #options: TradeChainsOptions;
  readonly #connected: ConnectedChain;
  readonly #fees: FeeWatch;
  readonly #tokens: TradeTokens;
  readonly #safety: SafetyWatch;
  readonly #book: SafetyBook;
  readonly #evidence: SafetyEvidence;
  readonly #keeper: SafetyKeeper;
  #follower: PoolGraphFollower;
  #loading: Promise<void> = Promise.resolve();
  #isLoaded = false;
  /** The last block announced by the feed. */
  #heardBlock: number | null = null;

  constructor(source: ChainSource, options: TradeChainsOptions) {
    const { clock, logger, store, chains } = options;
    const { chain: slug } = source;
    this.source = source;
    this.#options = options;
    this.#connected = options.connections.connect(source);
    const { market, nodes } = this.#connected;
    this.#fees = new FeeWatch({
      readFees: nodes.readFees,
      clock,
      onError: (error) => logger.warn({ chain: slug, err: error }, 'fees could not be read'),
    });
    this.#tokens = new TradeTokens(slug, store.market);
    // The chain's own coin and the assets that its family vouches for.
    const trusted = new Set([...market.assets.native, ...market.assets.stable]);
    const book = new SafetyBook();
    this.#book = book;
    this.#keeper = new SafetyKeeper({
      chain: slug,
      store: store.market,
      book,
      onError: (error) =>
        logger.warn({ chain: slug, err: error }, 'safety results could not be stored'),
    });
    this.#follower = this.#createFollower();
    this.#safety = this.#createSafety(trusted);
    this.#evidence = this.#createEvidence(trusted);
    this.trade = {
      slug,
      addresses: findFamily(slug).addresses,
      wrapped: market.wrapped,
      costs: market.costs,
      trusted,
      tokens: this.#tokens,
      book,
      // Without the stored safety results the first quotes would be more cautious than necessary.
      readGraph: () => (this.#isLoaded ? this.#follower.current : null),
      readFees: () => this.#fees.read(),
      isBehind: () => chains.list().some((one) => one.slug === slug && isLate(one)),
      noteAsked: (token) => {
        const { graph, checkpoint } = this.#follower.current ?? {};
        if (graph === undefined) return;
        chains.adopt(slug, listPartialPools(graph, token));
        this.#safety.noteAround(listAskedPools(graph, token, trusted));
        // A chain that is indexed from its beginning has no older pools.
        if ((checkpoint?.startBlock ?? 0) > 1) chains.tokens.noteKnown(slug, token);
      },
      settle: async () => {
        const done = new AbortController();
        const late = sleep(SETTLE_MAX_MS, done.signal).catch(() => undefined);
        await Promise.race([this.#follower.settled(), late]);
        done.abort();
      },
      noteUse: (pools) => {
        this.#safety.noteUse(pools);
        const graph = this.#follower.current?.graph;
        const partial = pools.filter((pool) => graph?.get(pool)?.inexact === 'ticks');
        chains.adopt(slug, partial);
      },
      noteFailure: (failure) => this.#evidence.hearFailure(failure),
    };
  }

  start(): void {
    this.#follower.start();
    this.#fees.start();
    const loaded = this.#keeper.load().then(() => {
      this.#isLoaded = true;
    });
    this.#loading = Promise.all([loaded, this.#follower.settled()]).then(() => {
      this.#refitHooks();
      this.#safety.start();
    });
  }

  hear(batch: FeedBatch): void {
    this.#tokens.hear(batch);
    // Version 1 is a rebuilt index, whose versions start over.
    if (batch.version === 1) {
      this.#book.clear();
      this.#evidence.clear();
      this.#restartFollower();
    }
    this.#follower.hear(batch);
    this.#heardBlock = batch.toBlock;
    // Immediately: a promise must not outlive evidence against it.
    this.#evidence.hear(batch);
    // After the graph has them: new pools are probed, others when due.
    void this.#follower.settled().then(() => this.#safety.hear(batch.pools));
  }

  miss(): void {
    this.#tokens.forget();
    this.#follower.miss();
    this.#evidence.miss();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#safety.stop(), this.#follower.stop(), this.#fees.stop()]);
    await this.#loading;
    await this.#keeper.stop();
  }

  #createSafety(trusted: ReadonlySet<Address>): SafetyWatch {
    const book = this.#book;
    const { clock, logger } = this.#options;
    const { chain } = this.source;
    const { nodes } = this.#connected;
    const readGraph = () => this.#follower.current?.graph ?? null;
    const readFees = () => this.#fees.peek();
    const readBlock = () => this.#heardBlock ?? this.#follower.current?.checkpoint.block ?? 0;
    const readGraphBlock = () => this.#follower.current?.checkpoint.block ?? 0;
    const read = { readGraph, readFees, readBlock, readGraphBlock };
    const { decimals: coinDecimals } = CHAINS[chain].native;
    const parts = { nodes, trusted, coinDecimals, book, ...read, clock, sleep };
    return new SafetyWatch({
      book,
      readGraph,
      probe: createProbe(parts),
      onMeasured: (safety, before) => {
        this.#evidence.settle(before, safety);
        this.#keeper.keep(safety);
        if (safety.hookFees !== null) this.#follower.refit(safety.pool);
      },
      // Nobody else uses the devnet's node, so no pause is needed.
      pauseMs: this.source.instance === null ? PROBE_PAUSE_MS : 0,
      probesAll: this.source.instance !== null,
      clock,
      sleep,
      random: Math.random,
      onError: (error) => logger.warn({ chain, err: error }, 'a pool could not be probed'),
    });
  }

  #createEvidence(trusted: ReadonlySet<Address>): SafetyEvidence {
    return new SafetyEvidence({
      book: this.#book,
      readGraph: () => this.#follower.current?.graph ?? null,
      trusted,
      clock: this.#options.clock,
      remeasure: (pools, isUrgent) => {
        if (isUrgent) this.#safety.recheck(pools);
        else if (pools.length > 0) this.#safety.hear(pools);
      },
    });
  }

  /** Pools may have been loaded before the data about their hooks. */
  #refitHooks(): void {
    const pools = this.#follower.current?.graph.pools() ?? [];
    for (const { pool, inexact } of pools) if (inexact === 'hook') this.#follower.refit(pool);
  }

  #restartFollower(): void {
    void this.#follower.stop();
    this.#follower = this.#createFollower();
    this.#follower.start();
  }

  #createFollower(): PoolGraphFollower {
    const { store, logger } = this.#options;
    const { chain } = this.source;
    const { assets, wrapped, tradedVenues: venues } = this.#connected.market;
    return new PoolGraphFollower({
      chain,
      store: store.market,
      native: { coin: assets.coin, wrapped },
      venues,
      rules: requireMarkets(chain),
      hookFees: (pool) => this.#book.get(pool)?.hookFees ?? null,
      sleep,
      random: Math.random,
      log: logger,
    });
  }
}

interface RunningTradeChains extends TradeChains {
  start(): void;
  stop(): Promise<void>;
}

export function createTradeChains(options: TradeChainsOptions): RunningTradeChains {
  const { chains, feed } = options;
  const running = new Map<ChainSlug, RunningChain>();
  const stopping = new Set<Promise<void>>();
  const ensure = (slug: ChainSlug): RunningChain | null => {
    const source = chains.findSource(slug);
    const current = running.get(slug) ?? null;
    if (source === null || current?.source === source) return current;
    if (current !== null && isDeepStrictEqual(current.source, source)) return current;
    // The devnet may restart at another port, or as another chain.
    if (current !== null) {
      const stopped = current.stop().finally(() => stopping.delete(stopped));
      stopping.add(stopped);
    }
    const next = new RunningChain(source, options);
    running.set(slug, next);
    next.start();
    return next;
  };
  let timer: NodeJS.Timeout | null = null;
  let unsubscribe: (() => void) | null = null;
  return {
    list: () => chains.slugs,
    findAddresses: (slug) => findFamily(slug).addresses,
    find: (slug) => ensure(slug)?.trade ?? null,
    start: () => {
      unsubscribe = feed.subscribe({
        onBatch: (batch) => ensure(batch.chain)?.hear(batch),
        onGap: (chain) => running.get(chain)?.miss(),
      });
      const look = () => {
        for (const slug of chains.slugs) ensure(slug);
      };
      look();
      timer = setInterval(look, LOOK_MS);
      timer.unref();
    },
    stop: async () => {
      if (timer) clearInterval(timer);
      unsubscribe?.();
      await Promise.all([...stopping, ...[...running.values()].map((one) => one.stop())]);
    },
  };
}
