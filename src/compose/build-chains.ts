// The followed chains as building needs them, each with a node that answers while somebody waits.

import { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import { CallSimulator } from '../chains/evm/transactions/simulate-calls.ts';
import { toSwapRouter } from '../chains/evm/transactions/swap-plan.ts';
import { TokenBalanceSlots } from '../chains/evm/transactions/token-balance-slot.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { BuildChain, BuildChains } from '../trading/build/build-chain.ts';
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

export function createBuildChains(options: {
  readonly chains: FollowedChains;
  readonly clock: Clock;
  readonly logger: Logger;
}): ClosableBuildChains {
  const { chains, clock, logger } = options;
  const connected = new Map<string, { source: ChainSource; chain: BuildChain }>();
  const connect = (source: ChainSource): BuildChain => {
    const { deployment, endpoints } = source;
    const { chainId } = deployment;
    const client = new RpcClient({
      ...{ endpoints, chainId, clock, sleep, random: Math.random, log: logger },
      budgetMs: BUDGET_MS,
      limits: LIMITS,
    });
    return {
      chainId,
      router: toSwapRouter(deployment),
      rollup: deployment.rollup ?? null,
      client,
      simulator: new CallSimulator(client, clock),
      slots: new TokenBalanceSlots(client),
    };
  };
  return {
    find: (slug) => {
      const source = chains.findSource(slug);
      if (source === null) return null;
      const current = connected.get(slug);
      if (current?.source === source) return current.chain;
      // The devnet may come back at another port.
      current?.chain.client.close();
      const chain = connect(source);
      connected.set(slug, { source, chain });
      return chain;
    },
    close: () => {
      for (const { chain } of connected.values()) chain.client.close();
    },
  };
}
