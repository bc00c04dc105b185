// The followed chains as building needs them, each with a node that answers while somebody waits.

import { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import { createEvmTransactions } from '../chains/evm/transactions/evm-transactions.ts';
import type { ChainTransactions } from '../chains/family.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { BuildChains } from '../trading/build/build-chain.ts';
import { findFamily } from './chain-families.ts';
import type { ChainSource } from './chain-source.ts';
import type { FollowedChains } from './start-chains.ts';

/** A person waits: an endpoint that does not answer soon counts as not answering. */
const BUDGET_MS = 8000;
const LIMITS = {
  timeoutMs: 6000,
  replyBytesMax: 8 * 1024 * 1024,
  batchCallsMax: 30,
  batchesMax: 2,
  chainCheckMs: 15_000,
};

export interface ClosableBuildChains extends BuildChains {
  close(): void;
}

interface Connected {
  readonly source: ChainSource;
  readonly client: RpcClient;
  readonly chain: ChainTransactions;
}

export function createBuildChains(options: {
  readonly chains: FollowedChains;
  readonly clock: Clock;
  readonly logger: Logger;
}): ClosableBuildChains {
  const { chains, clock, logger } = options;
  const connected = new Map<string, Connected>();
  const connect = (source: ChainSource): Connected => {
    const { deployment, endpoints } = source;
    const { chainId } = deployment;
    const client = new RpcClient({
      ...{ endpoints, chainId, clock, sleep, random: Math.random, log: logger },
      budgetMs: BUDGET_MS,
      limits: LIMITS,
    });
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
