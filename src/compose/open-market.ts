// Opens the market reads with the store, the feed and the chains' nodes.

import { join } from 'node:path';
import type { Access } from '../access/create-access.ts';
import { findTier } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import type { ChainConnections, ConnectedChain } from '../engines/chain-connections.ts';
import { findFamily } from '../engines/chain-families.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import { createMarket, type Market } from '../market/create-market.ts';
import { fetchLogo } from '../market/lists/fetch-logo.ts';
import type { TokenLists } from '../market/lists/token-lists.ts';
import { LogoCache, TokenLogos } from '../market/lists/token-logos.ts';
import type { MarketChain, MarketChains } from '../market/market-parts.ts';
import type { ChainSlug } from '../model/chain.ts';
import { buildSegmentElsewhere } from '../runtime/build-segment.ts';
import type { ChainFollower } from '../runtime/chain-follower.ts';
import { createKeptSegments } from '../runtime/kept-segments.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

// The followed chains for the market reads, with connections to ask what kind of address an owner
// is.

interface MarketChainsOptions {
  readonly chains: ChainFollower;
  readonly connections: ChainConnections;
  readonly logos: Pick<TokenLogos, 'canServe'>;
  /** The server's own origin. */
  readonly findOrigin: () => string | null;
}

function toLogoUrl(origin: string, chain: ChainSlug, mint: string): string {
  return `${origin}/v1/token/logo?${new URLSearchParams({ chain, mint })}`;
}

function createMarketChains(options: MarketChainsOptions): MarketChains {
  const { chains, connections, logos } = options;
  const describe = ({ source, addresses, rules, market, nodes }: ConnectedChain): MarketChain => ({
    slug: source.chain,
    addresses,
    assets: market.assets,
    ...{ tradedVenues: market.tradedVenues, onChainVenues: market.onChainVenues },
    vaults: market.vaults,
    burnAddresses: market.burnAddresses,
    findHook: (pool) => rules.findHook(pool),
    findLogoUrl: (token, logo) => {
      const origin = options.findOrigin();
      if (origin === null || !logos.canServe(logo)) return null;
      return toLogoUrl(origin, source.chain, addresses.toShown(token));
    },
    noteIncomplete: (pools) => chains.adopt(source.chain, pools, 'shown'),
    requestHistory: (token, caller) => chains.requestHistory(source.chain, token, caller),
    findContracts: nodes.findContracts,
    readHoldings: nodes.readHoldings,
    hasMints: market.hasMints === true,
    readContractFacts: nodes.readContractFacts,
    readLiquidityOwners: nodes.readLiquidityOwners,
  });
  return {
    known: chains.known,
    list: () => chains.slugs,
    findAddresses: (slug) => findFamily(slug).addresses,
    find: (slug) => {
      const source = chains.findSource(slug);
      return source === null ? null : describe(connections.connect(source));
    },
  };
}

// Opens the logos of listed tokens with their folder on disk.

function openTokenLogos(options: {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): TokenLogos {
  const { config, clock, logger, metrics } = options;
  const { logoCacheMb, ipfsGateway } = config.lists;
  const folder = join(config.store.dataDir, 'logo-cache');
  const bytesMax = logoCacheMb * 1024 * 1024;
  const cache = bytesMax === 0 ? null : new LogoCache({ folder, bytesMax });
  const readBytes = () => cache?.bytes ?? 0;
  // Workers have one folder.
  metrics.gauge('mintwire_logo_cache_bytes', 'Disk used by logos.', readBytes, 'max');
  return new TokenLogos({
    cache,
    ipfsGateway,
    fetchLogo: (url, signal) => fetchLogo(url, { signal }),
    clock,
    onFailure: (error) => logger.debug({ err: error }, 'a logo could not be read'),
  });
}

interface OpenMarketOptions {
  readonly config: Config;
  readonly store: Store;
  readonly feed: Feed;
  readonly chains: ChainFollower;
  readonly connections: ChainConnections;
  readonly access: Pick<Access, 'tiers' | 'origins'>;
  readonly lists: TokenLists;
  readonly findSafety: Parameters<typeof createMarket>[0]['findSafety'];
  /** Absent if nothing is looked up. */
  readonly lookups: LookupDesk | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

function measure(market: Market, chains: ChainFollower, metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(`mintwire_answer_cache_${name}`, help, read);
  gauge('bytes', 'Memory used by cached answers.', () => market.cache.statistics.bytes);
  gauge('entries', 'Cached answers.', () => market.cache.statistics.entries);
  gauge('hits', 'Answer cache hits.', () => market.cache.statistics.hits);
  gauge('misses', 'Answer cache misses.', () => market.cache.statistics.misses);
  metrics.chainGauge(
    'mintwire_feed_reloads',
    'How often everything was read again because commits were missed, since the start.',
    () => chains.list().map(({ slug }) => [slug, market.states.countReloads(slug)] as const),
    'sum',
  );
  measureStandby(market, metrics);
  metrics.chainGauge('mintwire_search_tokens', 'Tokens in the search index.', () =>
    chains.list().map(({ slug }) => [slug, market.search.countTokens(slug)] as const),
  );
}

function measureStandby({ standby }: Market, metrics: Metrics): void {
  if (standby === undefined) return;
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(`mintwire_standby_${name}`, help, read);
  gauge('up', 'Whether the standby answers.', () => Number(standby.isUp));
  gauge('reads', 'Answers read from the standby.', () => standby.counts.used);
  gauge('behind', 'Looks at the standby that found it behind.', () => standby.counts.behind);
  gauge('failed', 'Reads that failed there; the primary answered.', () => standby.counts.failed);
}

export async function openMarket(options: OpenMarketOptions): Promise<Market> {
  const { config, store, feed, chains, access, clock, logger, metrics } = options;
  const logos = openTokenLogos(options);
  const market = createMarket({
    store,
    feed,
    chains: createMarketChains({
      ...{ chains, connections: options.connections, logos },
      findOrigin: () => access.origins.findByDomain(null),
    }),
    logos,
    clock,
    depthOf: (identity) => findTier(access.tiers, identity).depth,
    lists: options.lists,
    findSafety: options.findSafety,
    lookups: options.lookups,
    buildSegment: (chain, facts) => buildSegmentElsewhere({ store: config.store, chain, facts }),
    keptSegments: createKeptSegments(config.store, store.market),
    cacheBytesMax: config.server.answerCacheMb * 1024 * 1024,
    onError: (error) => {
      // It occurs several times a second during an outage; the outage's start and end are logged
      // elsewhere.
      if (isLoggedOutage(error)) return;
      logger.error({ err: error }, 'the market could not apply a commit');
    },
  });
  measure(market, chains, metrics);
  await market.start();
  return market;
}
