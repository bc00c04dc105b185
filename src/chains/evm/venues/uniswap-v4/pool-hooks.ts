// What a V4 pool's hook can do, as proven by its address and the pool's id: v4-core, `Hooks.sol`.

import type { PoolDescription } from '../../../../model/pool.ts';
import type { HookClass, PoolHook } from '../../../../model/pool-hook.ts';
import { hasFixedFee } from './pool-key.ts';

/** The permissions in the low 14 bits of a hook's address, the highest first. */
const PERMISSIONS = [
  ...['beforeInitialize', 'afterInitialize', 'beforeAddLiquidity', 'afterAddLiquidity'],
  ...['beforeRemoveLiquidity', 'afterRemoveLiquidity', 'beforeSwap', 'afterSwap'],
  ...['beforeDonate', 'afterDonate', 'beforeSwapReturnsDelta', 'afterSwapReturnsDelta'],
  ...['afterAddLiquidityReturnsDelta', 'afterRemoveLiquidityReturnsDelta'],
] as const;

const BEFORE_SWAP = 1 << 7;
const AFTER_SWAP = 1 << 6;
const SWAP_DELTAS = (1 << 3) | (1 << 2);
const LOW_DIGITS = 4;

function classify(bits: number, setsFee: boolean): HookClass {
  if ((bits & SWAP_DELTAS) !== 0) return 'delta';
  if ((bits & BEFORE_SWAP) !== 0) return 'before';
  if ((bits & AFTER_SWAP) !== 0) return 'after';
  return setsFee ? 'fee' : 'liquidity';
}

/** Null for a pool without a hook. */
export function findHook(pool: PoolDescription): PoolHook | null {
  if (pool.kind !== 'concentrated' || pool.terms.custody.kind === 'own') return null;
  const { hooks: address } = pool.terms.custody;
  if (address === null) return null;
  const bits = Number.parseInt(address.slice(-LOW_DIGITS), 16);
  const last = PERMISSIONS.length - 1;
  const flags = PERMISSIONS.filter((_, place) => (bits & (1 << (last - place))) !== 0);
  // The hash of the pool's key tells: a stored fee may be the last one that was seen.
  const setsFee = !hasFixedFee(pool, address);
  return { address, class: classify(bits, setsFee), flags, setsFee };
}
