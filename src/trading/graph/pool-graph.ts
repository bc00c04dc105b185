// Every tradable pool, by the assets that it connects.

import type { PoolMoment } from '../../amm/pool-moment.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import { evaluatePool, type GraphPool } from './pool-graph-pool.ts';

/** An asset with this many neighbours is worth trying as an intermediate asset. */
const HUB_NEIGHBOURS_MIN = 24;

const NONE: ReadonlySet<PoolId> = new Set();

/** One pool is kept without a set: most assets have one pool, and a set takes 150 bytes. */
type PairPools = PoolId | Set<PoolId>;

/** Most assets have one neighbour, which needs no map. */
type PairsOfAsset = { readonly other: Address; pools: PairPools } | Map<Address, PairPools>;

function toSet(pools: PairPools): ReadonlySet<PoolId> {
  return typeof pools === 'string' ? new Set([pools]) : pools;
}

/** The assets that share a pool with one, and those pools. */
class Neighbours {
  readonly #pairs: PairsOfAsset | undefined;

  constructor(pairs: PairsOfAsset | undefined) {
    this.#pairs = pairs;
  }

  get size(): number {
    if (this.#pairs === undefined) return 0;
    return this.#pairs instanceof Map ? this.#pairs.size : 1;
  }

  has(asset: Address): boolean {
    return this.#find(asset) !== undefined;
  }

  get(asset: Address): ReadonlySet<PoolId> | undefined {
    const pools = this.#find(asset);
    return pools === undefined ? undefined : toSet(pools);
  }

  keys(): Iterable<Address> {
    if (this.#pairs === undefined) return [];
    return this.#pairs instanceof Map ? this.#pairs.keys() : [this.#pairs.other];
  }

  *values(): Generator<ReadonlySet<PoolId>> {
    if (this.#pairs instanceof Map) for (const pools of this.#pairs.values()) yield toSet(pools);
    else if (this.#pairs !== undefined) yield toSet(this.#pairs.pools);
  }

  #find(asset: Address): PairPools | undefined {
    const pairs = this.#pairs;
    if (pairs instanceof Map) return pairs.get(asset);
    return pairs?.other === asset ? pairs.pools : undefined;
  }
}

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
  readonly #neighbours = new Map<Address, PairsOfAsset>();
  readonly #hubs = new Set<Address>();
  /** Null until it is set: then pools are as they were stored. */
  #moment: PoolMoment | null = null;
  /** Pools as they are at that moment, once they were asked for; null if they are not open. */
  readonly #evaluated = new Map<PoolId, GraphPool | null>();

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

  /** All pools are evaluated at this block from now on. */
  moveTo(moment: PoolMoment): void {
    this.#moment = moment;
    this.#evaluated.clear();
  }

  /** As it is at the graph's moment: until the next one the same object. */
  get(id: PoolId): GraphPool | undefined {
    const pool = this.#pools.get(id);
    if (pool === undefined || this.#moment === null) return pool;
    if (pool.curve.at === undefined && pool.opens === undefined) return pool;
    const known = this.#evaluated.get(id);
    if (known !== undefined) return known ?? undefined;
    const evaluated = evaluatePool(pool, this.#moment);
    this.#evaluated.set(id, evaluated);
    return evaluated ?? undefined;
  }

  /** As it was stored, whether it is open or not. */
  getStored(id: PoolId): GraphPool | undefined {
    return this.#pools.get(id);
  }

  neighbours(asset: Address): Neighbours {
    return new Neighbours(this.#neighbours.get(asset));
  }

  /** The ids of the pools between two assets. */
  between(asset: Address, other: Address): ReadonlySet<PoolId> {
    return this.neighbours(asset).get(other) ?? NONE;
  }

  set(pool: GraphPool): void {
    const isNew = !this.#pools.has(pool.pool);
    this.#pools.set(pool.pool, pool);
    this.#evaluated.delete(pool.pool);
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
    this.#evaluated.delete(id);
    const { asset0, asset1 } = this.#findAssets(pool);
    this.#unlink(asset0, asset1, id);
    this.#unlink(asset1, asset0, id);
  }

  /** As they were stored. */
  pools(): IterableIterator<GraphPool> {
    return this.#pools.values();
  }

  #findAssets(pool: GraphPool) {
    return { asset0: this.toAsset(pool.token0), asset1: this.toAsset(pool.token1) };
  }

  #link(from: Address, to: Address, pool: PoolId): void {
    // A pool of the native coin against its own wrapped token is useless.
    if (from === to) return;
    const pairs = this.#neighbours.get(from);
    if (pairs === undefined) this.#neighbours.set(from, { other: to, pools: pool });
    else if (pairs instanceof Map) {
      pairs.set(to, addPool(pairs.get(to), pool));
      if (pairs.size >= HUB_NEIGHBOURS_MIN) this.#hubs.add(from);
    } else if (pairs.other === to) pairs.pools = addPool(pairs.pools, pool);
    else {
      const { other, pools } = pairs;
      this.#neighbours.set(
        from,
        new Map<Address, PairPools>([
          [other, pools],
          [to, pool],
        ]),
      );
    }
  }

  #unlink(from: Address, to: Address, pool: PoolId): void {
    const pairs = this.#neighbours.get(from);
    // Only what was linked: other pools of the asset stay.
    if (from === to || pairs === undefined) return;
    const isMap = pairs instanceof Map;
    if (!isMap && pairs.other !== to) return;
    const pools = isMap ? pairs.get(to) : pairs.pools;
    if (typeof pools === 'object') {
      pools.delete(pool);
      if (pools.size > 0) return;
    } else if (pools !== pool) return;
    if (!isMap) {
      this.#neighbours.delete(from);
      return;
    }
    pairs.delete(to);
    if (pairs.size < HUB_NEIGHBOURS_MIN) this.#hubs.delete(from);
    if (pairs.size === 0) this.#neighbours.delete(from);
  }
}

function addPool(pools: PairPools | undefined, pool: PoolId): PairPools {
  if (pools === undefined) return pool;
  return typeof pools === 'string' ? new Set([pools, pool]) : pools.add(pool);
}
