// What EVM routers and probes need to know to swap in a pool.

import { keccak256 } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription, PoolDescriptionOf } from '../../../model/pool.ts';
import { toPoolContract } from '../evm-ids.ts';
import { ZERO_ADDRESS } from '../zero-address.ts';

type SingletonPool = Pick<
  PoolDescriptionOf<'concentrated'>,
  'pool' | 'token0' | 'token1' | 'feePips' | 'terms'
>;

/** Identifies a pool in V4's manager; its hash is the pool's id. */
export interface PoolKey {
  readonly currency0: Address;
  readonly currency1: Address;
  /** As set at creation: 0x800000 if a hook decides. */
  readonly fee: number;
  readonly tickSpacing: number;
  /** The zero address if there is none. */
  readonly hooks: Address;
}

type PoolReference =
  | { readonly kind: 'v2'; readonly pair: Address }
  | { readonly kind: 'v3'; readonly pool: Address; readonly feePips: number }
  | { readonly kind: 'v4'; readonly key: PoolKey };

/** In the key of a V4 pool: a hook decides the fee. */
const DYNAMIC_FEE = 0x800000;

function toWord(hex: string): string {
  return hex.padStart(64, '0');
}

function toSpacingWord(tickSpacing: number): string {
  return toWord((tickSpacing >>> 0).toString(16));
}

/** A V4 pool's id is the hash of its key, and the key of a dynamic-fee pool has no fee. */
export function hasFixedFee(pool: SingletonPool, hooks: Address): boolean {
  const key = [
    toWord(pool.token0.slice(2)),
    toWord(pool.token1.slice(2)),
    toWord(pool.feePips.toString(16)),
    toSpacingWord(pool.terms.tickSpacing),
    toWord(hooks.slice(2)),
  ];
  return keccak256(`0x${key.join('')}`) === pool.pool;
}

/** Null for a pool kind that no router supports. */
export function toPoolReference(pool: PoolDescription): PoolReference | null {
  const { pool: id, token0, token1, feePips } = pool;
  if (pool.kind === 'constantProduct') return { kind: 'v2', pair: toPoolContract(id) };
  if (pool.kind !== 'concentrated') return null;
  const { tickSpacing, custody } = pool.terms;
  if (custody.kind === 'own') return { kind: 'v3', pool: toPoolContract(id), feePips };
  const { hooks } = custody;
  const isFixed = hooks === null || hasFixedFee(pool, hooks);
  return {
    kind: 'v4',
    key: {
      currency0: token0,
      currency1: token1,
      fee: isFixed ? feePips : DYNAMIC_FEE,
      tickSpacing,
      hooks: hooks ?? ZERO_ADDRESS,
    },
  };
}
