// A pool after its birth, after a deposit or withdrawal, after a call that is not decoded, and a
// curve after its end.

import type { PoolChange, PoolDescription } from '../../../model/pool.ts';
import type { PoolCall } from '../venues/pool-call.ts';
import { KIND_FOLDS } from '../venues/solana-venues.ts';

/** Null if nothing is known of it. */
export function foldPoolCall(call: PoolCall, pool: PoolDescription): PoolChange | null {
  const folds = KIND_FOLDS.get(pool.kind);
  if (call.kind === 'deposit') return folds?.addReserves?.(call.gains) ?? null;
  if (call.kind === 'end') return folds?.end ?? null;
  if (call.kind === 'touch') return folds?.stale ?? null;
  if (call.change?.poolKind === pool.kind) return call.change;
  return call.heldAfter && (folds?.setReserves?.(call.heldAfter, pool) ?? null);
}
