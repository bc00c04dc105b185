// Opens the market reads with the store, the feed and the chains' nodes.

import type { Access } from '../access/create-access.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import { createMarket, type Market } from '../market/create-market.ts';
import type { TokenLists } from '../market/lists/token-lists.ts';
import type { Store } from '../store/store.ts';
import { isStoreOutage } from '../store/store-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { buildSegmentElsewhere } from './build-segment.ts';
import type { ChainConnections } from './chain-connections.ts';
import { createMarketChains } from './market-chains.ts';
import type { FollowedChains } from './start-chains.ts';

interface OpenMarketOptions {
  readonly config: Config;
  readonly store: Store;
  readonly feed: Feed;
  readonly chains: FollowedChains;
  readonly connections: ChainConnections;
  readonly access: Pick<Access, 'tiers'>;
  readonly lists: TokenLists;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

function measure(market: Market, chains: FollowedChains, metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(`mintwire_answer_cache_${name}`, help, read);
  gauge('bytes', 'Memory used by cached answers.', () => market.cache.statistics.bytes);
  gauge('entries', 'Cached answers.', () => market.cache.statistics.entries);
  gauge('hits', 'Answer cache hits.', () => market.cache.statistics.hits);
  gauge('misses', 'Answer cache misses.', () => market.cache.statistics.misses);
  metrics.chainGauge('mintwire_search_tokens', 'Tokens in the search index.', () =>
    chains.list().map(({ slug }) => [slug, market.search.countTokens(slug)] as const),
  );
}

export async function openMarket(options: OpenMarketOptions): Promise<Market> {
  const { config, store, feed, chains, access, clock, logger, metrics } = options;
  const market = createMarket({
    store,
    feed,
    chains: createMarketChains(chains, options.connections),
    clock,
    depthOf: (identity) => access.tiers[identity.kind].depth,
    lists: options.lists,
    lookups: chains.tokens.isOn ? chains.tokens : undefined,
    buildSegment: (chain, entries) =>
      buildSegmentElsewhere({ store: config.store, chain, entries }),
    cacheBytesMax: config.server.answerCacheMb * 1024 * 1024,
    onError: (error) => {
      // It occurs several times a second during an outage; the outage's start and end are logged
      // elsewhere.
      if (isStoreOutage(error)) return;
      logger.error({ err: error }, 'the market could not apply a commit');
    },
  });
  measure(market, chains, metrics);
  await market.start();
  return market;
}
