// What the domains need from a store. The engines are in the folders beside this file; the layers
// above do not know which one is used.

import type { AdoptionRecord } from '../model/adoption.ts';
import type { AlertState } from '../model/alert.ts';
import type { BackfillRecord } from '../model/backfill.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { DiscoveryRecord } from '../model/discovery.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  Checkpoint,
  SeriesKey,
  StoredInterval,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../model/market-record.ts';
import type { NewsRecord } from '../model/news.ts';
import type { PoolKindName, PoolRecord } from '../model/pool.ts';
import type { PoolSafety } from '../model/pool-safety.ts';
import type { PositionKey, PositionRecord } from '../model/position.ts';
import type { ScopeEntry } from '../model/scope.ts';
import type { AccessStore } from './access-store.ts';
import type { AlertReads, AlertStore } from './alert-store.ts';
import type {
  ChainLease,
  FeedRow,
  FeedStore,
  LeaseStore,
  PauseStore,
  SignalStore,
  WatchStore,
} from './feed-store.ts';
import type { CandleSeries, MarketReads, TimeRange } from './market-reads.ts';
import type { RowPartitions } from './row-partitions.ts';
import type { StoreFault } from './store-error.ts';
import type { EpochName, RollbackRecord, StreamReads } from './stream-reads.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface BalanceKey {
  readonly token: Address;
  readonly owner: Address;
}

export interface CandleKey extends SeriesKey {
  readonly interval: StoredInterval;
  readonly openTimeMs: number;
}

/** Reads by key; missing rows are absent from the result, which is in any order. */
export interface MarketReader {
  readCheckpoint(chain: ChainSlug): Promise<Checkpoint | null>;
  /** Headers above the finalized block and some below it, ascending. */
  readHeaders(chain: ChainSlug): Promise<BlockHeader[]>;
  readTokens(chain: ChainSlug, tokens: readonly Address[]): Promise<TokenRecord[]>;
  readPools(chain: ChainSlug, pools: readonly PoolId[]): Promise<PoolRecord[]>;
  /**
   * Pools with one side among `tokens` and, if `against` is given, the other side among those: a
   * quote asset alone would match every pool of the chain.
   */
  readPoolsOfTokens(
    chain: ChainSlug,
    tokens: readonly Address[],
    against?: readonly Address[],
  ): Promise<PoolRecord[]>;
  /** Pools of one kind between two tokens, the oldest first. */
  readPoolsOfPair(
    chain: ChainSlug,
    pair: readonly [Address, Address],
    page: { readonly kind: PoolKindName; readonly limit: number },
  ): Promise<PoolRecord[]>;
  /** Since when the tokens are in scope; those that are not are absent. */
  readScopeEntries(chain: ChainSlug, tokens: readonly Address[]): Promise<ScopeEntry[]>;
  /** By pool, then by tick. */
  readTicks(chain: ChainSlug, pools: readonly PoolId[]): Promise<TickRecord[]>;
  readBalances(chain: ChainSlug, keys: readonly BalanceKey[]): Promise<BalanceRecord[]>;
  readPositions(chain: ChainSlug, keys: readonly PositionKey[]): Promise<PositionRecord[]>;
  /** The jobs of these tokens that fill in history. */
  readBackfills(chain: ChainSlug, tokens: readonly Address[]): Promise<BackfillRecord[]>;
  /** The balances that a job has summed up so far. */
  readBackfillBalances(chain: ChainSlug, keys: readonly BalanceKey[]): Promise<BalanceRecord[]>;
  /** All of them, of one token. */
  readAllBackfillBalances(chain: ChainSlug, token: Address): Promise<BalanceRecord[]>;
  /** The last adoption of a pool; null if it was never adopted. */
  readAdoption(chain: ChainSlug, pool: PoolId): Promise<AdoptionRecord | null>;
  readCandles(chain: ChainSlug, keys: readonly CandleKey[]): Promise<CandleRecord[]>;
  /** Candles of one series in a range, ascending. */
  readCandleRange(
    chain: ChainSlug,
    series: SeriesKey & { readonly interval: StoredInterval },
    range: TimeRange,
  ): Promise<CandleRecord[]>;
  /** The candles of several ranges at once, in any order. */
  readCandleRanges(
    chain: ChainSlug,
    ranges: readonly (CandleSeries & TimeRange)[],
  ): Promise<CandleRecord[]>;
  /** The trades of several tokens' ranges, which do not overlap, in chain order. */
  readTradeRanges(
    chain: ChainSlug,
    ranges: readonly (TimeRange & { readonly token: Address })[],
  ): Promise<TradeRecord[]>;
  /** Trades of one series in a range, in chain order. */
  readTradeRange(chain: ChainSlug, series: SeriesKey, range: TimeRange): Promise<TradeRecord[]>;
}

/** Rows as they were before a block changed them; null means that the row did not exist. */
export interface UndoImages {
  readonly block: number;
  readonly tokens: ReadonlyMap<Address, TokenRecord | null>;
  readonly pools: ReadonlyMap<PoolId, PoolRecord | null>;
  readonly ticks: readonly {
    readonly pool: PoolId;
    readonly tick: number;
    readonly before: TickRecord | null;
  }[];
  readonly balances: readonly {
    readonly token: Address;
    readonly owner: Address;
    readonly before: BalanceRecord | null;
  }[];
  readonly positions: readonly (PositionKey & { readonly before: PositionRecord | null })[];
}

/**
 * One chain's writes, all or nothing. Every method takes rows in bulk, each key at most once per
 * call. Valid only while its callback runs: later calls fail.
 */
export interface MarketTransaction extends MarketReader {
  putHeaders(headers: readonly BlockHeader[]): Promise<void>;
  putTokens(rows: readonly TokenRecord[]): Promise<void>;
  putPools(rows: readonly PoolRecord[]): Promise<void>;
  /** A tick with zero gross liquidity is deleted. */
  putTicks(rows: readonly TickRecord[]): Promise<void>;
  putAdoptions(rows: readonly AdoptionRecord[]): Promise<void>;
  putDiscoveries(rows: readonly DiscoveryRecord[]): Promise<void>;
  putScopeEntries(rows: readonly ScopeEntry[]): Promise<void>;
  /** A balance of zero is deleted. */
  putBalances(rows: readonly BalanceRecord[]): Promise<void>;
  /** Above zero, and not stored yet: fails on one that is. The store need not look for them. */
  addBalances(rows: readonly BalanceRecord[]): Promise<void>;
  putPositions(rows: readonly PositionRecord[]): Promise<void>;
  /** Not stored yet: fails on one that is. */
  addPositions(rows: readonly PositionRecord[]): Promise<void>;
  putBackfills(rows: readonly BackfillRecord[]): Promise<void>;
  /** Deletes the jobs of a token and what they have summed up; trades and balances stay. */
  deleteBackfills(token: Address): Promise<void>;
  /** The same rules as `putBalances`, for the sums of a job. */
  putBackfillBalances(rows: readonly BalanceRecord[]): Promise<void>;
  deleteBackfillBalances(token: Address): Promise<void>;
  putCandles(rows: readonly CandleRecord[]): Promise<void>;
  deleteCandles(keys: readonly CandleKey[]): Promise<void>;
  /** Fails on a trade that is already stored: it would be counted twice. */
  insertTrades(rows: readonly TradeRecord[]): Promise<void>;
  /**
   * The same, and folds them into the stored candles: for trades in chain order that are later than
   * all stored ones of their tokens.
   */
  addTrades(rows: readonly TradeRecord[]): Promise<void>;
  /** Replaces those that are stored already. */
  putTrades(rows: readonly TradeRecord[]): Promise<void>;
  /** A block may occur in several calls; the oldest image of a row is the one restored. */
  putUndo(images: readonly UndoImages[]): Promise<void>;
  /**
   * Restores every row that blocks above `block` changed and removes their trades, adoptions,
   * discoveries, scope entries, headers and undo images. A job whose balances were joined above it
   * must join them again. The caller must refold the candles from the trades that stay. Returns the
   * trades that were removed, in chain order.
   */
  undoAbove(block: number): Promise<TradeRecord[]>;
  /** Records what a rollback removed, for readers that saw it and resume later. */
  putRollback(rollback: RollbackRecord, reverted: readonly TradeRecord[]): Promise<void>;
  /** Deletes rollbacks recorded before a time. */
  pruneRollbacks(beforeMs: number): Promise<void>;
  /** Records what a commit brings, for readers of the chain's news. */
  putNews(rows: readonly NewsRecord[]): Promise<void>;
  /** Those as of blocks above a rollback's are deleted by `undoAbove`. */
  putAlertStates(rows: readonly AlertState[]): Promise<void>;
  deleteAlertStates(keys: readonly Pick<AlertState, 'alert' | 'block'>[]): Promise<void>;
  /** Marks the news of blocks above `block` as removed by the rollback of this version. */
  revertNews(above: { readonly block: number; readonly version: number }): Promise<void>;
  /** Deletes some of the oldest news, if they are from before a time. */
  pruneNews(beforeMs: number): Promise<void>;
  /** Deletes undo images up to `block`, and headers that no reorganisation can reach. */
  pruneUndo(block: number): Promise<void>;
  /**
   * Throws `StaleWriterError` unless the stored version is the previous one (an empty store counts
   * as version 0): a second indexer must not write. Call it first, before anything is written.
   * Version 1 also begins the epoch of the chain's index; a random one if none is given.
   */
  setCheckpoint(checkpoint: Checkpoint, epoch?: EpochName): Promise<void>;
  /** Another epoch from this commit on, or the same on another server. */
  setEpoch(epoch: EpochName): Promise<void>;
  /** Keeps the commit for other processes; `build` is called only if there can be any. */
  putFeedRow(build: () => FeedRow): Promise<void>;
}

/**
 * Every row of a chain, page by page, for `verify` and for loading memory at start. Unless an order
 * is given it is the engine's own, always the same.
 */
export interface MarketScanner {
  scanTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]>;
  /** Those whose supply was not read since their balances changed. */
  scanUnsuppliedTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]>;
  /** Tokens that traded, and lack a symbol, a name or decimals. */
  scanUnnamedTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]>;
  scanPools(chain: ChainSlug): AsyncIterable<readonly PoolRecord[]>;
  scanIncompletePools(chain: ChainSlug): AsyncIterable<readonly PoolRecord[]>;
  /** Those that hold at least so much. */
  scanDeepPools(chain: ChainSlug, minUsdE18: bigint): AsyncIterable<readonly PoolRecord[]>;
  scanTicks(chain: ChainSlug): AsyncIterable<readonly TickRecord[]>;
  /** In the order of their commits. */
  scanAdoptions(chain: ChainSlug): AsyncIterable<readonly AdoptionRecord[]>;
  /** In the order of their commits. */
  scanDiscoveries(chain: ChainSlug): AsyncIterable<readonly DiscoveryRecord[]>;
  /** Of all tokens that are or were in scope, by token and block. */
  scanScopeEntries(chain: ChainSlug): AsyncIterable<readonly ScopeEntry[]>;
  scanBalances(chain: ChainSlug): AsyncIterable<readonly BalanceRecord[]>;
  scanPositions(chain: ChainSlug): AsyncIterable<readonly PositionRecord[]>;
  scanBackfills(chain: ChainSlug): AsyncIterable<readonly BackfillRecord[]>;
  scanCandles(chain: ChainSlug): AsyncIterable<readonly CandleRecord[]>;
  /** In chain order. */
  scanTrades(chain: ChainSlug): AsyncIterable<readonly TradeRecord[]>;
  /** The last trades of the chain first. */
  scanNewestTrades(chain: ChainSlug): AsyncIterable<readonly TradeRecord[]>;
}

export interface OldRows {
  /** Rows of this time and later stay. */
  readonly beforeMs: number;
  readonly limit: number;
}

export interface OldCandles {
  readonly deleted: number;
  /** The series after which to continue; null to start with the first. */
  readonly next: CandleSeries | null;
  /** Whether the last series was reached. */
  readonly isDone: boolean;
}

export type MarketSnapshot = MarketReader & MarketReads & StreamReads & MarketScanner & AlertReads;

export interface MarketStore extends MarketSnapshot {
  readonly alerts: AlertStore;
  /**
   * A name of the server that another one does not have, also not a standby that takes over from it
   * and may lack its last commits. Null if there is none.
   */
  readServer(): Promise<string | null>;
  /** Absent if old rows can only be deleted. */
  readonly partitions?: RowPartitions | undefined;
  /**
   * The same store for the holder of a lease: its transactions of that chain fail with
   * `LeaseLostError` once another process has taken it.
   */
  fence(lease: ChainLease): MarketStore;
  /** Runs `work` in one transaction; a throw rolls it back. */
  transaction<T>(
    chain: ChainSlug,
    work: (transaction: MarketTransaction) => Promise<T>,
  ): Promise<T>;
  /** Runs reads that all see one committed state, however far the indexer moves meanwhile. */
  snapshot<T>(work: (reader: MarketSnapshot) => Promise<T>): Promise<T>;
  /**
   * The same for long work, which calls `renew` now and then: a scan that is under way goes on in
   * the state of that moment. A snapshot of hours would keep PostgreSQL from removing dead rows.
   */
  snapshots<T>(
    work: (reader: MarketSnapshot, renew: () => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /**
   * Deletes everything indexed of a chain, including its checkpoint, which goes first; the rest in
   * steps, and if it is interrupted a later call goes on. `onProgress` is told how many rows are
   * gone. Until it is done, the chain has an epoch and no checkpoint.
   */
  forgetChain(chain: ChainSlug, onProgress?: (deleted: number) => void): Promise<void>;
  /**
   * Deletes the oldest trades that are older than a time, at most `limit`, in a transaction of its
   * own. Returns how many: fewer than `limit` when there are no more.
   */
  deleteOldTrades(chain: ChainSlug, old: OldRows & { readonly upToBlock: number }): Promise<number>;
  /** The same for adoptions that were replaced before the first stored trade. */
  deleteOldAdoptions(chain: ChainSlug, limit: number): Promise<number>;
  /**
   * The same for candles shorter than a day, series by series. `limit` bounds both the rows that
   * are deleted and the series that are looked at.
   */
  deleteOldCandles(
    chain: ChainSlug,
    old: OldRows & { readonly after: CandleSeries | null },
  ): Promise<OldCandles>;
  /** Notes which addresses are contracts; they are asked for once. */
  putAccounts(chain: ChainSlug, accounts: ReadonlyMap<Address, boolean>): Promise<void>;
  /** Stores probe results; they belong to no block, so no rollback removes them. */
  putPoolSafety(chain: ChainSlug, rows: readonly PoolSafety[]): Promise<void>;
  scanPoolSafety(chain: ChainSlug): AsyncIterable<readonly PoolSafety[]>;
  /** The results of probes at this time and later, by the clock of the process that probed. */
  readPoolSafetySince(chain: ChainSlug, sinceMs: number): Promise<PoolSafety[]>;
}

/** A copy of the market on another server, which may be behind. */
export interface MarketStandby {
  /** For reads only. */
  readonly market: MarketStore;
  /** False from a failure until it answers again. */
  readonly isUp: boolean;
  /** A caller got no answer in time. */
  noteSlow(): void;
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly market: MarketStore;
  /** Null if none was named. */
  readonly standby: MarketStandby | null;
  readonly pauses: PauseStore;
  readonly watches: WatchStore;
  readonly access: AccessStore;
  readonly webhooks: WebhookStore;
  /** Null if the store serves one process, which indexes every chain. */
  readonly leases: LeaseStore | null;
  /** Null if no other process needs the commits. */
  readonly feed: FeedStore | null;
  /** Null if there are no other processes. */
  readonly signals: SignalStore | null;
  /** Resolves if the store can be read and written; rejects with a `StoreError` otherwise. */
  ping(): Promise<void>;
  /** Records a fault that another thread met on the same store. */
  report(fault: StoreFault, cause: unknown): void;
  close(): Promise<void>;
}
