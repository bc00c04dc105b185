// The fees that tokens take of their own transfers, where the pools' swaps include them.

import { isFeeCertain, type PoolTransferFees } from '../../amm/transfer-fee.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { TokenSafety } from '../graph/safety-cache.ts';
import type { RouteHop } from '../routing/route-swaps.ts';

/** Whether all fees on the way are certain for as long as the trade may be executed. */
export function areFeesCertain(hops: readonly RouteHop[], block: number): boolean {
  return hops.every(({ pool: { transferFees } }) => isFeeCertain(transferFees, block));
}

/** What a token deducts of transfers through a pool; 0 if nothing. */
function findFeeBps(
  pool: {
    readonly token0: Address;
    readonly token1: Address;
    readonly transferFees?: PoolTransferFees;
  },
  isToken: (token: Address) => boolean,
): number {
  const { fee0, fee1 } = pool.transferFees ?? { fee0: null, fee1: null };
  return (isToken(pool.token0) ? fee0 : fee1)?.bps ?? 0;
}

/** What was measured, with the fee of the token's own transfers: it is deducted both ways. */
export function addTransferFee(
  safety: TokenSafety | null,
  graph: Pick<PoolGraph, 'get'>,
  of: { readonly pools: Iterable<PoolId>; readonly isToken: (token: Address) => boolean },
): TokenSafety | null {
  if (safety === null) return null;
  let feeBps = 0;
  for (const id of of.pools) {
    const pool = graph.get(id);
    if (pool !== undefined) feeBps = Math.max(feeBps, findFeeBps(pool, of.isToken));
  }
  if (feeBps === 0) return safety;
  const add = (bps: number | null) => (bps === null ? null : Math.min(10_000, bps + feeBps));
  return {
    ...safety,
    buyTaxBps: add(safety.buyTaxBps),
    sellTaxBps: add(safety.sellTaxBps),
  };
}
