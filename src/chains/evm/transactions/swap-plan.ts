// A priced trade for a router: which pools, in which order, with which amounts.

import type { Address } from '../../../model/ids.ts';
import type { TradeSwaps } from '../../chain-transactions.ts';
import type { EvmDeployment } from '../evm-deployment.ts';
import type { PoolKey } from '../pools/pool-reference.ts';

/** How a pool is swapped in, for any exchange. */
type RouterPoolKind = 'v2' | 'v3' | 'v4';

type RouterPool =
  | { readonly kind: 'v2'; readonly pair: Address }
  | { readonly kind: 'v3'; readonly feePips: number }
  | { readonly kind: 'v4'; readonly key: PoolKey };

export interface SwapHop {
  readonly pool: RouterPool;
  /** The pool's own tokens: the zero address if it holds the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

export type SwapStrand = TradeSwaps<SwapHop>;

export interface SwapPlan {
  /** What the wallet spends and receives; the zero address is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The minimum that must arrive in total, otherwise the trade reverts. */
  readonly amountOutMin: bigint;
  /** In execution order: a strand takes from the router what earlier ones have paid. */
  readonly strands: readonly SwapStrand[];
  /** What the bought token deducts from each transfer from a pool. */
  readonly outputTaxBps: number;
  readonly recipient: Address;
  /** Unix seconds. */
  readonly deadlineSeconds: number;
}

/** The router and the contracts it uses. */
export interface SwapRouter {
  readonly address: Address;
  /** Decides the encoding of several V4 hops. */
  readonly version: '2.0' | '2.1';
  readonly permit2: Address;
  readonly wrapped: Address;
}

/** Null if no router is known. */
export function findSwapRouter(deployment: EvmDeployment): SwapRouter | null {
  const { universalRouter, permit2, wrapped } = deployment;
  if (universalRouter === null || permit2 === null) return null;
  return { ...universalRouter, permit2, wrapped };
}

/** The exchanges that the chain's router supports, and how. */
export function listRoutableVenues(deployment: EvmDeployment): ReadonlyMap<string, RouterPoolKind> {
  const venues = new Map<string, RouterPoolKind>();
  if (findSwapRouter(deployment) === null) return venues;
  for (const { venue, universalRouter } of deployment.v2)
    if (universalRouter) venues.set(venue, 'v2');
  for (const { venue, universalRouter } of deployment.v3)
    if (universalRouter) venues.set(venue, 'v3');
  if (deployment.v4 !== null) venues.set(deployment.v4.venue, 'v4');
  return venues;
}
