// The followed chains as building needs them, each with a node that answers while somebody waits.

import type { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import { createEvmTransactions } from '../chains/evm/transactions/evm-transactions.ts';
import type { ChainTransactions } from '../chains/family.ts';
import type { Clock } from '../lib/clock.ts';
import type { BuildChains } from '../trading/build/build-chain.ts';
import type { ChainConnections, ConnectionUse } from './chain-connections.ts';
import { findFamily } from './chain-families.ts';
import type { ChainSource } from './chain-source.ts';
import type { FollowedChains } from './start-chains.ts';

/** A person waits: an endpoint that does not answer soon counts as not answering. */
const USE: ConnectionUse = {
  budgetMs: 8000,
  limits: {
    timeoutMs: 6000,
    replyBytesMax: 8 * 1024 * 1024,
    batchCallsMax: 30,
    batchesMax: 2,
    chainCheckMs: 15_000,
  },
};

interface ClosableBuildChains extends BuildChains {
  close(): void;
}

interface Connected {
  readonly source: ChainSource;
  readonly client: RpcClient;
  readonly chain: ChainTransactions;
}

export function createBuildChains(options: {
  readonly chains: FollowedChains;
  readonly connections: ChainConnections;
  readonly clock: Clock;
}): ClosableBuildChains {
  const { chains, connections, clock } = options;
  const connected = new Map<string, Connected>();
  const connect = (source: ChainSource): Connected => {
    const { chain, deployment, endpoints } = source;
    const client = connections.open({ chain, chainId: deployment.chainId, endpoints }, USE);
    return { source, client, chain: createEvmTransactions(deployment, { client, clock }) };
  };
  return {
    findFamily,
    find: (slug) => {
      const source = chains.findSource(slug);
      if (source === null) return null;
      const current = connected.get(slug);
      if (current?.source === source) return current.chain;
      // The devnet may come back at another port.
      current?.client.close();
      const next = connect(source);
      connected.set(slug, next);
      return next.chain;
    },
    close: () => {
      for (const { client } of connected.values()) client.close();
    },
  };
}
