// A followed chain as building transactions needs it: its router, and a node to ask.

import type { Rollup } from '../../chains/evm/deployment.ts';
import type { RpcClient } from '../../chains/evm/rpc/rpc-client.ts';
import type { CallSimulator } from '../../chains/evm/transactions/simulate-calls.ts';
import type { SwapRouter } from '../../chains/evm/transactions/swap-plan.ts';
import type { TokenBalanceSlots } from '../../chains/evm/transactions/token-balance-slot.ts';
import type { ChainSlug } from '../../model/chain.ts';

export interface BuildChain {
  readonly chainId: number;
  /** Null where no router is known. */
  readonly router: SwapRouter | null;
  /** How it charges for data, where it does. */
  readonly rollup: Rollup | null;
  readonly client: RpcClient;
  readonly simulator: CallSimulator;
  readonly slots: TokenBalanceSlots;
}

export interface BuildChains {
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): BuildChain | null;
}
