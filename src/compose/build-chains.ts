// The followed chains for build, each with a connection to its node.

import type { BuildChains } from '../trading/build/build-chain.ts';
import type { ChainConnections } from './chain-connections.ts';
import { findFamily } from './chain-families.ts';
import type { FollowedChains } from './start-chains.ts';

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
