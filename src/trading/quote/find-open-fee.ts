// Which of a route's fees are not certain, and whether only they keep it from being exact.

import { hasFlag, isOnlyFeeOpen, joinFlags } from '../../amm/unchecked-flag.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { PricedTrade } from './priced-trade.ts';

type RoutePool = Pick<GraphPool, 'inexact' | 'unchecked'>;

const SILENT = joinFlags(['unannouncedFee']);

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
