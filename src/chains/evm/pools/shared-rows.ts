// Rows that share one pool: each two tokens of a pool of several. What changes one row changes the
// others, and the log names only one of them, or only the pool.

import type { PoolId } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription } from '../../../model/pool.ts';
import type { DecodedEvent } from '../data/evm-log.ts';
import { POOL_ROWS } from '../venues/registry.ts';

const NONE: readonly PoolId[] = [];

/** The other rows of its pool. */
export function listSharedRows(description: PoolDescription): readonly PoolId[] {
  const rows = POOL_ROWS.get(description.kind)?.list(description) ?? NONE;
  return rows.length === 0 ? NONE : rows.filter((row) => row !== description.pool);
}

/** How logs name the whole pool, and its rows; null for pools whose logs name a row. */
export function findSharedPool(
  description: PoolDescription,
): { readonly shared: PoolId; readonly rows: readonly PoolId[] } | null {
  const rows = POOL_ROWS.get(description.kind);
  const shared = rows?.findWhole?.(description) ?? null;
  return shared && { shared, rows: rows?.list(description) ?? NONE };
}

/** What an event of one row changes in the others. */
export function toSharedChange(
  event: Extract<DecodedEvent, { readonly kind: 'swap' | 'poolChanged' }>,
  description: PoolDescription,
): PoolChange | null {
  if (event.kind === 'poolChanged') return event.change;
  return POOL_ROWS.get(description.kind)?.toChange(event, description) ?? null;
}
