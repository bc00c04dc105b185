// Which of a route's fees are not certain, and whether only they keep it from being exact.

import { hasFlag, isOnlyFeeOpen, joinFlags } from '../../amm/unchecked-flag.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import type { Address } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { PricedTrade } from './priced-trade.ts';

type RoutePool = Pick<GraphPool, 'inexact' | 'unchecked'>;

interface HopEnds {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

const SILENT = joinFlags(['unannouncedFee']);

/** What the router leaves open: nothing where one pool pays the wallet itself. */
export function findRouterFlags(
  router: Pick<TradeRouter, 'keepsUnit'> | undefined,
  { hops, tokenIn, tokenOut }: HopEnds & { readonly hops: readonly HopEnds[] },
): string {
  if (router?.keepsUnit !== true) return '';
  const [first, ...others] = hops;
  const isDirect = others.length === 0 && first?.tokenIn === tokenIn && first.tokenOut === tokenOut;
  return isDirect ? '' : joinFlags(['routerUnit']);
}

/**
 * What is uncertain about what the pools pay, as names of `UncheckedFlag`; empty if nothing is.
 * `isFeeSure` is null for a pool whose fee is not read.
 */
export function listOpenFlags<Pool extends RoutePool>(
  pools: readonly Pool[],
  isFeeSure: (pool: Pool) => boolean | null,
): string {
  return pools
    .flatMap((pool) => {
      const flags = pool.inexact === 'unchecked' ? (pool.unchecked ?? '') : '';
      if (pool.inexact === null) return isFeeSure(pool) === false ? [SILENT] : [];
      // A reading shows as much as a swap that paid the fee.
      return flags === SILENT && isFeeSure(pool) === true ? [] : [flags];
    })
    .filter((flags) => flags !== '')
    .join(' ');
}

/** Whether the pools are known in full, and no hook changes what they pay. */
export function areKnown(pools: readonly RoutePool[]): boolean {
  return pools.every(({ inexact }) => inexact === null || inexact === 'unchecked');
}

/** Null if the route is exact, or is not exact for another reason. */
export function findOpenFee(
  pools: readonly RoutePool[],
  openFlags: string,
): PricedTrade['openFee'] {
  if (openFlags === '' || !isOnlyFeeOpen(openFlags) || !areKnown(pools)) return null;
  return hasFlag(openFlags, 'timedFee') ? 'timed' : 'silent';
}
