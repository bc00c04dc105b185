// Tokens whose pools were left out of the graph, because others are deeper, and then asked for; and
// the pools that are kept in it for them.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';
import type { PoolGraph } from './pool-graph.ts';
import { readDepth } from './read-pool-graph.ts';

interface FindOptions {
  readonly chain: ChainSlug;
  readonly graph: PoolGraph;
  /** The least liquidity of the pools that are in the graph anyway. */
  readonly floorUsdE18: bigint;
  /** What most tokens are traded against. */
  readonly trusted: ReadonlySet<Address>;
}

/** By token. */
type FoundPools = ReadonlyMap<Address, readonly PoolId[]>;

interface AskedToken {
  readonly pools: readonly PoolId[];
  /** The commit at which they were read. */
  readonly version: number;
}

/** Beyond either, tokens that were asked for longest ago are forgotten. */
const TOKENS_MAX = 2000;
const KEPT_POOLS_MAX = 30_000;
/** Tokens that wait to be read, and how many are read at once. */
const WANTED_MAX = 1000;
const READ_TOKENS_MAX = 100;
/** Of a token: its deepest. */
const POOLS_MAX = 20;
/** After so many commits a token that is asked for is read again: it may have new pools. */
const VERSIONS_MAX = 20;
/** Of each token that it is traded against: those that lead on to a trusted asset. */
const ONWARD_POOLS_MAX = 3;

export class AskedPools {
  readonly #tokensMax: number;
  readonly #wanted = new Set<Address>();
  readonly #found = new Map<Address, AskedToken>();
  /** For how many tokens a pool is kept. */
  readonly #uses = new Map<PoolId, number>();

  constructor(tokensMax = TOKENS_MAX) {
    this.#tokensMax = tokensMax;
  }

  /** The tokens to be read next. */
  get wanted(): readonly Address[] {
    return [...this.#wanted].slice(0, READ_TOKENS_MAX);
  }

  /** False if too many wait already. */
  want(tokens: readonly Address[]): boolean {
    if (this.#wanted.size + tokens.length > WANTED_MAX) return false;
    for (const token of tokens) this.#wanted.add(token);
    return true;
  }

  /** Whether the token's pools were read, not long before this commit. */
  has(token: Address, version: number): boolean {
    const found = this.#found.get(token);
    return found !== undefined && version - found.version < VERSIONS_MAX;
  }

  /** The pools of all tokens must be read again: others are left out now. */
  expire(): void {
    for (const [token, { pools }] of this.#found) {
      this.#found.set(token, { pools, version: Number.NEGATIVE_INFINITY });
    }
  }

  /** The pool is deep enough to be in the graph anyway, and stays when its tokens are forgotten. */
  promote(pool: PoolId): void {
    if (!this.#uses.delete(pool)) return;
    for (const [token, { pools, version }] of this.#found) {
      if (!pools.includes(pool)) continue;
      this.#found.set(token, { pools: pools.filter((one) => one !== pool), version });
    }
  }

  /** How many pools are kept. */
  get size(): number {
    return this.#uses.size;
  }

  isKept(pool: PoolId): boolean {
    return this.#uses.has(pool);
  }

  pools(): Iterable<PoolId> {
    return this.#uses.keys();
  }

  /** The pools of tokens in the store that are not in the graph. */
  async find(
    reader: Pick<MarketReader, 'readPoolsOfTokens'>,
    tokens: readonly Address[],
    options: FindOptions,
  ): Promise<FoundPools> {
    if (tokens.length === 0) return new Map();
    const { chain, graph, floorUsdE18, trusted } = options;
    const rows = await reader.readPoolsOfTokens(chain, tokens);
    const own = new Map(tokens.map((token) => [token, pickDeepest(rows, token, POOLS_MAX)]));
    const isStranded = (token: Address) =>
      !own.has(token) && !trusted.has(token) && graph.neighbours(graph.toAsset(token)).size === 0;
    const partners = [...own.values()].flat().flatMap(({ token0, token1 }) => [token0, token1]);
    const stranded = [...new Set(partners)].filter(isStranded);
    const onward =
      stranded.length === 0 ? [] : await reader.readPoolsOfTokens(chain, stranded, [...trusted]);
    for (const row of [...rows, ...onward]) {
      if (readDepth(row) >= floorUsdE18) this.promote(row.pool);
    }
    const left = (found: readonly PoolRecord[]) =>
      found.filter((row) => readDepth(row) < floorUsdE18).map(({ pool }) => pool);
    return new Map(
      Array.from(own, ([token, found]) => {
        const ends = new Set(found.flatMap(({ token0, token1 }) => [token0, token1]));
        const more = stranded
          .filter((one) => ends.has(one))
          .flatMap((one) => pickDeepest(onward, one, ONWARD_POOLS_MAX));
        return [token, [...new Set(left([...found, ...more]))]] as const;
      }),
    );
  }

  /** Notes what was found at a commit; returns the pools that are no longer kept for anybody. */
  add(found: FoundPools, version: number): readonly PoolId[] {
    const released: PoolId[] = [];
    for (const [token, pools] of found) {
      released.push(...this.#forget(token));
      this.#wanted.delete(token);
      this.#found.set(token, { pools, version });
      for (const pool of pools) this.#uses.set(pool, (this.#uses.get(pool) ?? 0) + 1);
    }
    for (const token of this.#found.keys()) {
      const isTooMuch = this.#found.size > this.#tokensMax || this.#uses.size > KEPT_POOLS_MAX;
      if (!isTooMuch || found.has(token)) break;
      released.push(...this.#forget(token));
    }
    return released.filter((pool) => !this.#uses.has(pool));
  }

  /** Returns the pools that were kept for it. */
  #forget(token: Address): readonly PoolId[] {
    const { pools } = this.#found.get(token) ?? { pools: [] };
    this.#found.delete(token);
    const kept = pools.filter((pool) => this.#uses.has(pool));
    for (const pool of kept) {
      const uses = (this.#uses.get(pool) ?? 0) - 1;
      if (uses > 0) this.#uses.set(pool, uses);
      else this.#uses.delete(pool);
    }
    return kept;
  }
}

function pickDeepest(
  rows: readonly PoolRecord[],
  token: Address,
  countMax: number,
): readonly PoolRecord[] {
  const own = rows.filter(({ token0, token1 }) => token0 === token || token1 === token);
  own.sort((a, b) => {
    const [depth, other] = [readDepth(a), readDepth(b)];
    return depth > other ? -1 : depth < other ? 1 : 0;
  });
  return own.slice(0, countMax);
}
