// The scope of an index that is rebuilt: tokens come in and leave at the blocks of the stored
// entries, whatever the operator watches now and whatever pools are worth.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { ScopeEntry, ScopeName } from '../../model/scope.ts';
import type { MarketReader } from '../../store/store.ts';
import type { ChainIndex } from '../follow/chain-index.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { LiquidScope } from '../scope/liquid-scope.ts';
import { WatchScope } from '../scope/watch-scope.ts';

interface ReplayedScopeOptions {
  readonly name: ScopeName;
  readonly adapter: ChainAdapter;
  /** The rebuilt index. */
  readonly store: MarketReader;
}

function toKey({ token, fromBlock }: ScopeEntry): string {
  return `${token} ${fromBlock}`;
}

export class ReplayedScope {
  /** Null if everything is indexed. */
  readonly scope: ChainScope | null;
  #entries: readonly ScopeEntry[] = [];
  /** The tokens that pools brought in, by pool and first block. */
  #broughtIn: ReadonlyMap<string, Address> = new Map();
  #watched: readonly Address[] = [];
  readonly #left = new Set<string>();

  constructor({ name, adapter, store }: ReplayedScopeOptions) {
    if (name === 'watch') {
      // Each look at the clock is later than the last one, so that nothing is kept from before.
      let nowMs = 0;
      const clock = {
        nowMs: () => {
          nowMs += 60_000;
          return nowMs;
        },
      };
      const readWatched = async () => this.#watched;
      this.scope = new WatchScope({ adapter, store, readWatched, clock });
    } else if (name === 'liquid') {
      const floorUsdE18 = (pool: PoolId, fromBlock: number) =>
        this.#broughtIn.get(`${pool} ${fromBlock}`) ?? null;
      this.scope = new LiquidScope({ floorUsdE18, assets: adapter.assets });
    } else {
      this.scope = null;
    }
  }

  /** Takes over what is stored now. */
  load(entries: readonly ScopeEntry[]): void {
    // A rollback may have left a time without any block.
    this.#entries = entries.filter(
      ({ fromBlock, leftBlock }) => leftBlock === null || leftBlock >= fromBlock,
    );
    this.#broughtIn = new Map(
      this.#entries.map(({ pool, fromBlock, token }) => [`${pool} ${fromBlock}`, token]),
    );
  }

  /** The blocks at which tokens leave, ascending, as far as they have not left yet. */
  listLeaves(): { readonly block: number; readonly entries: readonly ScopeEntry[] }[] {
    const leaving = this.#entries.filter(
      (entry) => entry.leftBlock !== null && !this.#left.has(toKey(entry)),
    );
    const byBlock = Map.groupBy(leaving, ({ leftBlock }) => leftBlock ?? 0);
    return Array.from(byBlock, ([block, entries]) => ({ block, entries })).sort(
      (a, b) => a.block - b.block,
    );
  }

  /** The index must be at the block that they leave at. */
  async leave(
    index: ChainIndex,
    entries: readonly ScopeEntry[],
    signal: AbortSignal,
  ): Promise<void> {
    const gone = new Set(entries.map(({ token }) => token));
    this.#watched = this.#listAt(index.block).filter((token) => !gone.has(token));
    const leaving = (await this.scope?.refresh()) ?? [];
    if (leaving.length > 0) await index.leave(leaving, signal);
    for (const entry of entries) this.#left.add(toKey(entry));
  }

  /** The last block up to which the next blocks are read with the same tokens. */
  async prepare(index: ChainIndex, toBlock: number): Promise<number> {
    if (this.scope?.name !== 'watch') return toBlock;
    const next = index.block + 1;
    this.#watched = this.#listAt(next);
    await this.scope.refresh();
    const later = this.#entries.map(({ fromBlock }) => fromBlock).filter((at) => at > next);
    return Math.min(toBlock, ...later.map((fromBlock) => fromBlock - 1));
  }

  /** The tokens in scope at a block. */
  #listAt(block: number): Address[] {
    const isIn = ({ fromBlock, leftBlock }: ScopeEntry) =>
      fromBlock <= block && (leftBlock === null || leftBlock >= block);
    return this.#entries.filter(isIn).map(({ token }) => token);
  }
}
