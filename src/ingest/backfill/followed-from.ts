// Since when tokens and pools are followed: with the index of the chain, or from when they came
// into its scope. History ends there.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { findRank, RANK_TOKEN } from '../../chains/quote-rule.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketScanner } from '../../store/store.ts';
import type { ChainScope } from '../scope/chain-scope.ts';

export interface FollowStart {
  /** The first block with all of its events. */
  readonly fromBlock: number;
  /** The time of the block before; null if it is not known. */
  readonly fromMs: number | null;
}

interface FollowedFromOptions {
  readonly adapter: Pick<ChainAdapter, 'chain' | 'assets'>;
  readonly store: Pick<MarketScanner, 'scanDiscoveries'>;
  /** Null if everything is indexed. */
  readonly scope?: Pick<ChainScope, 'name' | 'findEntry'> | null | undefined;
}

export class FollowedFrom {
  readonly #options: FollowedFromOptions;

  constructor(options: FollowedFromOptions) {
    this.#options = options;
  }

  /** Null if the token is not in scope. */
  findToken(token: Address, { startBlock, startAtMs }: Checkpoint): FollowStart | null {
    const { scope } = this.#options;
    if (!scope) return { fromBlock: startBlock, fromMs: startAtMs ?? null };
    const entry = scope.findEntry(token);
    return entry?.leftBlock === null ? entry : null;
  }

  /** The first block of each pool with all of its events; at least that of the token. */
  async findPools(
    start: FollowStart,
    pools: readonly PoolRecord[],
  ): Promise<ReadonlyMap<PoolId, number>> {
    const { scope } = this.#options;
    const found = scope?.name === 'watch' ? await this.#readFound() : new Map<PoolId, number>();
    return new Map(
      pools.map(({ pool, token0, token1 }) => {
        const sides = scope?.name === 'liquid' ? [token0, token1] : [];
        const entered = sides.map((token) => this.#findSide(token));
        // The events of the block that it was found at are not indexed.
        const foundFrom = (found.get(pool) ?? -1) + 1;
        return [pool, Math.max(start.fromBlock, foundFrom, ...entered)];
      }),
    );
  }

  /** The pool of two tokens counts once both are in. */
  #findSide(token: Address): number {
    const { scope, adapter } = this.#options;
    if (findRank(adapter.assets, token) !== RANK_TOKEN) return 0;
    return scope?.findEntry(token)?.fromBlock ?? 0;
  }

  /** The blocks that pools were looked up at. The node was not asked for their events before. */
  async #readFound(): Promise<Map<PoolId, number>> {
    const found = new Map<PoolId, number>();
    const { store, adapter } = this.#options;
    for await (const records of store.scanDiscoveries(adapter.chain)) {
      for (const { block, pools } of records) for (const { pool } of pools) found.set(pool, block);
    }
    return found;
  }
}
