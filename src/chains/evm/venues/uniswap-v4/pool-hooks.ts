// Whether a V4 pool's hook leaves swaps alone, as proven by its address and the pool's id.

import type { PoolDescription } from '../../../../model/pool.ts';
import { hasFixedFee } from './pool-key.ts';

/**
 * The low bits of a hook's address say which calls it gets. A hook that is called before or after
 * swaps may change the fee, move the pool, take a part or refuse.
 */
const SWAP_CALLS = (1 << 7) | (1 << 6);
const LOW_DIGITS = 4;

export function leavesSwapsAlone(pool: PoolDescription): boolean {
  if (pool.kind !== 'concentrated' || pool.terms.custody.kind === 'own') return true;
  const { hooks } = pool.terms.custody;
  if (hooks === null) return true;
  if ((Number.parseInt(hooks.slice(-LOW_DIGITS), 16) & SWAP_CALLS) !== 0) return false;
  return hasFixedFee(pool, hooks);
}
