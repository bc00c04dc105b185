// Candles of any interval from stored data: pages of candles, and the last price before a time.

import {
  type Candle,
  type CarriedCandle,
  type Closes,
  carryCloses,
  deriveKlines,
  foldTrades,
  NO_CLOSES,
  PRICE_NAMES,
} from '../candles/derive-klines.ts';
import { computeNextOpenTime, computeOpenTime, findBaseInterval } from '../candles/interval.ts';
import type { ChainSlug } from '../model/chain.ts';
import type {
  KeptFrom,
  KlineInterval,
  SeriesKey,
  StoredInterval,
  TradeRecord,
} from '../model/market-record.ts';
import type { TimeRange, TradePosition, TradeQuery } from '../store/market-reads.ts';
import { toKlinesKeptFrom } from './coverage.ts';
import type { AnswerReader } from './read-at.ts';

interface CandlePage extends TimeRange {
  readonly end: 'first' | 'last';
  readonly limit: number;
}

/** The longest month. */
const MONTH_DAYS = 31;

const TRADES_PER_READ = 1000;
/** The maximum reads for one page of folded candles, even if each has thousands of trades. */
const TRADE_READS_MAX = 100;

/** How many candles are read at once to find one with a price. */
const PRICED_PAGE_SIZE = 50;
const PRICED_PAGES_MAX = 20;

/** The maximum number of stored candles in one candle of the interval. */
function countBaseCandles(interval: KlineInterval, base: StoredInterval): number {
  if (interval === '1M') return MONTH_DAYS;
  return computeNextOpenTime(interval, 0) / computeNextOpenTime(base, 0);
}

function cut<T>(items: readonly T[], page: CandlePage): readonly T[] {
  return page.end === 'first' ? items.slice(0, page.limit) : items.slice(-page.limit);
}

/** Gives a trade other prices than the stored candles are made of. */
export type RepriceTrade = (trade: TradeRecord) => TradeRecord;

export class CandleReader {
  readonly #reprice: RepriceTrade | undefined;
  readonly #reader: AnswerReader;
  readonly #chain: ChainSlug;
  readonly #series: SeriesKey & { readonly interval: KlineInterval };
  readonly #keptFromMs: number;

  constructor(
    reader: AnswerReader,
    chain: ChainSlug,
    series: SeriesKey & { readonly interval: KlineInterval },
    kept: KeptFrom,
    reprice?: RepriceTrade,
  ) {
    this.#reprice = reprice;
    const isFolded = reprice !== undefined;
    this.#keptFromMs = isFolded
      ? (kept.tradesFromMs ?? 0)
      : toKlinesKeptFrom(series.interval, kept);
    this.#reader = reader;
    this.#chain = chain;
    this.#series = series;
  }

  /** The first or the last candles of a range that begins and ends where candles do. */
  async readPage(asked: CandlePage): Promise<readonly Candle[]> {
    const page = { ...asked, fromMs: Math.max(asked.fromMs, this.#keptFromMs) };
    if (page.fromMs >= page.toMs) return [];
    const base = this.#reprice ? null : findBaseInterval(this.#series.interval);
    if (base === null) return this.#foldPage(page);
    // One more than requested, since the outermost may be incomplete.
    const limit = (page.limit + 1) * countBaseCandles(this.#series.interval, base);
    const stored = await this.#reader.readCandlePage(
      this.#chain,
      { ...this.#series, interval: base },
      { ...page, limit },
    );
    return cut(deriveKlines(this.#series, { stored }), page);
  }

  /** The same with the last closes before each, as far as it lacks prices of its own. */
  async readCarried(page: CandlePage): Promise<readonly CarriedCandle[]> {
    const candles = await this.readPage(page);
    const first = candles[0];
    if (first === undefined) return [];
    const closes: Record<keyof Closes, string | null> = { ...NO_CLOSES };
    for (const name of PRICE_NAMES) {
      if (first[name] !== null) continue;
      const pick = (candle: Candle) => candle[name]?.close ?? null;
      closes[name] = await this.readPriceBefore(first.openTimeMs, pick);
    }
    return carryCloses(candles, closes);
  }

  /** The last price before an open time; null if there is none. */
  async readPriceBefore(
    timeMs: number,
    pick: (candle: Candle) => string | null,
  ): Promise<string | null> {
    const price = await this.#findPriceBefore(timeMs, pick);
    if (price !== null || this.#keptFromMs === 0 || this.#reprice) return price;
    // Only days are kept of the time before, and a floor is where one begins.
    const series = { ...this.#series, interval: '1d' as const };
    const days = new CandleReader(this.#reader, this.#chain, series, {});
    const beforeMs = computeOpenTime('1d', Math.min(timeMs, this.#keptFromMs));
    return days.#findPriceBefore(beforeMs, pick);
  }

  async #findPriceBefore(
    timeMs: number,
    pick: (candle: Candle) => string | null,
  ): Promise<string | null> {
    let toMs = timeMs;
    for (let count = 0; count < PRICED_PAGES_MAX; count += 1) {
      const candles = await this.readPage({
        fromMs: 0,
        toMs,
        end: 'last',
        limit: PRICED_PAGE_SIZE,
      });
      for (const candle of candles.toReversed()) {
        const price = pick(candle);
        if (price !== null) return price;
      }
      const first = candles[0];
      if (first === undefined || candles.length < PRICED_PAGE_SIZE) return null;
      toMs = first.openTimeMs;
    }
    return null;
  }

  async #foldPage(page: CandlePage): Promise<readonly Candle[]> {
    const { trades, isCut } = await this.#readTrades(page);
    const priced = this.#reprice ? trades.map(this.#reprice) : trades;
    const candles = foldTrades(this.#series, priced);
    // The trades ended within the outermost candle.
    const whole = !isCut ? candles : page.end === 'first' ? candles.slice(0, -1) : candles.slice(1);
    return cut(whole, page);
  }

  /** Trades of enough candles for the page, in chain order. */
  async #readTrades(page: CandlePage) {
    const query: Omit<TradeQuery, 'after'> = {
      token: this.#series.token,
      pool: this.#series.pool,
      range: { fromMs: page.fromMs, toMs: page.toMs },
      order: page.end === 'first' ? 'oldest' : 'newest',
      side: null,
      wallet: null,
      minUsd: null,
      limit: TRADES_PER_READ,
    };
    const trades: TradeRecord[] = [];
    const candles = new Set<number>();
    let after: TradePosition | null = null;
    for (let count = 0; count < TRADE_READS_MAX && candles.size <= page.limit; count += 1) {
      const { trades: read, next } = await this.#reader.readTradePage(this.#chain, {
        ...query,
        after,
      });
      for (const trade of read) {
        trades.push(trade);
        candles.add(computeOpenTime(this.#series.interval, trade.timestampMs));
      }
      after = next;
      if (next === null) break;
    }
    return { trades: page.end === 'first' ? trades : trades.reverse(), isCut: after !== null };
  }
}
