// Opens pricing with the store, the feed, the pepper and the chains' nodes.

import type { Peppers } from '../access/peppers.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { findFamily } from '../engines/chain-families.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { Feed } from '../live/feed.ts';
import { ContractBook } from '../market/contract-book.ts';
import type { Market } from '../market/create-market.ts';
import type { ChainFollower } from '../runtime/chain-follower.ts';
import { openSearchThreads } from '../runtime/open-search-threads.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createBuildTrade } from '../trading/build/create-build-trade.ts';
import { createGetChainFees } from '../trading/build/create-get-chain-fees.ts';
import {
  createGetTrade,
  createGetTradeStatus,
  type NodeAnswer,
} from '../trading/build/create-get-trade-status.ts';
import type { BuildChains } from '../trading/build/read-transaction-trades.ts';
import { StatusWaits } from '../trading/build/status-waits.ts';
import { createPricing, createQuoteTrade, type Pricing } from '../trading/quote/create-pricing.ts';
import type { TradeChains } from '../trading/quote/trade-chain.ts';
import { createTradeChains } from '../trading/quote/trade-chains.ts';
import { RouteScheduler } from '../trading/search/route-scheduler.ts';

// The followed chains for build, each with a connection to its node.

export function createBuildChains(options: {
  readonly chains: Pick<ChainFollower, 'findSource'>;
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
  readonly chains: ChainFollower;
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
    readonly getChainFees: ReturnType<typeof createGetChainFees>;
    readonly getTradeStatus: ReturnType<typeof createGetTradeStatus>;
  };
  /** Answers the requests that wait for a status, because the process ends. */
  endWaits(): void;
  stop(): Promise<void>;
}

export function openTrading(options: OpenTradingOptions): Trading {
  const { market, peppers, clock, metrics, store, logger } = options;
  const contracts = new ContractBook({ nowMs: () => clock.nowMs() });
  const chains = createTradeChains({
    ...options,
    states: market.states,
    findAddresses: (slug) => findFamily(slug).addresses,
    findFacts: (asked, token) => {
      const reading = contracts.find(asked, token);
      return reading.kind === 'read' ? reading.facts : null;
    },
  });
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
      getChainFees: createGetChainFees({ chains, builders, store: store.market }),
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
