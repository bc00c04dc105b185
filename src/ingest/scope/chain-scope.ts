// Which events of a chain are indexed, if not all are: what to read, what to keep of it, and since
// when each token is in scope. Entries are stored with the commit that they begin or end with.

import type { BlockRange, ChainAdapter } from '../../chains/adapter.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { ScopeEntry, ScopeName } from '../../model/scope.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BatchToCommit } from '../commit/commit-batch.ts';
import type { MarketState } from '../state/market-state.ts';

/** Blocks that were read and follow the last indexed one. */
export interface BlocksRead {
  readonly blocks: readonly BlockEvents[];
  readonly fromBlock: number;
  /** The time of the block before, or of the first one. */
  readonly fromMs: number;
  readonly last: BlockHeader;
}

/** Where rows that are not in memory come from. */
export interface ScopeSource {
  readonly reader: MarketReader;
  readonly adapter: ChainAdapter;
  readonly signal?: AbortSignal;
}

export interface SelectedBlocks {
  readonly blocks: readonly BlockEvents[];
  /** Of the tokens that come into scope with these blocks. */
  readonly entries: readonly ScopeEntry[];
}

export type PoolTokens = Pick<PoolDescription, 'pool' | 'token0' | 'token1'>;

export interface ChainScope {
  readonly name: Exclude<ScopeName, 'all'>;
  /** Takes over what is stored; must be called whenever the index is loaded. */
  load(entries: readonly ScopeEntry[]): void;
  rollBack(toBlock: number): void;
  /** Brings the scope up to date before blocks are read. Returns the tokens that have to leave. */
  refresh(): Promise<readonly ScopeEntry[]>;
  /** Whether `refresh` would change what is read. */
  isOutdated(): Promise<boolean>;
  describeRange(): Pick<BlockRange, 'only' | 'describesPools'>;
  /** Must be called with every reading, in order, before the next one. */
  noteRead(blocks: readonly BlockEvents[]): void;
  select(read: BlocksRead, state: MarketState, source: ScopeSource): Promise<SelectedBlocks>;
  /** After each commit. A pool of a token in scope is read from now on, however it was found. */
  noteCommitted(commit: Pick<BatchToCommit, 'scoped' | 'changes'>): void;
  /** Whether the token itself is indexed. */
  hasToken(token: Address): boolean;
  /** The last time that the token was in scope; null if it never was. */
  findEntry(token: Address): ScopeEntry | null;
  /** Tokens that were in scope and are no longer. */
  listLeft(): readonly Address[];
  /** Tokens that came into scope since the last call, and may have older pools. */
  takeEntered(): readonly ScopeEntry[];
  /** Whether the events of a pool are indexed. */
  hasPool(pool: PoolTokens): boolean;
}

/** The entries of a chain: at most one open one for each token. */
export class ScopeEntries {
  #open = new Map<Address, ScopeEntry>();
  #closed: ScopeEntry[] = [];

  get open(): ReadonlyMap<Address, ScopeEntry> {
    return this.#open;
  }

  /** The open one of a token, or the last one; null if there is none. */
  find(token: Address): ScopeEntry | null {
    const open = this.#open.get(token);
    if (open !== undefined) return open;
    const closed = this.#closed.filter((entry) => entry.token === token);
    return closed.toSorted((a, b) => b.fromBlock - a.fromBlock)[0] ?? null;
  }

  /** Tokens that were in scope and are no longer. */
  listLeft(): readonly Address[] {
    const left = new Set(this.#closed.map(({ token }) => token));
    return [...left].filter((token) => !this.#open.has(token));
  }

  load(entries: readonly ScopeEntry[]): void {
    this.#open = new Map();
    this.#closed = [];
    this.add(entries);
  }

  add(entries: readonly ScopeEntry[]): void {
    for (const entry of entries) {
      if (entry.leftBlock === null) {
        this.#open.set(entry.token, entry);
      } else {
        // A later time of the same token may be open.
        const open = this.#open.get(entry.token);
        if (open?.fromBlock === entry.fromBlock) this.#open.delete(entry.token);
        this.#closed.push(entry);
      }
    }
  }

  /** The same as `undoAbove` does in the store. */
  rollBack(toBlock: number): void {
    const all = [...this.#open.values(), ...this.#closed].filter(
      ({ fromBlock }) => fromBlock <= toBlock + 1,
    );
    this.load(
      all.map((entry) =>
        entry.leftBlock !== null && entry.leftBlock > toBlock
          ? { ...entry, leftBlock: null }
          : entry,
      ),
    );
  }
}
