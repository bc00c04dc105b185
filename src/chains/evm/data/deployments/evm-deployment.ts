// The contracts of one EVM chain's markets.

import type { ChainSlug, CoinUnit } from '../../../../model/chain.ts';
import type { V2LayoutName, V3LayoutName } from '../../../../model/chain-contracts.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { ChainAssets } from '../../../adapter.ts';
import { EVM_ADDRESSES } from '../evm-addresses.ts';

/** Uniswap V2, one of its forks, or a protocol with similar pairs. */
export interface V2Fork {
  readonly venue: string;
  readonly factory: Address;
  /** See `v2-layouts.ts`; absent for that of Uniswap. */
  readonly layout?: V2LayoutName;
  /** 0 if each pair has fees of its own. */
  readonly feePips: number;
  /** Whether no contract of the fork has confirmed its fee, so that its quotes are not exact. */
  readonly isFeeUnchecked?: true;
  /** A `Router02` of that fork. */
  readonly router: Address | null;
  /** Whether the chain's Universal Router supports it. */
  readonly universalRouter: boolean;
  /** False if its factory is not asked for the pairs of a token: they are found when they trade. */
  readonly isSearched?: false;
}

/** Uniswap V3, one of its forks, or a protocol with the same pools. */
export interface V3Fork {
  readonly venue: string;
  readonly factory: Address;
  /** See `v3-layouts.ts`; absent for that of Uniswap. */
  readonly layout?: V3LayoutName;
  /** A `QuoterV2` of that fork; of Algebra its `Quoter`, which tells the fee of the next swap. */
  readonly quoter: Address | null;
  /** The fees that its pools may have, in pips; absent for the usual ones. */
  readonly feeTiers?: readonly number[];
  readonly universalRouter: boolean;
  readonly isSearched?: false;
}

export interface V4Deployment {
  readonly venue: string;
  readonly poolManager: Address;
  readonly positionManager: Address;
  readonly stateView: Address;
  readonly quoter: Address;
}

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
}

/** How a rollup charges for transaction data. */
export type Rollup = 'arbitrum' | 'optimism';

/** The contracts of exchanges. A protocol adds its own from its folder. */
export interface VenueContracts {
  readonly v2: readonly V2Fork[];
  readonly v3: readonly V3Fork[];
  readonly v4: V4Deployment | null;
  /** The version decides the encoding of multi-hop V4 swaps. */
  readonly universalRouter: { readonly address: Address; readonly version: '2.0' | '2.1' } | null;
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
  const forks = [...deployment.v2, ...deployment.v3];
  return {
    coin,
    coinUnit: deployment.native,
    native: new Set([deployment.wrapped, coin]),
    stable: new Set(deployment.stables),
    anchorPools: deployment.anchorPools,
    uncheckedVenues: new Set(
      forks.flatMap(({ venue, isSearched }) => (isSearched === false ? [venue] : [])),
    ),
  };
}
