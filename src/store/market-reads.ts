// What the public reads need of a store beyond reads by key: pages, ranges and figures in order.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  SeriesKey,
  StoredInterval,
  TokenRecord,
  TradeRecord,
  TradeSide,
} from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';

export interface TimeRange {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export type CandleSeries = SeriesKey & { readonly interval: StoredInterval };

/** Where a trade stands among its token's; the order of the chain. */
export interface TradePosition {
  readonly timestampMs: number;
  readonly block: number;
  readonly logIndex: number;
}

export interface TradeQuery extends SeriesKey {
  readonly range: TimeRange;
  readonly order: 'newest' | 'oldest';
  /** Only trades beyond this one, in the order asked for; null begins at the first. */
  readonly after: TradePosition | null;
  readonly side: TradeSide | null;
  readonly wallet: Address | null;
  /** The least value; trades without a value are left out where it is given. */
  readonly minUsd: string | null;
  readonly limit: number;
}

export interface TradePage {
  readonly trades: readonly TradeRecord[];
  /** Where to go on; null when there is no more. */
  readonly next: TradePosition | null;
}

/** Where a holder stands among its token's. */
export type BalancePosition = Pick<BalanceRecord, 'amountRaw' | 'owner'>;

/** What a list of tokens shows and orders by. */
export type ListingRecord = Pick<
  TokenRecord,
  'token' | 'symbol' | 'name' | 'liquidityUsdE18' | 'pairedUsdE18'
>;

export interface MarketReads {
  /** Each token's deepest pools first, at most `limit` of them; a token without any is absent. */
  readTopPools(
    chain: ChainSlug,
    tokens: readonly Address[],
    limit: number,
  ): Promise<ReadonlyMap<Address, readonly PoolRecord[]>>;
  /** The candles of several ranges at once, in no certain order. */
  readCandleRanges(
    chain: ChainSlug,
    ranges: readonly (CandleSeries & TimeRange)[],
  ): Promise<CandleRecord[]>;
  /** Of each series the last candles that opened before a time, in no certain order. */
  readCandlesBefore(
    chain: ChainSlug,
    series: readonly (CandleSeries & { readonly beforeMs: number })[],
    limit: number,
  ): Promise<CandleRecord[]>;
  /** The first or the last candles of a range, ascending in both cases. */
  readCandlePage(
    chain: ChainSlug,
    series: CandleSeries,
    page: TimeRange & { readonly end: 'first' | 'last'; readonly limit: number },
  ): Promise<CandleRecord[]>;
  /**
   * Trades in the order asked for. Where a filter leaves little, a page may be short or empty and
   * still have a next one: no read looks at more rows than it should.
   */
  readTradePage(chain: ChainSlug, query: TradeQuery): Promise<TradePage>;
  /** Holders by balance, highest first, then by owner: the order must be numeric. */
  readBalancePage(
    chain: ChainSlug,
    token: Address,
    page: { readonly after: BalancePosition | null; readonly limit: number },
  ): Promise<BalanceRecord[]>;
  /** When the chain's first stored trade was; null before it. */
  readFirstTradeTime(chain: ChainSlug): Promise<number | null>;
  readListings(chain: ChainSlug, tokens: readonly Address[]): Promise<ListingRecord[]>;
  scanListings(chain: ChainSlug): AsyncIterable<readonly ListingRecord[]>;
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
