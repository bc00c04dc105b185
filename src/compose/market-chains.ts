// The followed chains for the market reads, with connections to ask what kind of address an owner
// is.

import type { TokenLogos } from '../market/lists/token-logos.ts';
import type { MarketChain, MarketChains } from '../market/market-parts.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainConnections, ConnectedChain } from './chain-connections.ts';
import { findFamily } from './chain-families.ts';
import type { FollowedChains } from './start-chains.ts';

interface MarketChainsOptions {
  readonly chains: FollowedChains;
  readonly connections: ChainConnections;
  readonly logos: Pick<TokenLogos, 'canServe'>;
  /** The server's own origin. */
  readonly findOrigin: () => string | null;
}

function toLogoUrl(origin: string, chain: ChainSlug, mint: string): string {
  return `${origin}/v1/token/logo?${new URLSearchParams({ chain, mint })}`;
}

export function createMarketChains(options: MarketChainsOptions): MarketChains {
  const { chains, connections, logos } = options;
  const known = new Map<ChainSlug, { connected: ConnectedChain; market: MarketChain }>();
  const create = ({ source, market, nodes }: ConnectedChain): MarketChain => ({
    slug: source.chain,
    addresses: findFamily(source.chain).addresses,
    assets: market.assets,
    ...{ tradedVenues: market.tradedVenues, calledVenues: market.calledVenues },
    vaults: market.vaults,
    burnAddresses: market.burnAddresses,
    leavesSwapsAlone: (pool) => findFamily(source.chain).markets?.leavesSwapsAlone(pool) ?? false,
    findLogoUrl: (token, logo) => {
      const origin = options.findOrigin();
      if (origin === null || !logos.canServe(logo)) return null;
      const { toShown } = findFamily(source.chain).addresses;
      return toLogoUrl(origin, source.chain, toShown(token));
    },
    noteIncomplete: (pools) => chains.adopt(source.chain, pools, 'shown'),
    requestHistory: (token, caller) => chains.requestHistory(source.chain, token, caller),
    findContracts: nodes.findContracts,
    readHoldings: nodes.readHoldings,
    hasMints: market.hasMints === true,
    readContractFacts: nodes.readContractFacts,
  });
  return {
    known: chains.known,
    list: () => chains.slugs,
    findAddresses: (slug) => findFamily(slug).addresses,
    find: (slug) => {
      const source = chains.findSource(slug);
      if (source === null) return null;
      const current = known.get(slug);
      if (current?.connected.source === source) return current.market;
      const connected = connections.connect(source);
      if (current?.connected === connected) return current.market;
      const market = create(connected);
      known.set(slug, { connected, market });
      return market;
    },
  };
}
