// Every tradable pool, by the assets that it connects.

import type { Address, PoolId } from '../../model/ids.ts';
import type { GraphPool } from './pool-graph-pool.ts';

/** An asset with this many neighbours is worth trying as an intermediate asset. */
const HUB_NEIGHBOURS_MIN = 24;

const NONE: ReadonlySet<PoolId> = new Set();
const NO_NEIGHBOURS: ReadonlyMap<Address, ReadonlySet<PoolId>> = new Map();

/** A chain's own coin, and the token that wraps it. */
export interface NativeCoin {
  readonly coin: Address;
  /** One asset with the coin, since routers convert one into the other. Null if there is none. */
  readonly wrapped: Address | null;
}

/** The wrapped coin for the native one, if there is one. */
export function toAsset(token: Address, { coin, wrapped }: NativeCoin): Address {
  return token === coin && wrapped !== null ? wrapped : token;
}

export class PoolGraph {
  readonly native: NativeCoin;
  readonly #pools = new Map<PoolId, GraphPool>();
  readonly #neighbours = new Map<Address, Map<Address, Set<PoolId>>>();
  readonly #hubs = new Set<Address>();

  constructor(options: { readonly native: NativeCoin }) {
    this.native = options.native;
  }

  /** The asset that stands for the native coin. */
  get nativeAsset(): Address {
    return this.toAsset(this.native.coin);
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Assets that share pools with many others. */
  get hubs(): ReadonlySet<Address> {
    return this.#hubs;
  }

  /** The asset of a token: the wrapped coin for the native one. */
  toAsset(token: Address): Address {
    return toAsset(token, this.native);
  }

  get(pool: PoolId): GraphPool | undefined {
    return this.#pools.get(pool);
  }

  /** The assets that share a pool with this one, and those pools. */
  neighbours(asset: Address): ReadonlyMap<Address, ReadonlySet<PoolId>> {
    return this.#neighbours.get(asset) ?? NO_NEIGHBOURS;
  }

  /** The ids of the pools between two assets. */
  between(asset: Address, other: Address): ReadonlySet<PoolId> {
    return this.#neighbours.get(asset)?.get(other) ?? NONE;
  }

  set(pool: GraphPool): void {
    const isNew = !this.#pools.has(pool.pool);
    this.#pools.set(pool.pool, pool);
    // What a pool connects never changes, so only a new pool has to be linked.
    if (!isNew) return;
    const { asset0, asset1 } = this.#findAssets(pool);
    this.#link(asset0, asset1, pool.pool);
    this.#link(asset1, asset0, pool.pool);
  }

  delete(id: PoolId): void {
    const pool = this.#pools.get(id);
    if (pool === undefined) return;
    this.#pools.delete(id);
    const { asset0, asset1 } = this.#findAssets(pool);
    this.#unlink(asset0, asset1, id);
    this.#unlink(asset1, asset0, id);
  }

  pools(): IterableIterator<GraphPool> {
    return this.#pools.values();
  }

  #findAssets(pool: GraphPool) {
    return { asset0: this.toAsset(pool.token0), asset1: this.toAsset(pool.token1) };
  }

  #link(from: Address, to: Address, pool: PoolId): void {
    // A pool of the native coin against its own wrapped token is useless.
    if (from === to) return;
    let others = this.#neighbours.get(from);
    if (others === undefined) {
      others = new Map();
      this.#neighbours.set(from, others);
    }
    const ids = others.get(to);
    if (ids === undefined) others.set(to, new Set([pool]));
    else ids.add(pool);
    if (others.size >= HUB_NEIGHBOURS_MIN) this.#hubs.add(from);
  }

  #unlink(from: Address, to: Address, pool: PoolId): void {
    const others = this.#neighbours.get(from);
    const ids = others?.get(to);
    if (others === undefined || ids === undefined) return;
    ids.delete(pool);
    if (ids.size > 0) return;
    others.delete(to);
    if (others.size < HUB_NEIGHBOURS_MIN) this.#hubs.delete(from);
    if (others.size === 0) this.#neighbours.delete(from);
  }
}
