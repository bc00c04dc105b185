// The columns of all followed chains: loaded from the store, then updated after each commit.
//
// A commit names the rows that it changed, and they are read from the store in one snapshot. If the
// store is already further, the rows belong to a commit that was not heard of yet: then they are
// read again after it. So the columns always are those of exactly one commit.

import { setImmediate } from 'node:timers/promises';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { CandleRecord, Checkpoint, TokenRecord } from '../../model/market-record.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketReads, TokenFigures } from '../../store/market-reads.ts';
import type { MarketSnapshot, MarketStore } from '../../store/store.ts';
import type { StateChange } from '../state/chain-states.ts';
import { ChainColumns } from './chain-columns.ts';
import {
  CommitFollower,
  type CommitFollowerOptions,
  type FollowedChain,
} from './commit-follower.ts';
import type { ListAssets } from './token-columns.ts';

// A token that has not been traded since the index began has a price all the same, if its history
// was filled in: that of its last old trade.

type PricedToken = Pick<TokenRecord, 'token' | 'lastTradeAtMs' | 'priceUsd'>;

function fillIn<Row extends PricedToken>(token: Row, last: CandleRecord | undefined): Row {
  if (last === undefined) return token;
  const priceUsd = (last.usdClean ?? last.usd)?.close ?? null;
  const priceNative = (last.nativeClean ?? last.native)?.close ?? null;
  return { ...token, priceUsd, ...('priceNative' in token ? { priceNative } : {}) };
}

/** The tokens with the prices that their rows lack. */
export async function fillInPrices<Row extends PricedToken>(
  reader: Pick<MarketReads, 'readCandlesBefore'>,
  chain: ChainSlug,
  of: {
    readonly tokens: readonly Row[];
    readonly jobs: readonly Pick<BackfillRecord, 'token'>[];
  },
): Promise<readonly Row[]> {
  const { tokens } = of;
  const filledIn = new Set(of.jobs.map(({ token }) => token));
  const unpriced = new Set(
    tokens.filter(({ token, lastTradeAtMs }) => lastTradeAtMs === null && filledIn.has(token)),
  );
  if (unpriced.size === 0) return tokens;
  const candles = await reader.readCandlesBefore(
    chain,
    Array.from(unpriced, ({ token }) => ({
      ...{ token, pool: null, interval: '1d' as const, beforeMs: Number.MAX_SAFE_INTEGER },
    })),
    1,
  );
  const last = new Map(candles.map((candle) => [candle.token, candle]));
  return tokens.map((token) =>
    unpriced.has(token) ? fillIn(token, last.get(token.token)) : token,
  );
}

// Since when single tokens are indexed, where that is not since the chain is: they came into scope
// later, or history from before was filled in.

interface ListStarts {
  readonly jobs: readonly BackfillRecord[];
  /** Unix milliseconds; NaN for a token that is indexed since the chain is. */
  find(token: Address): number;
}

/** The same rules as for coverage. */
function buildStarts(
  { scope }: Checkpoint,
  entries: readonly ScopeEntry[],
  jobs: readonly BackfillRecord[],
): ListStarts {
  const entered = new Map(
    entries
      .filter(({ leftBlock }) => leftBlock === null)
      .map(({ token, fromBlock, fromMs }) => [
        token,
        fromBlock <= 1 ? Number.NEGATIVE_INFINITY : fromMs,
      ]),
  );
  const reached = new Map(
    jobs.flatMap(({ token, kind, nextMs }) =>
      kind === 'trades' && nextMs !== null ? [[token, nextMs] as const] : [],
    ),
  );
  return {
    jobs,
    find: (token) => {
      const reachedMs = reached.get(token);
      if (scope === undefined) return reachedMs ?? Number.NaN;
      // Outside of scope nothing is complete, whatever was filled in.
      const enteredMs = entered.get(token) ?? Number.POSITIVE_INFINITY;
      return enteredMs === Number.POSITIVE_INFINITY
        ? enteredMs
        : Math.min(enteredMs, reachedMs ?? enteredMs);
    },
  };
}

/** Of all tokens. */
async function scanListStarts(
  reader: MarketSnapshot,
  chain: ChainSlug,
  checkpoint: Checkpoint,
): Promise<ListStarts> {
  const entries: ScopeEntry[] = [];
  const jobs: BackfillRecord[] = [];
  if (checkpoint.scope !== undefined) {
    for await (const page of reader.scanScopeEntries(chain)) entries.push(...page);
  }
  if (checkpoint.startBlock > 1) {
    for await (const page of reader.scanBackfills(chain)) jobs.push(...page);
  }
  return buildStarts(checkpoint, entries, jobs);
}

async function readListStarts(
  reader: MarketSnapshot,
  chain: ChainSlug,
  of: { readonly checkpoint: Checkpoint; readonly tokens: readonly Address[] },
): Promise<ListStarts> {
  const { checkpoint, tokens } = of;
  const isScoped = checkpoint.scope !== undefined;
  const entries = isScoped ? await reader.readScopeEntries(chain, tokens) : [];
  const jobs = checkpoint.startBlock > 1 ? await reader.readBackfills(chain, tokens) : [];
  return buildStarts(checkpoint, entries, jobs);
}

interface MarketColumnsOptions extends CommitFollowerOptions {
  readonly store: Pick<MarketStore, 'snapshot'>;
  /** Null while the chain is being prepared. */
  readonly findAssets: (chain: ChainSlug) => ListAssets | null;
  /** The tokens that token lists vouch for. */
  readonly lists: {
    readonly directory: ReadonlyMap<ChainSlug, ReadonlyMap<Address, unknown>>;
    subscribe(listener: () => void): () => void;
  };
  /**
   * Resolves when the chain's stats were loaded: more answers need them, lists need both, and what
   * two scans hold at the same time outlives young memory.
   */
  readonly untilStats: (chain: ChainSlug) => Promise<unknown>;
}

/** The last commit that was heard of, and the rows that commits changed. */
interface ChangedRows {
  heardVersion: number;
  tokens: Set<Address>;
  pools: Set<PoolId>;
}

type ColumnsState = FollowedChain<ChainColumns, ChangedRows>;

/** Rows are read in parts, so that other requests are served in between. */
const PART_SIZE = 500;

async function* listParts<T>(items: Iterable<T>): AsyncGenerator<readonly T[]> {
  const all = [...items];
  for (let start = 0; start < all.length; start += PART_SIZE) {
    if (start > 0) await setImmediate();
    yield all.slice(start, start + PART_SIZE);
  }
}

export class MarketColumns extends CommitFollower<ChainColumns, ChangedRows> {
  readonly #options: MarketColumnsOptions;
  #unsubscribeLists: (() => void) | null = null;

  constructor(options: MarketColumnsOptions) {
    super(options);
    this.#options = options;
  }

  override start(): void {
    super.start();
    this.#unsubscribeLists = this.#options.lists.subscribe(() => this.#markVerified());
  }

  override stop(): Promise<void> {
    this.#unsubscribeLists?.();
    return super.stop();
  }

  /** The columns if they are exactly those of a commit. */
  findAt(chain: ChainSlug, version: number): ChainColumns | null {
    const loaded = this.find(chain);
    return loaded?.checkpoint.version === version ? loaded.value : null;
  }

  protected override createPending(): ChangedRows {
    return { heardVersion: 0, tokens: new Set(), pools: new Set() };
  }

  protected override onChange(
    { batch, checkpoint, tokens }: StateChange,
    state: ColumnsState,
  ): void {
    const { pending } = state;
    pending.heardVersion = checkpoint.version;
    // A rollback does not name the tokens that left or came back into scope.
    const isUnnamed = batch?.isRollback === true && checkpoint.scope !== undefined;
    if (batch === null || isUnnamed) {
      state.mustLoad = true;
      return;
    }
    for (const token of tokens === 'all' ? batch.tokens : tokens) pending.tokens.add(token);
    for (const pool of batch.pools) pending.pools.add(pool);
  }

  protected override async step(chain: ChainSlug, state: ColumnsState): Promise<boolean> {
    const { pending } = state;
    const { heardVersion } = pending;
    const isBehind = (state.loaded?.checkpoint.version ?? 0) < heardVersion;
    if (!(state.mustLoad || isBehind)) return false;
    const isDone = state.mustLoad
      ? await this.#load(chain, state)
      : await this.#refresh(chain, state);
    // Otherwise the store is ahead of the feed: the next commit continues.
    return isDone || pending.heardVersion !== heardVersion;
  }

  #markVerified(): void {
    const { listChains, lists } = this.#options;
    for (const chain of listChains()) {
      this.find(chain)?.value.setVerified(lists.directory.get(chain)?.keys() ?? []);
    }
  }

  /** False if the chain cannot be read yet. */
  async #load(chain: ChainSlug, state: ColumnsState): Promise<boolean> {
    await this.#options.untilStats(chain);
    const assets = this.#options.findAssets(chain);
    if (assets === null || this.isStopped) return false;
    state.mustLoad = false;
    state.pending.tokens.clear();
    state.pending.pools.clear();
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
    state.loaded = checkpoint && { value: columns, checkpoint };
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
    const { loaded, pending } = state;
    const { heardVersion, tokens, pools } = pending;
    if (loaded === null) {
      state.mustLoad = true;
      return true;
    }
    pending.tokens = new Set();
    pending.pools = new Set();
    const read = await this.#options.store.snapshot(async (reader) => {
      const checkpoint = await reader.readCheckpoint(chain);
      if (checkpoint?.version !== heardVersion) return null;
      return { checkpoint, ...(await readRows(reader, chain, { tokens, pools, checkpoint })) };
    });
    if (read === null) {
      for (const token of tokens) pending.tokens.add(token);
      for (const pool of pools) pending.pools.add(pool);
      return false;
    }
    const columns = loaded.value;
    for (const { pool } of read.pools) pools.delete(pool);
    for (const { rows } of read.tokens) for (const { token } of rows) tokens.delete(token);
    // What was asked for and not found is gone.
    for (const pool of pools) columns.removePool(pool);
    for (const token of tokens) columns.tokens.remove(token);
    columns.putPools(read.pools);
    for (const part of read.tokens) this.#putTokens(chain, columns, part);
    state.loaded = { value: columns, checkpoint: read.checkpoint };
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
