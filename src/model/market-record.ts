// The stored rows of the market: ingest writes them, the reads use them.

import type { Address, PoolId, TransactionId } from './ids.ts';
import type { ScopeName } from './scope.ts';

export interface TokenRecord {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  /** Null while unknown; amounts in units are then unknown too. */
  readonly decimals: number | null;
  readonly firstSeenBlock: number;
  readonly firstSeenAtMs: number;
  /** The exact sum of the stored balances of this token. */
  readonly balanceSumRaw: bigint;
  /** Owners with a balance above zero. */
  readonly holders: number;
  /** True once a transfer took more than the sender's known balance; never unset. */
  readonly balancesBroken: boolean;
  /** `totalSupply()` of the contract at `supplyBlock`; null until it was read. */
  readonly supplyRaw: bigint | null;
  readonly supplyBlock: number | null;
  /** `balanceSumRaw` at `supplyBlock`: equal to `supplyRaw` exactly when holders are complete. */
  readonly supplyBalanceSumRaw: bigint | null;
  /** Of the last trade that is not an outlier, 18 significant digits; null before the first. */
  readonly priceNative: string | null;
  readonly priceUsd: string | null;
  readonly lastTradeAtMs: number | null;
  readonly tradeCount: number;
  /**
   * The value of its pools against the native coin and stable assets, in 1e-18 USD, each as of its
   * last event; null before the first.
   */
  readonly liquidityUsdE18: bigint | null;
  /** The deepest of its pools against other tokens, which counts if there is no other pool. */
  readonly pairedPool: PoolId | null;
  readonly pairedUsdE18: bigint | null;
  /** Absent unless a launchpad's curve sells it, or did. */
  readonly launch?: TokenLaunch;
}

/**
 * Pools against the native coin or stable assets count; a token without any has the liquidity of
 * its deepest other pool.
 */
export function pickTokenLiquidity(
  token: Pick<TokenRecord, 'liquidityUsdE18' | 'pairedUsdE18'>,
): bigint | null {
  const { liquidityUsdE18, pairedUsdE18 } = token;
  if (liquidityUsdE18 !== null && liquidityUsdE18 > 0n) return liquidityUsdE18;
  return pairedUsdE18 ?? liquidityUsdE18;
}

/** Where a token was launched, as of the last event of its curve. */
export interface TokenLaunch {
  readonly venue: string;
  /** How much of the curve is sold, in per cent; null if unknown. */
  readonly progressPct: number | null;
  /** When a pool of its own opened; null before. */
  readonly graduatedAtMs: number | null;
}

export interface TickRecord {
  readonly pool: PoolId;
  readonly tick: number;
  readonly liquidityGross: bigint;
  /** Signed. */
  readonly liquidityNet: bigint;
}

/** Inclusive. */
export interface TickRange {
  readonly fromTick: number;
  readonly toTick: number;
}

export interface BalanceRecord {
  readonly token: Address;
  readonly owner: Address;
  readonly amountRaw: bigint;
}

export type TradeSide = 'buy' | 'sell';

/**
 * One swap as seen by one token. A swap between a token and a quote asset is one trade, of the
 * token; a swap between two assets of equal rank is a trade of each.
 */
export interface TradeRecord {
  readonly token: Address;
  readonly block: number;
  readonly logIndex: number;
  readonly txHash: TransactionId;
  /** Position among the transaction's swaps, from 0: with the hash it makes the public id. */
  readonly index: number;
  readonly timestampMs: number;
  readonly side: TradeSide;
  readonly wallet: Address;
  readonly venue: string;
  readonly pool: PoolId;
  readonly amountRaw: bigint;
  readonly quoteToken: Address;
  readonly quoteAmountRaw: bigint;
  /**
   * Decimal strings with 18 significant digits; null if no price is known. A value paid in the
   * native coin is exact.
   */
  readonly priceNative: string | null;
  readonly priceUsd: string | null;
  readonly valueNative: string | null;
  readonly valueUsd: string | null;
  readonly outlier: boolean;
}

export const KLINE_INTERVALS = [
  '1s',
  '5s',
  '15s',
  '30s',
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '6h',
  '8h',
  '12h',
  '1d',
  '3d',
  '1w',
  '1M',
] as const;

export type KlineInterval = (typeof KLINE_INTERVALS)[number];

/**
 * The stored intervals. Every other one is merged from at most six rows of one of these (except a
 * month of days); `1s` is folded from trades.
 */
export const STORED_INTERVALS = ['5s', '1m', '15m', '2h', '1d'] as const;

export type StoredInterval = (typeof STORED_INTERVALS)[number];

export interface Ohlc {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
}

/** Which candles: those of a token over all its pools (`pool` null), or of one pool. */
export interface SeriesKey {
  readonly token: Address;
  readonly pool: PoolId | null;
}

export interface CandleRecord extends SeriesKey {
  readonly interval: StoredInterval;
  readonly openTimeMs: number;
  readonly volumeRaw: bigint;
  /** Exact decimal sums of the trades' values; trades without a value add nothing. */
  readonly quoteVolumeNative: string;
  readonly quoteVolumeUsd: string;
  readonly trades: number;
  readonly buys: number;
  readonly sells: number;
  /** Null if no trade in it had such a price. */
  readonly native: Ohlc | null;
  readonly usd: Ohlc | null;
  /** The same without outliers; null if every priced trade was one. */
  readonly nativeClean: Ohlc | null;
  readonly usdClean: Ohlc | null;
}

/** Where blocks came from archives; some between them may have come from nodes. */
export interface ArchivedRange {
  /** In the order in which they were first used. */
  readonly sources: readonly string[];
  /** Whether every block is proved by hashes; otherwise some were compared in samples only. */
  readonly isProved: boolean;
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** How far a chain has been indexed. */
export interface Checkpoint {
  readonly startBlock: number;
  readonly block: number;
  readonly blockHash: string;
  readonly timestampMs: number;
  readonly finalizedBlock: number;
  /** Counts commits and rollbacks; it never decreases, so readers can compare states. */
  readonly version: number;
  /** The time of the first indexed block; absent if it was not recorded. */
  readonly startAtMs?: number;
  /** Trades before this time are no longer kept; absent if all are kept. */
  readonly tradesFromMs?: number;
  /** The same for candles shorter than a day. */
  readonly candlesFromMs?: number;
  /** Positions count trades after this time; absent if they count all that are indexed. */
  readonly positionsFromMs?: number;
  /** Which tokens are indexed; absent if all are. */
  readonly scope?: Exclude<ScopeName, 'all'>;
  /** Blocks that came from archives; absent if all came from nodes. */
  readonly archived?: ArchivedRange;
}

/** From when on rows are kept. */
export type KeptFrom = Pick<Checkpoint, 'tradesFromMs' | 'candlesFromMs'>;
