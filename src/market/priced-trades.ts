// Finds the trades that a token's prices are taken from, in a bounded number of reads.
//
// The price is usually that of one of the last trades. Behind a long row of trades without a price,
// or of outliers, candles lead to it: within the minute, the quarter of an hour and so on up to the
// day, then down again to the trade.

import { computeNextOpenTime, computeOpenTime } from '../candles/interval.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import {
  type CandleRecord,
  type KeptFrom,
  STORED_INTERVALS,
  type TradeRecord,
} from '../model/market-record.ts';
import type { TimeRange, TradePage, TradePosition } from '../store/market-reads.ts';
import { type KlineView, pickOhlc } from './kline-rows.ts';
import type { AnswerReader } from './read-at.ts';

/** In one currency, with or without outliers. */
export type PriceKind = Pick<KlineView, 'currency' | 'outliers'>;

export interface FoundPrice {
  readonly price: string;
  /** Null if the trade itself is no longer kept. */
  readonly trade: TradeRecord | null;
}

/** Trades before a time, and before a position if there is one. */
export interface TradeBound {
  /** Exclusive. */
  readonly toMs: number;
  readonly after: TradePosition | null;
}

interface PricedTradesOptions {
  readonly reader: AnswerReader;
  readonly chain: ChainSlug;
  readonly token: Address;
  /** Trades before this time do not count. */
  readonly fromMs: number;
  readonly kept: KeptFrom;
}

/** Most prices are found among the first few, nearly all among the rest. */
const NEAR_TRADES = 4;
const MORE_TRADES = 100;
const PAGE_TRADES = 1000;
/** Trades without a price that are looked through before the price counts as unknown. */
const PAGES_MAX = 10;
const PAGE_CANDLES = 100;
const DAY_LEVEL = STORED_INTERVALS.indexOf('1d');
/** After every log of a block. */
const LOG_END = 2 ** 31 - 1;

function pickTradePrice(trade: TradeRecord, { currency, outliers }: PriceKind): string | null {
  if (trade.outlier && outliers === 'exclude') return null;
  return currency === 'usd' ? trade.priceUsd : trade.priceNative;
}

function findPriced(trades: readonly TradeRecord[], kind: PriceKind): FoundPrice | null {
  for (const trade of trades) {
    const price = pickTradePrice(trade, kind);
    if (price !== null) return { price, trade };
  }
  return null;
}

type End = 'first' | 'last';

export class PricedTrades {
  readonly #options: PricedTradesOptions;
  /** The newest trades of the last bound: both currencies look there first. */
  #near: { readonly bound: TradeBound; readonly page: Promise<TradePage> } | null = null;

  constructor(options: PricedTradesOptions) {
    this.#options = options;
  }

  /** The last trade with a price. */
  async findLast(kind: PriceKind, bound: TradeBound): Promise<FoundPrice | null> {
    const near = await this.#readNear(bound);
    const first = findPriced(near.trades, kind);
    if (first !== null) return first;
    if (near.next === null) return this.#findBeforeKept(kind, 'last');
    const range = { fromMs: this.#options.fromMs, toMs: bound.toMs };
    const wanted = { range, after: near.next, limit: MORE_TRADES };
    const { trades, next } = await this.#readTrades('last', wanted);
    const found = findPriced(trades, kind);
    if (found !== null) return found;
    return next === null ? this.#findBeforeKept(kind, 'last') : this.#walkBack(kind, next);
  }

  /** The first trade with a price. */
  async findFirst(kind: PriceKind): Promise<FoundPrice | null> {
    const old = await this.#findBeforeKept(kind, 'first');
    if (old !== null) return old;
    const range = { fromMs: this.#options.fromMs, toMs: Number.MAX_SAFE_INTEGER };
    const wanted = { range, after: null, limit: MORE_TRADES };
    const { trades, next } = await this.#readTrades('first', wanted);
    const found = findPriced(trades, kind);
    if (found !== null || next === null) return found;
    const fromMs = computeOpenTime('1d', next.timestampMs);
    return this.#findInDays(kind, { fromMs, toMs: Number.MAX_SAFE_INTEGER }, 'first');
  }

  /** Where the trades of a block and those before it end; null if there are none. */
  async findBlockEnd(block: number): Promise<TradeBound | null> {
    const { fromMs } = this.#options;
    const toMs = Number.MAX_SAFE_INTEGER;
    const last = await this.#readOne('last', { fromMs, toMs });
    if (last === null) return null;
    if (last.block <= block) return { toMs, after: null };
    const first = await this.#readOne('first', { fromMs, toMs });
    if (first === null || first.block > block) return null;
    // In order of time, trades are also in order of blocks.
    let [timeMs, endMs] = [first.timestampMs, last.timestampMs + 1];
    while (endMs - timeMs > 1) {
      const middleMs = Math.floor((timeMs + endMs) / 2);
      const trade = await this.#readOne('first', { fromMs: middleMs, toMs });
      if (trade !== null && trade.block <= block) timeMs = trade.timestampMs;
      else endMs = middleMs;
    }
    const after = { timestampMs: timeMs, block, logIndex: LOG_END, token: first.token };
    return { toMs: timeMs + 1, after };
  }

  #readNear(bound: TradeBound): Promise<TradePage> {
    if (this.#near?.bound === bound) return this.#near.page;
    const range = { fromMs: this.#options.fromMs, toMs: bound.toMs };
    const { after } = bound;
    const page = this.#readTrades('last', { range, after, limit: NEAR_TRADES });
    this.#near = { bound, page };
    return page;
  }

  async #readOne(end: End, range: TimeRange): Promise<TradeRecord | null> {
    const { trades } = await this.#readTrades(end, { range, after: null, limit: 1 });
    return trades[0] ?? null;
  }

  /** From that end on. */
  #readTrades(
    end: End,
    page: {
      readonly range: TimeRange;
      readonly after: TradePosition | null;
      readonly limit: number;
    },
  ): Promise<TradePage> {
    const { reader, chain, token } = this.#options;
    const order = end === 'first' ? 'oldest' : 'newest';
    const all = { pool: null, side: null, wallet: null, minUsd: null };
    return reader.readTradePage(chain, { token, ...all, order, ...page });
  }

  async #findInTrades(
    kind: PriceKind,
    span: { readonly range: TimeRange; readonly after: TradePosition | null },
    end: End,
  ): Promise<FoundPrice | 'none' | 'tooFar'> {
    const { toMs } = span.range;
    const range = { fromMs: Math.max(span.range.fromMs, this.#options.fromMs), toMs };
    let { after } = span;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const wanted = { range, after, limit: PAGE_TRADES };
      const { trades, next } = await this.#readTrades(end, wanted);
      const found = findPriced(trades, kind);
      if (found !== null) return found;
      if (next === null) return 'none';
      after = next;
    }
    return 'tooFar';
  }

  async #walkBack(kind: PriceKind, after: TradePosition): Promise<FoundPrice | null> {
    const { kept } = this.#options;
    const dayMs = computeOpenTime('1d', after.timestampMs);
    // Without fine candles, the trades of the whole day are looked through.
    const isCoarse = dayMs < (kept.candlesFromMs ?? 0);
    let endMs = isCoarse ? dayMs : computeOpenTime('5s', after.timestampMs);
    const range = { fromMs: endMs, toMs: after.timestampMs + 1 };
    const near = await this.#findInTrades(kind, { range, after }, 'last');
    if (near === 'tooFar') return null;
    if (near !== 'none') return near;
    for (let level = 0; level < DAY_LEVEL && !isCoarse; level += 1) {
      const startMs = computeOpenTime(STORED_INTERVALS[level + 1] ?? '1d', endMs);
      const found = await this.#findInLevel(kind, { level, fromMs: startMs, toMs: endMs }, 'last');
      if (found !== null) return found;
      endMs = startMs;
    }
    return this.#findInDays(kind, { fromMs: 0, toMs: endMs }, 'last');
  }

  /** Of the time before the trades that are kept, there are days. */
  async #findBeforeKept(kind: PriceKind, end: End): Promise<FoundPrice | null> {
    const { fromMs, kept } = this.#options;
    const keptFromMs = kept.tradesFromMs ?? 0;
    if (keptFromMs <= fromMs) return null;
    return this.#findInDays(kind, { fromMs: 0, toMs: computeOpenTime('1d', keptFromMs) }, end);
  }

  async #findInDays(kind: PriceKind, range: TimeRange, end: End): Promise<FoundPrice | null> {
    let { fromMs, toMs } = range;
    for (;;) {
      const days = await this.#readCandles({ level: DAY_LEVEL, fromMs, toMs }, end);
      const found = await this.#findInCandles(kind, { level: DAY_LEVEL, candles: days }, end);
      if (found !== null) return found;
      const last = days.at(-1);
      if (last === undefined || days.length < PAGE_CANDLES) return null;
      if (end === 'last') toMs = last.openTimeMs;
      else fromMs = last.openTimeMs + 1;
    }
  }

  async #findInLevel(
    kind: PriceKind,
    span: TimeRange & { readonly level: number },
    end: End,
  ): Promise<FoundPrice | null> {
    const candles = await this.#readCandles(span, end);
    return this.#findInCandles(kind, { level: span.level, candles }, end);
  }

  async #findInCandles(
    kind: PriceKind,
    of: { readonly level: number; readonly candles: readonly CandleRecord[] },
    end: End,
  ): Promise<FoundPrice | null> {
    for (const candle of of.candles) {
      if (pickOhlc(candle, kind) === null) continue;
      const found = await this.#findInCandle(kind, { level: of.level, candle }, end);
      // Only the candle that contains the start may have no price.
      if (found !== null) return found;
    }
    return null;
  }

  /** The trade that a candle's open or close is of. */
  async #findInCandle(
    kind: PriceKind,
    of: { readonly level: number; readonly candle: CandleRecord },
    end: End,
  ): Promise<FoundPrice | null> {
    const ohlc = pickOhlc(of.candle, kind);
    if (ohlc === null) throw new Error('A candle without a price was picked');
    const price = end === 'first' ? ohlc.open : ohlc.close;
    const fromMs = of.candle.openTimeMs;
    const toMs = computeNextOpenTime(of.candle.interval, fromMs);
    // Without fine candles, all trades of the candle are looked through.
    const isFine = of.level > 0 && fromMs >= (this.#options.kept.candlesFromMs ?? 0);
    const within = !isFine
      ? await this.#findInTrades(kind, { range: { fromMs, toMs }, after: null }, end)
      : await this.#findInLevel(kind, { level: of.level - 1, fromMs, toMs }, end);
    const found = typeof within === 'string' ? null : within;
    // Its open and close may be of trades before the start.
    if (fromMs < this.#options.fromMs) return found;
    return { price, trade: found?.trade ?? null };
  }

  /** From that end on. */
  async #readCandles(
    span: TimeRange & { readonly level: number },
    end: End,
  ): Promise<readonly CandleRecord[]> {
    const { reader, chain, token } = this.#options;
    const interval = STORED_INTERVALS[span.level] ?? '1d';
    // The candle that contains the start is among them.
    const fromMs = Math.max(span.fromMs, computeOpenTime(interval, this.#options.fromMs));
    const page = { fromMs, toMs: span.toMs, end, limit: PAGE_CANDLES };
    const found = await reader.readCandlePage(chain, { token, pool: null, interval }, page);
    return end === 'last' ? found.toReversed() : found;
  }
}
