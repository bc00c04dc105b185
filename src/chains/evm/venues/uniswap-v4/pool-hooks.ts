// Whether a V4 pool's hook leaves swaps alone, as proven by its address and the pool's id.

import type { PoolDescription } from '../../../../model/pool.ts';
import { hasFixedFee } from './pool-key.ts';

/**
 * The low bits of a hook's address say which calls it gets, and which of its answers count. One
 * that is called before swaps may change the fee or move the pool; one whose answers change amounts
 * takes a part. One that is only called after a swap can refuse it, which a simulation shows, or
 * trade then, which its own logs tell.
 */
const CHANGES_AMOUNTS = (1 << 7) | (1 << 3) | (1 << 2);
const LOW_DIGITS = 4;

export function leavesSwapsAlone(pool: PoolDescription): boolean {
  if (pool.kind !== 'concentrated' || pool.terms.custody.kind === 'own') return true;
  const { hooks } = pool.terms.custody;
  if (hooks === null) return true;
  if ((Number.parseInt(hooks.slice(-LOW_DIGITS), 16) & CHANGES_AMOUNTS) !== 0) return false;
  return hasFixedFee(pool, hooks);
}
