// Marks a pool that changed in a way that no event tells: it is read again.

import type { PoolChange, PoolDescription } from '../../../model/pool.ts';

type StaleChange = Extract<
  PoolChange,
  { poolKind: 'rangeX64' | 'bins' | 'singleRange' | 'segments' | 'ceiledProduct' | 'pump' }
>;

/** Null for kinds that are not followed from trade to trade. */
export function buildStaleChange({ kind }: PoolDescription): StaleChange | null {
  if (kind === 'rangeX64' || kind === 'bins') return { poolKind: kind, set: {}, isStale: true };
  if (kind === 'singleRange') return { poolKind: kind, set: { wide: null } };
  if (kind === 'segments') return { poolKind: kind, set: { feeRate: null } };
  if (kind === 'ceiledProduct') return { poolKind: kind, set: { reserve0: null, reserve1: null } };
  // No event has all fees, so the pool stays incomplete until it is read.
  return kind === 'pump' ? { poolKind: kind, set: { lpBps: null } } : null;
}
