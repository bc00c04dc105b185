// The contracts of one EVM chain's markets.

import type { ChainSlug, CoinUnit } from '../../../../model/chain.ts';
import type { UniversalRouterVersion } from '../../../../model/chain-contracts.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { ChainAssets } from '../../../adapter.ts';
import { EVM_ADDRESSES } from '../evm-addresses.ts';

/** How exchanges' own routers are called. A venue adds the names of its kinds from its folder. */
// biome-ignore lint/suspicious/noEmptyInterface: venues add themselves by declaration merging.
export interface RouterKindNames {}
export type VenueRouterKind = keyof RouterKindNames;

/** A router of an exchange, and the venues that it reaches. */
export interface RouterLine {
  readonly name: string;
  readonly kind: VenueRouterKind;
  readonly address: Address;
  readonly venues: readonly string[];
  /** Whether the Universal Router reaches its venue for all else. */
  readonly onlyOutputs?: boolean;
}

/** How a rollup charges for transaction data. */
export type Rollup = 'arbitrum' | 'optimism';

/** The contracts of exchanges. A protocol adds its own from its folder. */
export interface VenueContracts {
  /** The version decides the encoding of swaps. */
  readonly universalRouter: {
    readonly address: Address;
    readonly version: UniversalRouterVersion;
  } | null;
  /** Of other exchanges, beside each fork's `Router02`; absent if there are none. */
  readonly routers?: readonly RouterLine[];
}

/** What a chain has without its exchanges. */
export interface ChainFacts {
  readonly chain: ChainSlug;
  readonly chainId: number;
  readonly native: CoinUnit;
  readonly wrapped: Address;
  /** Whether wrapping also emits `Transfer` logs, so that `Deposit` must not be counted again. */
  readonly wrappedEmitsTransfers: boolean;
  readonly stables: readonly Address[];
  /** Pools of the native coin against a stable asset, best first. */
  readonly anchorPools: readonly PoolId[];
  readonly permit2: Address | null;
  readonly multicall3: Address | null;
  /** Absent if transactions cost only their gas. */
  readonly rollup?: Rollup;
  /**
   * The depth below the head at which blocks count as final if the node has no `finalized` block.
   */
  readonly finalityDepth: number;
}

export interface EvmDeployment extends ChainFacts, VenueContracts {}

export function toChainAssets(deployment: EvmDeployment): ChainAssets {
  const coin = EVM_ADDRESSES.native;
  return {
    coin,
    coinUnit: deployment.native,
    native: new Set([deployment.wrapped, coin]),
    stable: new Set(deployment.stables),
    anchorPools: deployment.anchorPools,
  };
}
