// Scope `watch`: the tokens that the operator names, their pools, and the anchor pools. The node is
// asked for nothing else.

import type { BlockRange, ChainAdapter } from '../../chains/adapter.ts';
import { findRank, RANK_TOKEN } from '../../chains/quote-rule.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketReader } from '../../store/store.ts';
import {
  type BlocksRead,
  type ChainScope,
  type PoolTokens,
  ScopeEntries,
  type SelectedBlocks,
} from './chain-scope.ts';

interface WatchScopeOptions {
  readonly adapter: Pick<ChainAdapter, 'chain' | 'assets'>;
  readonly store: Pick<MarketReader, 'readPoolsOfTokens'>;
  /** The tokens to watch, as of now. */
  readonly readWatched: () => Promise<readonly Address[]>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** A change takes effect within about a second. */
const READ_AGAIN_MS = 500;

export class WatchScope implements ChainScope {
  readonly name = 'watch';
  readonly #options: WatchScopeOptions;
  readonly #entries = new ScopeEntries();
  #watched: ReadonlySet<Address> = new Set();
  #watchedReadAtMs = Number.NEGATIVE_INFINITY;
  /** Watched, and in scope with the next blocks. */
  readonly #joining = new Set<Address>();
  /** Those to read; null until they are looked up. */
  #pools: Set<PoolId> | null = null;
  /** Nobody has looked for their older pools yet. */
  #entered: ScopeEntry[] = [];

  constructor(options: WatchScopeOptions) {
    this.#options = options;
  }

  load(entries: readonly ScopeEntry[]): void {
    this.#entries.load(entries);
    this.#entered = [...this.#entries.open.values()];
    this.#forget();
  }

  rollBack(toBlock: number): void {
    this.#entries.rollBack(toBlock);
    this.#forget();
  }

  async refresh(): Promise<readonly ScopeEntry[]> {
    await this.#readWatched();
    for (const token of this.#joining) if (!this.#watched.has(token)) this.#joining.delete(token);
    for (const token of this.#watched) {
      if (this.#entries.open.has(token) || this.#joining.has(token)) continue;
      this.#joining.add(token);
      this.#pools = null;
    }
    const leaving = [...this.#entries.open.values()].filter(
      ({ token }) => !this.#watched.has(token),
    );
    if (leaving.length > 0) this.#pools = null;
    this.#pools ??= await this.#readPools();
    return leaving;
  }

  async isOutdated(): Promise<boolean> {
    await this.#readWatched();
    const { size } = this.#watched;
    return size !== this.#joining.size + this.#entries.open.size || !this.#isAllIn();
  }

  describeRange(): Pick<BlockRange, 'only'> {
    return { only: { tokens: this.#listMembers(), pools: new Set(this.#pools) } };
  }

  noteRead(blocks: readonly BlockEvents[]): void {
    for (const { events } of blocks) {
      for (const event of events) {
        if (event.kind === 'poolCreated') this.#pools?.add(event.description.pool);
      }
    }
  }

  async select(read: BlocksRead): Promise<SelectedBlocks> {
    const { fromBlock, fromMs } = read;
    const entries = Array.from(this.#joining, (token) => ({
      ...{ token, fromBlock, fromMs, leftBlock: null, pool: null },
    }));
    return { blocks: read.blocks, entries };
  }

  noteCommitted({ scoped = [], changes }: Parameters<ChainScope['noteCommitted']>[0]): void {
    this.#entries.add(scoped);
    for (const entry of scoped) {
      this.#joining.delete(entry.token);
      if (entry.leftBlock === null) this.#entered.push(entry);
    }
    for (const pool of changes.pools) if (this.hasPool(pool)) this.#pools?.add(pool.pool);
  }

  /** One that joins is not in scope yet: from which block on it will be is not known. */
  hasToken(token: Address): boolean {
    return this.#watched.has(token) && this.#entries.open.has(token);
  }

  findEntry(token: Address): ScopeEntry | null {
    return this.#entries.find(token);
  }

  listLeft(): readonly Address[] {
    return this.#entries.listLeft();
  }

  takeEntered(): readonly ScopeEntry[] {
    const entered = this.#entered;
    this.#entered = [];
    return entered;
  }

  hasPool({ pool, token0, token1 }: PoolTokens): boolean {
    if (this.#options.adapter.assets.anchorPools.includes(pool)) return true;
    return this.#bringsPools(token0) || this.#bringsPools(token1);
  }

  /** A quote asset is in nearly every pool, so watching one brings its transfers only. */
  #bringsPools(token: Address): boolean {
    if (findRank(this.#options.adapter.assets, token) !== RANK_TOKEN) return false;
    if (!this.#watched.has(token)) return false;
    return this.#joining.has(token) || this.#entries.open.has(token);
  }

  #isAllIn(): boolean {
    const { open } = this.#entries;
    return [...this.#watched].every((token) => open.has(token) || this.#joining.has(token));
  }

  #listMembers(): ReadonlySet<Address> {
    return new Set(
      [...this.#entries.open.keys(), ...this.#joining].filter((token) => this.#watched.has(token)),
    );
  }

  /** What follows from the entries is found again by the next `refresh`. */
  #forget(): void {
    this.#joining.clear();
    this.#pools = null;
  }

  async #readWatched(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    if (nowMs - this.#watchedReadAtMs < READ_AGAIN_MS) return;
    this.#watched = new Set(await this.#options.readWatched());
    this.#watchedReadAtMs = nowMs;
  }

  async #readPools(): Promise<Set<PoolId>> {
    const { adapter, store } = this.#options;
    const tokens = [...this.#listMembers()].filter((token) => this.#bringsPools(token));
    const rows = await store.readPoolsOfTokens(adapter.chain, tokens);
    return new Set([...adapter.assets.anchorPools, ...rows.map(({ pool }) => pool)]);
  }
}
