// The key of a V4 pool, whose hash is the pool's id.

import { keccak256 } from 'viem/utils';
import { computeLpFee } from '../../../../amm/concentrated/concentrated-kind.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription, PoolDescriptionOf } from '../../../../model/pool.ts';
import { evmPool } from '../../data/evm-ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';

type SingletonPool = Pick<
  PoolDescriptionOf<'concentrated'>,
  'pool' | 'token0' | 'token1' | 'feePips' | 'terms'
>;

type KeyFields = Pick<SingletonPool, 'token0' | 'token1' | 'feePips'> & {
  readonly tickSpacing: number;
  readonly hooks: Address;
};

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

/** In the key of a V4 pool: a hook decides the fee. */
export const DYNAMIC_FEE = 0x800000;
/** The most that the protocol can take of a swap. */
const PROTOCOL_PIPS_MAX = 1000;

function toWord(hex: string): string {
  return hex.padStart(64, '0');
}

function toSpacingWord(tickSpacing: number): string {
  return toWord((tickSpacing >>> 0).toString(16));
}

/** A V4 pool's id is the hash of its key. */
export function computeV4PoolId(key: KeyFields): PoolId {
  const words = [
    toWord(key.token0.slice(2)),
    toWord(key.token1.slice(2)),
    toWord(key.feePips.toString(16)),
    toSpacingWord(key.tickSpacing),
    toWord(key.hooks.slice(2)),
  ];
  return evmPool(keccak256(`0x${words.join('')}`));
}

/** The key of a dynamic-fee pool has no fee. */
export function hasFixedFee({ pool, terms, ...rest }: SingletonPool, hooks: Address): boolean {
  return computeV4PoolId({ ...rest, tickSpacing: terms.tickSpacing, hooks }) === pool;
}

/**
 * The fee in a V4 pool's key; null if its id is not the hash of any. Until a pool is adopted, its
 * fee is the one that a swap paid, which may include the protocol's part.
 */
function findKeyFee(pool: SingletonPool): number | null {
  const { custody } = pool.terms;
  const hooks = (custody.kind === 'singleton' ? custody.hooks : null) ?? ZERO_ADDRESS;
  const isKeyFee = (feePips: number) => hasFixedFee({ ...pool, feePips }, hooks);
  if (isKeyFee(pool.feePips)) return pool.feePips;
  if (isKeyFee(DYNAMIC_FEE)) return DYNAMIC_FEE;
  const tried = new Set([pool.feePips]);
  for (let protocolPips = 1; protocolPips <= PROTOCOL_PIPS_MAX; protocolPips += 1) {
    const feePips = computeLpFee(pool.feePips, protocolPips);
    if (!tried.has(feePips) && isKeyFee(feePips)) return feePips;
    tried.add(feePips);
  }
  return null;
}

/** Null for other pools than those of a singleton. */
export function toPoolKey(pool: PoolDescription): PoolKey | null {
  if (pool.kind !== 'concentrated' || pool.terms.custody.kind === 'own') return null;
  const { token0, token1, feePips } = pool;
  const { tickSpacing, custody } = pool.terms;
  const { hooks } = custody;
  return {
    currency0: token0,
    currency1: token1,
    fee: findKeyFee(pool) ?? (hooks === null ? feePips : DYNAMIC_FEE),
    tickSpacing,
    hooks: hooks ?? ZERO_ADDRESS,
  };
}
