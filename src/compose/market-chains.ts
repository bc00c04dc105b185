// The followed chains as the market's reads know them, with nodes to ask what owners are.

import { toChainAssets } from '../chains/evm/deployment.ts';
import { readContractAccounts } from '../chains/evm/read-contract-accounts.ts';
import type { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import type { MarketChain, MarketChains } from '../market/market-parts.ts';
import type { ChainConnections, ConnectionUse } from './chain-connections.ts';
import { findFamily } from './chain-families.ts';
import type { ChainSource } from './chain-source.ts';
import type { FollowedChains } from './start-chains.ts';

/** A reader waits: an endpoint that does not answer soon counts as not answering. */
const USE: ConnectionUse = {
  budgetMs: 2000,
  limits: {
    timeoutMs: 1800,
    replyBytesMax: 32 * 1024 * 1024,
    batchCallsMax: 50,
    batchesMax: 4,
    chainCheckMs: 15_000,
  },
};

interface ClosableMarketChains extends MarketChains {
  close(): void;
}

interface Connected {
  readonly source: ChainSource;
  readonly market: MarketChain;
  readonly client: RpcClient;
}

export function createMarketChains(
  chains: FollowedChains,
  connections: ChainConnections,
): ClosableMarketChains {
  const connected = new Map<string, Connected>();
  function connect(source: ChainSource): Connected {
    const { chain, deployment, endpoints } = source;
    const client = connections.open({ chain, chainId: deployment.chainId, endpoints }, USE);
    const market: MarketChain = {
      slug: chain,
      assets: toChainAssets(deployment),
      vaults: new Set(deployment.v4 === null ? [] : [deployment.v4.poolManager]),
      findContracts: (addresses, signal) => readContractAccounts(client, addresses, signal),
    };
    return { source, market, client };
  }
  return {
    list: () => chains.slugs,
    findAddresses: (slug) => findFamily(slug).addresses,
    find: (slug) => {
      const source = chains.findSource(slug);
      if (source === null) return null;
      let current = connected.get(slug);
      if (current?.source !== source) {
        // The devnet may come back at another port.
        current?.client.close();
        current = connect(source);
        connected.set(slug, current);
      }
      return current.market;
    },
    close: () => {
      for (const { client } of connected.values()) client.close();
    },
  };
}
