// The columns of all followed chains: loaded from the store, then updated after each commit.
//
// A commit names the rows that it changed, and they are read from the store in one snapshot. If the
// store is already further, the rows belong to a commit that was not heard of yet: then they are
// read again after it. So the columns always are those of exactly one commit.

import { setImmediate } from 'node:timers/promises';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { TokenFigures } from '../../store/market-reads.ts';
import type { MarketSnapshot, MarketStore } from '../../store/store.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { BoardBehindError, CommitWaiters } from './board-passed.ts';
import { ChainColumns } from './chain-columns.ts';
import { fillInPrices } from './fill-in-prices.ts';
import { type ListStarts, readListStarts, scanListStarts } from './read-list-starts.ts';
import type { ListAssets } from './token-columns.ts';

interface MarketColumnsOptions {
  readonly store: Pick<MarketStore, 'snapshot'>;
  readonly states: ChainStates;
  readonly listChains: () => readonly ChainSlug[];
  /** Null while the chain is being prepared. */
  readonly findAssets: (chain: ChainSlug) => ListAssets | null;
  /** The tokens that token lists vouch for. */
  readonly lists: {
    readonly directory: ReadonlyMap<ChainSlug, ReadonlyMap<Address, unknown>>;
    subscribe(listener: () => void): () => void;
  };
  /**
   * Resolves when the chain's board was loaded: more answers need it, lists need both, and what two
   * scans hold at the same time outlives young memory.
   */
  readonly untilBoard: (chain: ChainSlug) => Promise<unknown>;
  /** Columns were loaded, as opposed to updated. */
  readonly onLoaded: (chain: ChainSlug) => void;
  readonly onError: (error: unknown) => void;
}

interface LoadedColumns {
  readonly columns: ChainColumns;
  readonly checkpoint: Checkpoint;
}

interface ColumnsState {
  loaded: LoadedColumns | null;
  mustLoad: boolean;
  /** The last commit that was heard of. */
  heardVersion: number;
  tokens: Set<Address>;
  pools: Set<PoolId>;
  working: Promise<void> | null;
  /** Whether there may be more to do than was known when the work began. */
  isWoken: boolean;
  readonly waiters: CommitWaiters<void>;
}

/** Rows are read in parts, so that other requests are served in between. */
const PART_SIZE = 500;

async function* listParts<T>(items: Iterable<T>): AsyncGenerator<readonly T[]> {
  const all = [...items];
  for (let start = 0; start < all.length; start += PART_SIZE) {
    if (start > 0) await setImmediate();
    yield all.slice(start, start + PART_SIZE);
  }
}

export class MarketColumns {
  readonly #options: MarketColumnsOptions;
  readonly #chains = new Map<ChainSlug, ColumnsState>();
  readonly #unsubscribes: (() => void)[] = [];
  #stopped = false;

  constructor(options: MarketColumnsOptions) {
    this.#options = options;
  }

  start(): void {
    const { states, listChains, lists } = this.#options;
    this.#unsubscribes.push(
      states.subscribe((change) => this.#hear(change)),
      lists.subscribe(() => this.#markVerified()),
    );
    for (const chain of listChains()) if (states.current(chain) !== null) this.#follow(chain);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    for (const { waiters } of this.#chains.values()) waiters.rejectAll(new Error('It was stopped'));
    await Promise.all([...this.#chains.values()].map(({ working }) => working));
  }

  /** The columns if they are exactly those of a commit. */
  find(chain: ChainSlug, version: number): ChainColumns | null {
    const loaded = this.#chains.get(chain)?.loaded ?? null;
    return loaded?.checkpoint.version === version ? loaded.columns : null;
  }

  /** The columns as of the last commit they have; null until they are loaded. */
  findLoaded(chain: ChainSlug): ChainColumns | null {
    return this.#chains.get(chain)?.loaded?.columns ?? null;
  }

  /**
   * Resolves while the columns are those of a commit; throws `BoardPassedError` if they are past
   * it. With `isHeld` it does not wait, and throws `BoardBehindError`.
   */
  async wait(
    chain: ChainSlug,
    { version, isHeld }: { readonly version: number; readonly isHeld: boolean },
  ): Promise<void> {
    const state = this.#chains.get(chain) ?? this.#follow(chain);
    if (this.#stopped) throw new Error('It was stopped');
    if (isHeld && (state.loaded?.checkpoint.version ?? 0) < version) {
      throw new BoardBehindError(this.wait(chain, { version, isHeld: false }));
    }
    const waiting = state.waiters.wait(version, () => undefined);
    this.#serveWaiters(state);
    // A store that could not be read before is tried again.
    if (!state.waiters.isEmpty) this.#work(chain, state);
    await waiting;
  }

  #serveWaiters({ loaded, waiters }: ColumnsState): void {
    if (loaded !== null) waiters.serve(loaded.checkpoint.version);
  }

  #follow(chain: ChainSlug): ColumnsState {
    const known = this.#chains.get(chain);
    const state: ColumnsState = known ?? {
      ...{ loaded: null, mustLoad: true, heardVersion: 0, working: null, isWoken: false },
      waiters: new CommitWaiters<void>(),
      ...{ tokens: new Set<Address>(), pools: new Set<PoolId>() },
    };
    this.#chains.set(chain, state);
    this.#work(chain, state);
    return state;
  }

  #hear({ chain, batch, checkpoint, tokens }: StateChange): void {
    const state = this.#chains.get(chain) ?? this.#follow(chain);
    state.heardVersion = checkpoint.version;
    // A rollback does not name the tokens that left or came back into scope.
    const isUnnamed = batch?.isRollback === true && checkpoint.scope !== undefined;
    if (batch === null || isUnnamed) state.mustLoad = true;
    else {
      for (const token of tokens === 'all' ? batch.tokens : tokens) state.tokens.add(token);
      for (const pool of batch.pools) state.pools.add(pool);
    }
    this.#work(chain, state);
  }

  #markVerified(): void {
    for (const [chain, { loaded }] of this.#chains) {
      loaded?.columns.setVerified(this.#options.lists.directory.get(chain)?.keys() ?? []);
    }
  }

  #work(chain: ChainSlug, state: ColumnsState): void {
    // Work that is about to end may not see what this call is for.
    state.isWoken = state.working !== null;
    if (this.#stopped || state.working !== null) return;
    state.working = this.#catchUp(chain, state)
      .catch((error: unknown) => {
        // Rows may be half applied: they are loaded again, by the next commit or caller.
        state.loaded = null;
        state.mustLoad = true;
        state.waiters.rejectAll(error);
        if (!this.#stopped) this.#options.onError(error);
      })
      .finally(() => {
        state.working = null;
        if (state.isWoken) this.#work(chain, state);
      });
  }

  async #catchUp(chain: ChainSlug, state: ColumnsState): Promise<void> {
    for (;;) {
      const { heardVersion } = state;
      const isBehind = (state.loaded?.checkpoint.version ?? 0) < heardVersion;
      if (this.#stopped || !(state.mustLoad || isBehind)) return;
      const isDone = state.mustLoad
        ? await this.#load(chain, state)
        : await this.#refresh(chain, state);
      this.#serveWaiters(state);
      // The store is ahead of the feed: the next commit continues.
      if (!isDone && state.heardVersion === heardVersion) return;
    }
  }

  /** False if the chain cannot be read yet. */
  async #load(chain: ChainSlug, state: ColumnsState): Promise<boolean> {
    await this.#options.untilBoard(chain);
    const assets = this.#options.findAssets(chain);
    if (assets === null || this.#stopped) return false;
    state.mustLoad = false;
    state.tokens.clear();
    state.pools.clear();
    const columns = new ChainColumns(assets);
    const checkpoint = await this.#options.store.snapshot(async (reader) => {
      const at = await reader.readCheckpoint(chain);
      if (at === null) return null;
      for await (const page of reader.scanPoolFigures(chain)) {
        columns.putPools(page);
        await setImmediate();
      }
      const starts = await scanListStarts(reader, chain, at);
      for await (const tokens of reader.scanTokenFigures(chain)) {
        const { jobs } = starts;
        const rows = await fillInPrices(reader, chain, { tokens, jobs });
        this.#putTokens(chain, columns, { rows, starts });
        await setImmediate();
      }
      return at;
    });
    // The lists may have changed since the first rows were put.
    columns.setVerified(this.#options.lists.directory.get(chain)?.keys() ?? []);
    state.loaded = checkpoint && { columns, checkpoint };
    this.#options.onLoaded(chain);
    return checkpoint !== null;
  }

  #putTokens(
    chain: ChainSlug,
    columns: ChainColumns,
    { rows, starts }: { readonly rows: readonly TokenFigures[]; readonly starts: ListStarts },
  ): void {
    // Looked up after the read: the lists may have changed meanwhile.
    const entries = this.#options.lists.directory.get(chain);
    const isVerified = (token: Address) => entries?.has(token) ?? false;
    columns.putTokens(rows, { isVerified, findStart: (token) => starts.find(token) });
  }

  /** False if the store is at another commit than the last one heard of. */
  async #refresh(chain: ChainSlug, state: ColumnsState): Promise<boolean> {
    const { heardVersion, tokens, pools, loaded } = state;
    if (loaded === null) {
      state.mustLoad = true;
      return true;
    }
    state.tokens = new Set();
    state.pools = new Set();
    const read = await this.#options.store.snapshot(async (reader) => {
      const checkpoint = await reader.readCheckpoint(chain);
      if (checkpoint?.version !== heardVersion) return null;
      return { checkpoint, ...(await readRows(reader, chain, { tokens, pools, checkpoint })) };
    });
    if (read === null) {
      for (const token of tokens) state.tokens.add(token);
      for (const pool of pools) state.pools.add(pool);
      return false;
    }
    const { columns } = loaded;
    for (const { pool } of read.pools) pools.delete(pool);
    for (const { rows } of read.tokens) for (const { token } of rows) tokens.delete(token);
    // What was asked for and not found is gone.
    for (const pool of pools) columns.removePool(pool);
    for (const token of tokens) columns.tokens.remove(token);
    columns.putPools(read.pools);
    for (const part of read.tokens) this.#putTokens(chain, columns, part);
    state.loaded = { columns, checkpoint: read.checkpoint };
    return true;
  }
}

async function readRows(
  reader: MarketSnapshot,
  chain: ChainSlug,
  wanted: {
    readonly tokens: ReadonlySet<Address>;
    readonly pools: ReadonlySet<PoolId>;
    readonly checkpoint: Checkpoint;
  },
) {
  const { checkpoint } = wanted;
  const tokens = [];
  const pools = [];
  for await (const part of listParts(wanted.tokens)) {
    const stored = await reader.readTokenFigures(chain, part);
    const starts = await readListStarts(reader, chain, { checkpoint, tokens: part });
    const { jobs } = starts;
    tokens.push({ rows: await fillInPrices(reader, chain, { tokens: stored, jobs }), starts });
  }
  for await (const part of listParts(wanted.pools)) {
    pools.push(...(await reader.readPoolFigures(chain, part)));
  }
  return { tokens, pools };
}
