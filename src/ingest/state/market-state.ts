// The rows that a batch works on, in memory: a write-through cache with the batch's own changes.
//
// Rows are changed in place, so after anything but a successful commit the whole state is cleared
// and read again from the store.

import { AlertBook } from '../../alerts/alert-book.ts';
import type { ChainAssets } from '../../chains/adapter.ts';
import {
  type AssetRank,
  findRank,
  listMarketViews,
  type MarketView,
} from '../../chains/quote-rule.ts';
import { evictOldest } from '../../lib/bounded-map.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { AlertState } from '../../model/alert.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type {
  BalanceRecord,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { News } from '../../model/news.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PositionKey, PositionRecord } from '../../model/position.ts';
import type { TokenMetadata } from '../../model/token-metadata.ts';
import type { UndoImages } from '../../store/store.ts';
import { NewsLog } from './news-log.ts';
import {
  BalanceCache,
  type BalanceEntry,
  PositionCache,
  type PositionEntry,
} from './position-cache.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const NEVER = -1;

export interface BasePool {
  readonly pool: PoolId;
  readonly createdBlock: number;
}

export interface TokenEntry {
  readonly row: Mutable<TokenRecord>;
  readonly rank: AssetRank;
  /** The last block whose undo image includes this row; the same for every entry type. */
  imagedBlock: number;
  /** The last batch that changed it, by its number in this process; the same for other types. */
  batch: number;
  /** Pools in which this token is the base, oldest first; null until looked up. */
  basePools: BasePool[] | null;
  /** Whether the store has no balance or position of it that is not in memory. */
  hasAllBalances: boolean;
  hasAllPositions: boolean;
}

export interface TickEntry {
  readonly row: Mutable<TickRecord>;
  imagedBlock: number;
}

export interface PoolEntry {
  readonly row: Mutable<PoolRecord>;
  readonly views: readonly MarketView[];
  imagedBlock: number;
  batch: number;
  /** The last block that changed it, by its number among those begun. */
  begun: number;
  /** Of an anchor pool: USD per unit of the native coin, and the state that it follows from. */
  anchor: { readonly state: PoolRecord['state']; readonly price: Ratio } | null;
  /** Null until they are read; an incomplete pool has none. */
  ticks: Map<number, TickEntry> | null;
  /** The ticks in order, built when needed and dropped when a tick is added or removed. */
  tickOrder: readonly number[] | null;
}

interface OpenImages {
  readonly block: number;
  readonly tokens: Map<Address, TokenRecord | null>;
  readonly pools: Map<PoolId, PoolRecord | null>;
  readonly ticks: { pool: PoolId; tick: number; before: TickRecord | null }[];
  readonly balances: { token: Address; owner: Address; before: BalanceRecord | null }[];
  readonly positions: (PositionKey & { before: PositionRecord | null })[];
}

/** Everything that the blocks of one batch changed. */
export interface BatchChanges {
  readonly tokens: readonly TokenEntry[];
  readonly pools: readonly PoolEntry[];
  readonly ticks: ReadonlySet<TickEntry>;
  readonly balances: readonly BalanceEntry[];
  readonly positions: ReadonlySet<PositionEntry>;
  readonly trades: readonly TradeRecord[];
  readonly undo: readonly UndoImages[];
  /** What the blocks brought, in order. */
  readonly news: readonly News[];
  readonly alertStates: readonly AlertState[];
}

export interface StateLimits {
  readonly tokenCountMax: number;
  readonly poolCountMax: number;
  readonly balanceCountMax: number;
  readonly positionBytesMax: number;
}

const DEFAULT_STATE_LIMITS: StateLimits = {
  tokenCountMax: 60_000,
  poolCountMax: 60_000,
  balanceCountMax: 300_000,
  positionBytesMax: 64 * 1024 * 1024,
};

/** A full cache loses an eighth at once, so that it is not full again after the next batch. */
function leaveRoom(max: number): number {
  return max - (max >> 3);
}

export class MarketState {
  readonly assets: ChainAssets;
  readonly tokens = new Map<Address, TokenEntry>();
  readonly pools = new Map<PoolId, PoolEntry>();
  readonly balances = new BalanceCache();
  readonly positions = new PositionCache();
  /** What contracts said of tokens that the coming blocks mention for the first time. */
  readonly metadata = new Map<Address, TokenMetadata>();
  /** Pools that a search of the store does not find yet. */
  readonly poolsToStore = new Map<PoolId, PoolEntry>();
  readonly #limits: StateLimits;
  #header: BlockHeader | null = null;
  #images: OpenImages | null = null;
  /** Rows are touched several times for each event: a mark is cheaper to look at than a set. */
  #batch = 0;
  #begun = 0;
  #tokens: TokenEntry[] = [];
  #pools: PoolEntry[] = [];
  #poolsOfBlock: PoolEntry[] = [];
  #ticks = new Set<TickEntry>();
  #balances: BalanceEntry[] = [];
  #positions = new Set<PositionEntry>();
  #trades: TradeRecord[] = [];
  #blockTradesFrom = 0;
  /** Of tokens whose holders are watched, those changed since alerts were last decided. */
  #balancesOfBlock = new Set<BalanceEntry>();
  #undo: UndoImages[] = [];
  readonly #news = new NewsLog();
  /** Decides at the end of each block; filled by `AlertFollower`. */
  readonly alerts = new AlertBook();

  constructor(assets: ChainAssets, limits: StateLimits = DEFAULT_STATE_LIMITS) {
    this.assets = assets;
    this.#limits = limits;
  }

  get header(): BlockHeader {
    if (this.#header === null) throw new Error('no block has been started');
    return this.#header;
  }

  /** Pools that the current block has changed so far, in order of their first change. */
  get poolsOfBlock(): readonly PoolEntry[] {
    return this.#poolsOfBlock;
  }

  /** The trades of the current block so far, in chain order. */
  get tradesOfBlock(): readonly TradeRecord[] {
    return this.#trades.slice(this.#blockTradesFrom);
  }

  /** Changes from here on belong to this block; with `undoable` the previous rows are kept. */
  beginBlock(header: BlockHeader, undoable: boolean): void {
    this.#header = header;
    this.#news.beginBlock(header);
    this.#begun += 1;
    this.#poolsOfBlock = [];
    this.#blockTradesFrom = this.#trades.length;
    const images = { tokens: new Map(), pools: new Map(), ticks: [], balances: [], positions: [] };
    this.#images = undoable ? { block: header.position, ...images } : null;
    if (this.#images !== null) this.#undo.push(this.#images);
  }

  /** Before a batch: balances that changed without a block, as by history that was filled in. */
  forgetMovedTops(): void {
    for (const { token } of this.takeBalancesOfBlock()) this.alerts.setTop(token, null);
  }

  /** Takes a stored row into memory. */
  adoptToken(row: TokenRecord): TokenEntry {
    const entry = {
      row: { ...row },
      rank: findRank(this.assets, row.token),
      imagedBlock: NEVER,
      batch: NEVER,
      basePools: null,
      hasAllBalances: false,
      hasAllPositions: false,
    };
    this.tokens.set(row.token, entry);
    return entry;
  }

  adoptPool(row: PoolRecord): PoolEntry {
    const entry = {
      row: { ...row },
      views: listMarketViews(this.assets, row),
      imagedBlock: NEVER,
      batch: NEVER,
      begun: NEVER,
      anchor: null,
      ticks: null,
      tickOrder: null,
    };
    this.pools.set(row.pool, entry);
    return entry;
  }

  /** A balance is zero until it is loaded. */
  adoptBalance(token: Address, owner: Address): BalanceEntry {
    const entry = {
      row: { token, owner, amountRaw: 0n },
      isStored: false,
      imagedBlock: NEVER,
      batch: NEVER,
      changedBlock: NEVER,
      beforeRaw: 0n,
    };
    this.balances.set(entry);
    return entry;
  }

  /** Takes a stored balance into memory. */
  loadBalance({ token, owner, amountRaw }: BalanceRecord): void {
    const entry = this.balances.get(token, owner) ?? this.adoptBalance(token, owner);
    entry.row.amountRaw = amountRaw;
    entry.isStored = true;
  }

  /** Adds a row that the current block creates. */
  createToken(row: TokenRecord): TokenEntry {
    const entry = this.adoptToken(row);
    entry.basePools = [];
    entry.hasAllBalances = true;
    entry.hasAllPositions = true;
    entry.imagedBlock = this.header.position;
    this.#images?.tokens.set(row.token, null);
    this.#noteToken(entry);
    this.#news.addToken(row);
    return entry;
  }

  createPool(row: PoolRecord): PoolEntry {
    const entry = this.adoptPool(row);
    entry.ticks = new Map();
    entry.imagedBlock = this.header.position;
    this.#images?.pools.set(row.pool, null);
    this.poolsToStore.set(row.pool, entry);
    this.#notePool(entry);
    // A pool without a view is of no use to anybody.
    if (entry.views.length > 0) this.#news.addPool(entry.row);
    return entry;
  }

  /** Must be called before a row is changed; the same for the other types. */
  touchToken(entry: TokenEntry): void {
    this.#noteToken(entry);
    if (this.#images === null || entry.imagedBlock === this.#images.block) return;
    entry.imagedBlock = this.#images.block;
    this.#images.tokens.set(entry.row.token, { ...entry.row });
  }

  touchPool(entry: PoolEntry): void {
    this.#notePool(entry);
    this.#news.watch(entry.row);
    if (this.#images === null || entry.imagedBlock === this.#images.block) return;
    entry.imagedBlock = this.#images.block;
    this.#images.pools.set(entry.row.pool, { ...entry.row });
  }

  /** An empty tick or balance is not stored, so its image is null. */
  touchTick(entry: TickEntry): void {
    this.#ticks.add(entry);
    if (this.#images === null || entry.imagedBlock === this.#images.block) return;
    entry.imagedBlock = this.#images.block;
    const { pool, tick, liquidityGross } = entry.row;
    const before = liquidityGross === 0n ? null : { ...entry.row };
    this.#images.ticks.push({ pool, tick, before });
  }

  touchBalance(entry: BalanceEntry): void {
    if (this.alerts.watchesHolders(entry.row.token)) this.#balancesOfBlock.add(entry);
    if (entry.batch !== this.#batch) {
      entry.batch = this.#batch;
      this.#balances.push(entry);
    }
    if (entry.changedBlock !== this.header.position) {
      entry.changedBlock = this.header.position;
      entry.beforeRaw = entry.row.amountRaw;
    }
    if (this.#images === null || entry.imagedBlock === this.#images.block) return;
    entry.imagedBlock = this.#images.block;
    const { token, owner, amountRaw } = entry.row;
    this.#images.balances.push({
      token,
      owner,
      before: amountRaw === 0n ? null : { ...entry.row },
    });
  }

  /** Replaces the row. */
  setPosition(entry: PositionEntry, row: PositionRecord): void {
    this.#positions.add(entry);
    const { token, wallet, row: before } = entry;
    if (this.#images !== null && entry.imagedBlock !== this.#images.block) {
      entry.imagedBlock = this.#images.block;
      this.#images.positions.push({ token, wallet, before });
    }
    this.positions.setRow(entry, row);
  }

  addTrade(trade: TradeRecord): void {
    this.#trades.push(trade);
  }

  takeBalancesOfBlock(): readonly BalanceRecord[] {
    const rows = Array.from(this.#balancesOfBlock, ({ row }) => row);
    this.#balancesOfBlock.clear();
    return rows;
  }

  /** What fired at the end of the current block. */
  noteFired(): void {
    for (const { alert, firing } of this.alerts.takeFired()) this.#news.addAlert(alert, firing);
  }

  /** The changes since the last call; the rows stay for the next batch. */
  takeChanges(): BatchChanges {
    const changes: BatchChanges = {
      tokens: this.#tokens,
      pools: this.#pools,
      ticks: this.#ticks,
      balances: this.#balances,
      positions: this.#positions,
      trades: this.#trades,
      undo: this.#undo,
      news: this.#news.take(),
      alertStates: this.alerts.takeStates(),
    };
    this.#forgetChanges();
    return changes;
  }

  /** Must be called after each commit. */
  noteStored(rows: { readonly pools: readonly PoolRecord[] }): void {
    for (const { pool } of rows.pools) this.poolsToStore.delete(pool);
  }

  get isFull(): boolean {
    const { tokenCountMax, poolCountMax, balanceCountMax, positionBytesMax } = this.#limits;
    return (
      this.tokens.size > tokenCountMax ||
      this.pools.size > poolCountMax ||
      this.balances.size > balanceCountMax ||
      this.positions.bytes > positionBytesMax
    );
  }

  /** Makes some room. Rows that have changed must stay until they are stored. */
  trim(): void {
    const { tokenCountMax, poolCountMax, balanceCountMax, positionBytesMax } = this.#limits;
    evictOldest(this.tokens, leaveRoom(tokenCountMax));
    evictOldest(this.pools, leaveRoom(poolCountMax));
    for (const token of this.balances.trim(leaveRoom(balanceCountMax))) {
      const entry = this.tokens.get(token);
      if (entry !== undefined) entry.hasAllBalances = false;
    }
    for (const token of this.positions.trim(leaveRoom(positionBytesMax))) {
      const entry = this.tokens.get(token);
      if (entry !== undefined) entry.hasAllPositions = false;
    }
  }

  /** Must be called after a failure or a rollback, because memory may differ from the store. */
  clear(): void {
    this.tokens.clear();
    this.pools.clear();
    this.balances.clear();
    this.positions.clear();
    this.poolsToStore.clear();
    this.alerts.clear();
    this.#balancesOfBlock.clear();
    this.#forgetChanges();
  }

  #noteToken(entry: TokenEntry): void {
    if (entry.batch === this.#batch) return;
    entry.batch = this.#batch;
    this.#tokens.push(entry);
  }

  #notePool(entry: PoolEntry): void {
    if (entry.batch !== this.#batch) {
      entry.batch = this.#batch;
      this.#pools.push(entry);
    }
    if (entry.begun === this.#begun) return;
    entry.begun = this.#begun;
    this.#poolsOfBlock.push(entry);
  }

  #forgetChanges(): void {
    this.metadata.clear();
    this.#header = null;
    this.#images = null;
    this.#batch += 1;
    this.#begun += 1;
    this.#tokens = [];
    this.#pools = [];
    this.#poolsOfBlock = [];
    this.#ticks = new Set();
    this.#balances = [];
    this.#positions = new Set();
    this.#trades = [];
    this.#blockTradesFrom = 0;
    this.#undo = [];
    this.#news.clear();
  }
}
