// Rows that share one pool: each two coins of a pool of several. What changes one row changes the
// others, and the log names only one.

import type { PoolId } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription } from '../../../model/pool.ts';
import { listCoinPairs, parseCoinPairPool } from '../evm-ids.ts';
import type { DecodedEvent } from '../evm-log.ts';

const NONE: readonly PoolId[] = [];

/** The other rows of its pool. */
export function listSharedRows(description: PoolDescription): readonly PoolId[] {
  if (description.kind !== 'stableSwap' || description.terms.coinCount <= 2) return NONE;
  const { pool, vault, terms } = description;
  return listCoinPairs(vault, terms.coinCount).filter((row) => row !== pool);
}

/** What an event of one row changes in the others. */
export function toSharedChange(
  event: Extract<DecodedEvent, { readonly kind: 'swap' | 'poolChanged' }>,
): PoolChange | null {
  if (event.kind === 'poolChanged') return event.change;
  const coins = parseCoinPairPool(event.pool);
  if (coins === null) return null;
  const { lower, upper } = coins;
  const { amount0, amount1 } = event;
  const amounts =
    amount0 > 0n
      ? { soldIndex: lower, boughtIndex: upper, amountIn: amount0, amountOut: -amount1 }
      : { soldIndex: upper, boughtIndex: lower, amountIn: amount1, amountOut: -amount0 };
  return { poolKind: 'stableSwap', ...amounts };
}
