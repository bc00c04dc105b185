// Store reads for the public API besides reads by key: pages, ranges and ordered figures.

import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  SeriesKey,
  StoredInterval,
  TickRange,
  TickRecord,
  TokenRecord,
  TradeRecord,
  TradeSide,
} from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import type { PositionRecord } from '../model/position.ts';

export interface TimeRange {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export type CandleSeries = SeriesKey & { readonly interval: StoredInterval };

/** A trade's place among the trades of its token or its wallet, in chain order. */
export interface TradePosition {
  readonly timestampMs: number;
  readonly block: number;
  readonly logIndex: number;
  /** A wallet may have two trades of one swap, with different tokens. */
  readonly token: Address;
}

/** Trades of a token or of a wallet: at least one of them must be given. */
export interface TradeQuery {
  readonly token: Address | null;
  readonly pool: PoolId | null;
  readonly range: TimeRange;
  readonly order: 'newest' | 'oldest';
  /** Only trades after this one, in the requested order; null starts at the first. */
  readonly after: TradePosition | null;
  readonly side: TradeSide | null;
  readonly wallet: Address | null;
  /** The minimum value; if given, trades without a value are left out. */
  readonly minUsd: string | null;
  readonly limit: number;
}

export interface TradePage {
  readonly trades: readonly TradeRecord[];
  /** The position of the next page; null if there is none. */
  readonly next: TradePosition | null;
}

/** A holder's position among its token's holders. */
export type BalancePosition = Pick<BalanceRecord, 'amountRaw' | 'owner'>;

export interface LargestQuery {
  /** Only volume steps up to this; null for all. */
  readonly stepMax: number | null;
  /** How many positions are read. */
  readonly limit: number;
  /** Those that did not trade since are left out of what was read. */
  readonly fromMs: number;
}

export interface LargestPositions {
  readonly positions: readonly PositionRecord[];
  /** The step of the last position that was read; null if there are no more. */
  readonly lastStep: number | null;
}

/** The next rows after a token's one, in an order of tokens without a meaning. */
export interface WalletPage {
  readonly after: Address | null;
  readonly limit: number;
}

/** The fields that search compares and ranks by. */
export type ListingRecord = Pick<
  TokenRecord,
  'token' | 'symbol' | 'name' | 'firstSeenAtMs' | 'liquidityUsdE18' | 'pairedUsdE18'
>;

/** The fields that lists of tokens sort and filter by. */
export type TokenFigures = Pick<
  TokenRecord,
  | 'token'
  | 'decimals'
  | 'firstSeenAtMs'
  | 'supplyRaw'
  | 'priceUsd'
  | 'lastTradeAtMs'
  | 'liquidityUsdE18'
  | 'pairedUsdE18'
  | 'launch'
>;

/** What a pool holds, and little else: to choose the deepest of very many. */
export type PoolDepth = Pick<PoolRecord, 'venue' | 'liquidityUsdE18'>;

/** The same for lists of pools. */
export type PoolFigures = Pick<
  PoolRecord,
  'pool' | 'venue' | 'token0' | 'token1' | 'createdAtMs' | 'liquidityUsdE18'
>;

export interface MarketReads {
  /** A pool's ticks in a range, and the next one on each side of it, in order. */
  readTickRange(chain: ChainSlug, pool: PoolId, range: TickRange): Promise<TickRecord[]>;
  /** Each token's deepest pools first, at most `limit`; a token without pools is absent. */
  readTopPools(
    chain: ChainSlug,
    tokens: readonly Address[],
    limit: number,
  ): Promise<ReadonlyMap<Address, readonly PoolRecord[]>>;
  /** The last candles of each series that opened before a time, in any order. */
  readCandlesBefore(
    chain: ChainSlug,
    series: readonly (CandleSeries & { readonly beforeMs: number })[],
    limit: number,
  ): Promise<CandleRecord[]>;
  /** The first or last candles of a range, ascending in both cases. */
  readCandlePage(
    chain: ChainSlug,
    series: CandleSeries,
    page: TimeRange & { readonly end: 'first' | 'last'; readonly limit: number },
  ): Promise<CandleRecord[]>;
  /**
   * Trades in the requested order. If a filter matches few, a page may be short or empty and still
   * have a next one: the rows scanned per read are limited.
   */
  readTradePage(chain: ChainSlug, query: TradeQuery): Promise<TradePage>;
  /** Holders by balance, highest first, then by owner. The order must be numeric. */
  readBalancePage(
    chain: ChainSlug,
    token: Address,
    page: { readonly after: BalancePosition | null; readonly limit: number },
  ): Promise<BalanceRecord[]>;
  /** What an owner holds, by token. */
  readBalancesOfOwner(chain: ChainSlug, owner: Address, page: WalletPage): Promise<BalanceRecord[]>;
  /** The positions of a wallet, by token. */
  readPositionsOfWallet(
    chain: ChainSlug,
    wallet: Address,
    page: WalletPage,
  ): Promise<PositionRecord[]>;
  /** The positions in a token with the highest volume steps, in the order of these. */
  readLargestPositions(
    chain: ChainSlug,
    token: Address,
    query: LargestQuery,
  ): Promise<LargestPositions>;
  /** The time of the chain's first stored trade from a block on; null before it. */
  readFirstTradeTime(chain: ChainSlug, fromBlock?: number): Promise<number | null>;
  readListings(chain: ChainSlug, tokens: readonly Address[]): Promise<ListingRecord[]>;
  scanListings(chain: ChainSlug): AsyncIterable<readonly ListingRecord[]>;
  readTokenFigures(chain: ChainSlug, tokens: readonly Address[]): Promise<TokenFigures[]>;
  scanTokenFigures(chain: ChainSlug): AsyncIterable<readonly TokenFigures[]>;
  readPoolFigures(chain: ChainSlug, pools: readonly PoolId[]): Promise<PoolFigures[]>;
  scanPoolFigures(chain: ChainSlug): AsyncIterable<readonly PoolFigures[]>;
  scanPoolDepths(chain: ChainSlug): AsyncIterable<readonly PoolDepth[]>;
  /** How many tokens a chain has. */
  countTokens(chain: ChainSlug): Promise<number>;
  /** Which of the addresses are pools. */
  findPools(chain: ChainSlug, addresses: readonly Address[]): Promise<ReadonlySet<Address>>;
  /** Whether addresses are contracts, as far as that has been asked. */
  readAccounts(
    chain: ChainSlug,
    addresses: readonly Address[],
  ): Promise<ReadonlyMap<Address, boolean>>;
}
