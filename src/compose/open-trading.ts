// Opens pricing with the store, the feed, the pepper and the chains' nodes.

import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Peppers } from '../access/peppers.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { findFamily } from '../engines/chain-families.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import { YOUNG_HEAP } from '../lib/thread-heap.ts';
import type { Feed } from '../live/feed.ts';
import { ContractBook } from '../market/contract-book.ts';
import type { Market } from '../market/create-market.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createBuildTrade } from '../trading/build/create-build-trade.ts';
import {
  createGetTrade,
  createGetTradeStatus,
  type NodeAnswer,
} from '../trading/build/create-get-trade-status.ts';
import type { BuildChains } from '../trading/build/read-transaction-trades.ts';
import { StatusWaits } from '../trading/build/status-waits.ts';
import { createPricing, createQuoteTrade, type Pricing } from '../trading/quote/create-pricing.ts';
import type { TradeChains } from '../trading/quote/trade-chain.ts';
import { RouteScheduler } from '../trading/search/route-scheduler.ts';
import type { SearchMessage } from '../trading/search/search-message.ts';
import {
  type SearchThread,
  SearchThreads,
  type ThreadEvents,
} from '../trading/search/search-threads.ts';
import { RunningTradeChain, type TradeChainsOptions } from './running-trade-chain.ts';
import type { FollowedChains } from './start-chains.ts';

// The followed chains for pricing.

/** A devnet's node is known only once it runs. */
const LOOK_MS = 250;

interface RunningTradeChains extends TradeChains {
  start(): void;
  stop(): Promise<void>;
}

export function createTradeChains(options: TradeChainsOptions): RunningTradeChains {
  const { chains, feed, states } = options;
  const running = new Map<ChainSlug, RunningTradeChain>();
  const stopping = new Set<Promise<void>>();
  const ensure = (slug: ChainSlug): RunningTradeChain | null => {
    const source = chains.findSource(slug);
    const current = running.get(slug) ?? null;
    if (source === null || current?.source === source) return current;
    if (current !== null && isDeepStrictEqual(current.source, source)) return current;
    // The devnet may restart at another port, or as another chain.
    if (current !== null) {
      const stopped = current.stop().finally(() => stopping.delete(stopped));
      stopping.add(stopped);
    }
    const next = new RunningTradeChain(source, options);
    running.set(slug, next);
    next.start();
    return next;
  };
  let timer: NodeJS.Timeout | null = null;
  let unsubscribes: readonly (() => void)[] = [];
  return {
    known: chains.known,
    list: () => chains.slugs,
    findAddresses: (slug) => findFamily(slug).addresses,
    canTrade: (slug) => ensure(slug)?.canTrade ?? true,
    find: (slug) => ensure(slug)?.trade ?? null,
    start: () => {
      unsubscribes = [
        feed.subscribe({
          onBatch: (batch) => ensure(batch.chain)?.onBatch(batch),
          onGap: (chain) => running.get(chain)?.onGap(),
        }),
        states.subscribe(({ chain, jump }) => {
          if (jump !== 'none') running.get(chain)?.jump(jump);
        }),
      ];
      const look = () => {
        for (const slug of chains.slugs) ensure(slug);
      };
      look();
      timer = setInterval(look, LOOK_MS);
      timer.unref();
    },
    stop: async () => {
      if (timer) clearInterval(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
      await Promise.all([...stopping, ...[...running.values()].map((one) => one.stop())]);
    },
  };
}

// Search threads as worker threads of this process.

/** One core for reads and one for the indexer. */
const CORES_KEPT = 2;
const THREADS_MAX = 4;
/** Several times the memory that a thread used with the maximum number of pools. */
const MEMORY_MB = 384;
/** Some seconds of searching; per caller, as many quotes as a page might request at once. */
const QUEUE = { lengthMax: 128, perCallerMax: 32 };

export function startSearchThread(events: ThreadEvents): SearchThread {
  const worker = new Worker(new URL('../runtime/search-thread.ts', import.meta.url), {
    resourceLimits: { ...YOUNG_HEAP, maxOldGenerationSizeMb: MEMORY_MB },
  });
  let cause = new Error('a search thread ended');
  worker.on('message', (message: SearchMessage) => events.onMessage(message));
  worker.on('error', (error: Error) => {
    cause = error;
  });
  worker.on('exit', () => events.onEnd(cause));
  return {
    post: (command) => worker.postMessage(command),
    end: async () => {
      await worker.terminate();
    },
  };
}

export function openSearchThreads(options: {
  readonly clock: Clock;
  readonly logger: { error(fields: object, message: string): void };
}): SearchThreads {
  return new SearchThreads({
    startThread: startSearchThread,
    threadCountMax: Math.max(1, Math.min(THREADS_MAX, availableParallelism() - CORES_KEPT)),
    queue: QUEUE,
    clock: options.clock,
    log: options.logger,
  });
}

// The followed chains for build, each with a connection to its node.

export function createBuildChains(options: {
  readonly chains: Pick<FollowedChains, 'findSource'>;
  readonly connections: ChainConnections;
}): BuildChains {
  const { chains, connections } = options;
  return {
    findFamily,
    find: (slug) => {
      const source = chains.findSource(slug);
      return source === null ? null : connections.connect(source).nodes.transactions;
    },
  };
}

interface OpenTradingOptions {
  readonly store: Store;
  /** Whether other processes use the store, too. */
  readonly isShared: boolean;
  readonly feed: Feed;
  readonly chains: FollowedChains;
  readonly connections: ChainConnections;
  readonly market: Pick<Market, 'pauses' | 'states' | 'parts'>;
  readonly peppers: Peppers;
  /** Absent if nothing is looked up. */
  readonly lookups: LookupDesk | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface Trading {
  readonly chains: Pick<TradeChains, 'find'>;
  /** What was read of tokens' contracts and mints. */
  readonly contracts: ContractBook;
  /** For other users of pricing than quotes. */
  readonly pricing: Pricing;
  readonly handlers: {
    readonly quoteTrade: ReturnType<typeof createQuoteTrade>;
    readonly buildTrade: ReturnType<typeof createBuildTrade>;
    readonly getTrade: ReturnType<typeof createGetTrade>;
    readonly getTradeStatus: ReturnType<typeof createGetTradeStatus>;
  };
  /** Answers the requests that wait for a status, because the process ends. */
  endWaits(): void;
  stop(): Promise<void>;
}

export function openTrading(options: OpenTradingOptions): Trading {
  const { market, peppers, clock, metrics, store, logger } = options;
  const contracts = new ContractBook({ nowMs: () => clock.nowMs() });
  const chains = createTradeChains({ ...options, contracts, states: market.states });
  const builders = createBuildChains(options);
  metrics.chainGauge('mintwire_pool_graph_pools', 'Pools that quotes can use.', () =>
    chains.list().map((slug) => [slug, chains.find(slug)?.readGraph()?.graph.size ?? null]),
  );
  metrics.chainGauge('mintwire_pool_safety_pools', 'Pools whose tokens were probed.', () =>
    chains.list().map((slug) => [slug, chains.find(slug)?.safetyCache.size ?? null]),
  );
  const threads = openSearchThreads({ clock, logger });
  const scheduler = new RouteScheduler(threads);
  metrics.gauge('mintwire_route_searches_waiting', 'Route searches that wait for a thread.', () => {
    return scheduler.waiting;
  });
  const pricing = createPricing({
    chains,
    clock,
    candles: store.market,
    findLookalike: (named) => market.parts.lists.findLookalike(named),
    isListed: (chain, token) => market.parts.lists.directory.get(chain)?.has(token) ?? false,
    scheduler,
    lookups: options.lookups,
    isPaused: (chain, token) => market.pauses.isPaused(chain, token),
    sealer: {
      mark: (text) => peppers.mark('quote', text),
      isMark: (text, mark) => peppers.isMark('quote', text, mark),
    },
  });
  const waits = new StatusWaits<NodeAnswer>({ clock, sleep });
  chains.start();
  return {
    ...{ chains, contracts },
    pricing,
    handlers: {
      quoteTrade: createQuoteTrade(pricing),
      buildTrade: createBuildTrade({ pricing, chains, builders, clock, sleep, log: logger }),
      getTrade: createGetTrade({
        ...{ chains, builders, pauses: market.pauses },
        store: store.market,
      }),
      getTradeStatus: createGetTradeStatus({
        ...{ chains, builders, waits },
        store: store.market,
        readVersion: (slug) => chains.find(slug)?.readGraph()?.checkpoint.version ?? 0,
      }),
    },
    endWaits: () => waits.stop(),
    stop: async () => {
      await Promise.all([threads.stop(), chains.stop()]);
    },
  };
}
