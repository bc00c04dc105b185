// Whether a V4 pool's hook leaves swaps alone, as far as its address and the pool's id prove it.

import { keccak256 } from 'viem/utils';
import type { Address } from '../../model/market-event.ts';
import type { PoolDescriptionOf } from '../../model/pool.ts';

type ConcentratedDescription = Pick<
  PoolDescriptionOf<'concentrated'>,
  'pool' | 'token0' | 'token1' | 'feePips' | 'terms'
>;

/**
 * A hook's address says in its low bits which calls it gets. One that is called before or after
 * swaps may change the fee, move the pool, take a part or refuse.
 */
const SWAP_CALLS = (1 << 7) | (1 << 6);
const LOW_DIGITS = 4;

function toWord(hex: string): string {
  return hex.padStart(64, '0');
}

function toSpacingWord(tickSpacing: number): string {
  return toWord((tickSpacing >>> 0).toString(16));
}

/** A V4 pool's id is the hash of its key, and the key of a dynamic-fee pool has no fee. */
export function hasFixedFee(pool: ConcentratedDescription, hooks: Address): boolean {
  const key = [
    toWord(pool.token0.slice(2)),
    toWord(pool.token1.slice(2)),
    toWord(pool.feePips.toString(16)),
    toSpacingWord(pool.terms.tickSpacing),
    toWord(hooks.slice(2)),
  ];
  return keccak256(`0x${key.join('')}`) === pool.pool;
}

export function leavesSwapsAlone(pool: ConcentratedDescription): boolean {
  const hooks = pool.terms.singleton?.hooks ?? null;
  if (hooks === null) return true;
  if ((Number.parseInt(hooks.slice(-LOW_DIGITS), 16) & SWAP_CALLS) !== 0) return false;
  return hasFixedFee(pool, hooks);
}
