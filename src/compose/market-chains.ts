// The followed chains for the market reads, with connections to ask what kind of address an owner
// is.

import type { MarketChain, MarketChains } from '../market/market-parts.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainConnections, ConnectedChain } from './chain-connections.ts';
import { findFamily } from './chain-families.ts';
import type { FollowedChains } from './start-chains.ts';

export function createMarketChains(
  chains: FollowedChains,
  connections: ChainConnections,
): MarketChains {
  const known = new Map<ChainSlug, { connected: ConnectedChain; market: MarketChain }>();
  const create = ({ source, market, nodes }: ConnectedChain): MarketChain => ({
    slug: source.chain,
    addresses: findFamily(source.chain).addresses,
    assets: market.assets,
    vaults: market.vaults,
    burnAddresses: market.burnAddresses,
    noteIncomplete: (pools) => chains.adopt(source.chain, pools),
    requestHistory: (token) => chains.requestHistory(source.chain, token),
    findContracts: nodes.findContracts,
  });
  return {
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
