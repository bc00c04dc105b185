// The contracts of one EVM chain's markets.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { ChainAssets } from '../adapter.ts';
import { EVM_ADDRESSES } from './evm-addresses.ts';

/** Uniswap V2 or one of its forks. */
export interface V2Fork {
  readonly venue: string;
  readonly factory: Address;
  readonly feePips: number;
  /** A `Router02` of that fork. */
  readonly router: Address | null;
  /** Whether the chain's Universal Router supports it. */
  readonly universalRouter: boolean;
}

/** Uniswap V3 or one of its forks; each pool has its own fee. */
export interface V3Fork {
  readonly venue: string;
  readonly factory: Address;
  /** A `QuoterV2` of that fork. */
  readonly quoter: Address | null;
  readonly universalRouter: boolean;
}

export interface V4Deployment {
  readonly venue: string;
  readonly poolManager: Address;
  readonly positionManager: Address;
  readonly stateView: Address;
  readonly quoter: Address;
}

/** How a rollup charges for transaction data. */
export type Rollup = 'arbitrum' | 'optimism';

export interface EvmDeployment {
  readonly chain: ChainSlug;
  readonly chainId: number;
  readonly wrapped: Address;
  /** Whether wrapping also emits `Transfer` logs, so that `Deposit` must not be counted again. */
  readonly wrappedEmitsTransfers: boolean;
  readonly stables: readonly Address[];
  /** Pools of the native coin against a stable asset, best first. */
  readonly anchorPools: readonly PoolId[];
  readonly v2: readonly V2Fork[];
  readonly v3: readonly V3Fork[];
  readonly v4: V4Deployment | null;
  /** The version decides the encoding of multi-hop V4 swaps. */
  readonly universalRouter: { readonly address: Address; readonly version: '2.0' | '2.1' } | null;
  readonly permit2: Address | null;
  readonly multicall3: Address | null;
  /** Absent if transactions cost only their gas. */
  readonly rollup?: Rollup;
  /**
   * The depth below the head at which blocks count as final if the node has no `finalized` block.
   */
  readonly finalityDepth: number;
}

export function toChainAssets(deployment: EvmDeployment): ChainAssets {
  const coin = EVM_ADDRESSES.native;
  return {
    coin,
    native: new Set([deployment.wrapped, coin]),
    stable: new Set(deployment.stables),
    anchorPools: deployment.anchorPools,
  };
}
