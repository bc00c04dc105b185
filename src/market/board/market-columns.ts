// The columns of all followed chains: loaded from the store, then updated after each commit.
//
// A commit names the rows that it changed, and they are read from the store in one snapshot. If the
// store is already further, the rows belong to a commit that was not heard of yet: then they are
// read again after it. So the columns always are those of exactly one commit.

import { setImmediate } from 'node:timers/promises';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketSnapshot, MarketStore } from '../../store/store.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { BoardPassedError, withDeadline } from './board-passed.ts';
import { ChainColumns } from './chain-columns.ts';
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
  readonly onError: (error: unknown) => void;
}

interface LoadedColumns {
  readonly columns: ChainColumns;
  readonly checkpoint: Checkpoint;
}

interface ColumnsWaiter {
  readonly version: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface ColumnsState {
  loaded: LoadedColumns | null;
  mustLoad: boolean;
  /** The last commit that was heard of. */
  heardVersion: number;
  tokens: Set<Address>;
  pools: Set<PoolId>;
  working: Promise<void> | null;
  waiters: ColumnsWaiter[];
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
    await Promise.all([...this.#chains.values()].map(({ working }) => working));
  }

  /** The columns if they are exactly those of a commit. */
  find(chain: ChainSlug, version: number): ChainColumns | null {
    const loaded = this.#chains.get(chain)?.loaded ?? null;
    return loaded?.checkpoint.version === version ? loaded.columns : null;
  }

  isLoaded(chain: ChainSlug): boolean {
    return this.#chains.get(chain)?.loaded != null;
  }

  /** Resolves while the columns are those of a commit; throws `BoardPassedError` if it is past. */
  wait(chain: ChainSlug, version: number): Promise<void> {
    const state = this.#chains.get(chain) ?? this.#follow(chain);
    return withDeadline(
      new Promise<void>((resolve, reject) => {
        state.waiters.push({ version, resolve, reject });
        this.#serveWaiters(state);
        // A store that could not be read before is tried again.
        if (state.waiters.length > 0) this.#work(chain, state);
      }),
    );
  }

  #serveWaiters(state: ColumnsState): void {
    const version = state.loaded?.checkpoint.version ?? 0;
    const { waiters } = state;
    state.waiters = waiters.filter((waiter) => waiter.version > version);
    for (const waiter of waiters) {
      if (waiter.version === version) waiter.resolve();
      else if (waiter.version < version)
        waiter.reject(new BoardPassedError('The lists are past it'));
    }
  }

  #follow(chain: ChainSlug): ColumnsState {
    const known = this.#chains.get(chain);
    const state = known ?? {
      ...{ loaded: null, mustLoad: true, heardVersion: 0, working: null, waiters: [] },
      ...{ tokens: new Set<Address>(), pools: new Set<PoolId>() },
    };
    this.#chains.set(chain, state);
    this.#work(chain, state);
    return state;
  }

  #hear({ chain, batch, checkpoint, tokens }: StateChange): void {
    const state = this.#chains.get(chain) ?? this.#follow(chain);
    state.heardVersion = checkpoint.version;
    if (batch === null) state.mustLoad = true;
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
    if (this.#stopped || state.working !== null) return;
    state.working = this.#catchUp(chain, state)
      .catch((error: unknown) => {
        // Rows may be half applied: they are loaded again, by the next commit or caller.
        state.loaded = null;
        state.mustLoad = true;
        for (const { reject } of state.waiters.splice(0)) reject(error);
        if (!this.#stopped) this.#options.onError(error);
      })
      .finally(() => {
        state.working = null;
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
    const assets = this.#options.findAssets(chain);
    if (assets === null) return false;
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
      for await (const page of reader.scanTokenFigures(chain)) {
        this.#putTokens(chain, columns, page);
        await setImmediate();
      }
      return at;
    });
    // The lists may have changed since the first rows were put.
    columns.setVerified(this.#options.lists.directory.get(chain)?.keys() ?? []);
    state.loaded = checkpoint && { columns, checkpoint };
    return checkpoint !== null;
  }

  #putTokens(
    chain: ChainSlug,
    columns: ChainColumns,
    rows: Parameters<ChainColumns['putTokens']>[0],
  ): void {
    // Looked up after the read: the lists may have changed meanwhile.
    const entries = this.#options.lists.directory.get(chain);
    columns.putTokens(rows, (token) => entries?.has(token) ?? false);
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
      return { checkpoint, ...(await readRows(reader, chain, { tokens, pools })) };
    });
    if (read === null) {
      for (const token of tokens) state.tokens.add(token);
      for (const pool of pools) state.pools.add(pool);
      return false;
    }
    const { columns } = loaded;
    for (const { pool } of read.pools) pools.delete(pool);
    for (const { token } of read.tokens) tokens.delete(token);
    // What was asked for and not found is gone.
    for (const pool of pools) columns.removePool(pool);
    for (const token of tokens) columns.tokens.remove(token);
    columns.putPools(read.pools);
    this.#putTokens(chain, columns, read.tokens);
    state.loaded = { columns, checkpoint: read.checkpoint };
    return true;
  }
}

async function readRows(
  reader: MarketSnapshot,
  chain: ChainSlug,
  wanted: { readonly tokens: ReadonlySet<Address>; readonly pools: ReadonlySet<PoolId> },
) {
  const tokens = [];
  const pools = [];
  for await (const part of listParts(wanted.tokens)) {
    tokens.push(...(await reader.readTokenFigures(chain, part)));
  }
  for await (const part of listParts(wanted.pools)) {
    pools.push(...(await reader.readPoolFigures(chain, part)));
  }
  return { tokens, pools };
}
