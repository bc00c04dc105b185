// A candle under construction: trades and later candles are added to it in chain order.

import {
  addDecimals,
  compareTexts,
  type Decimal,
  decimalToText,
  textToDecimal,
} from '../lib/decimal.ts';
import type { CandleRecord, Ohlc, SeriesKey, TradeRecord } from '../model/market-record.ts';

/** The content of a candle, without its series and interval. */
type CandleBody = Omit<CandleRecord, 'token' | 'pool' | 'interval' | 'openTimeMs'>;

interface OhlcDraft {
  open: string;
  high: string;
  low: string;
  close: string;
}

export interface CandleDraft {
  readonly openTimeMs: number;
  volumeRaw: bigint;
  quoteVolumeNative: Decimal;
  quoteVolumeUsd: Decimal;
  trades: number;
  buys: number;
  sells: number;
  native: OhlcDraft | null;
  usd: OhlcDraft | null;
  nativeClean: OhlcDraft | null;
  usdClean: OhlcDraft | null;
}

const NOTHING: Decimal = { digits: 0n, scale: 0 };

export function createCandleDraft(openTimeMs: number): CandleDraft {
  return {
    openTimeMs,
    volumeRaw: 0n,
    quoteVolumeNative: NOTHING,
    quoteVolumeUsd: NOTHING,
    trades: 0,
    buys: 0,
    sells: 0,
    native: null,
    usd: null,
    nativeClean: null,
    usdClean: null,
  };
}

function withPrice(ohlc: OhlcDraft | null, price: string): OhlcDraft {
  if (ohlc === null) return { open: price, high: price, low: price, close: price };
  if (compareTexts(price, ohlc.high) > 0) ohlc.high = price;
  if (compareTexts(price, ohlc.low) < 0) ohlc.low = price;
  ohlc.close = price;
  return ohlc;
}

function withOhlc(ohlc: OhlcDraft | null, later: Ohlc | null): OhlcDraft | null {
  if (later === null) return ohlc;
  if (ohlc === null) return { ...later };
  if (compareTexts(later.high, ohlc.high) > 0) ohlc.high = later.high;
  if (compareTexts(later.low, ohlc.low) < 0) ohlc.low = later.low;
  ohlc.close = later.close;
  return ohlc;
}

/** What candles are folded of. */
export type FoldedTrade = Pick<
  TradeRecord,
  | ('token' | 'pool' | 'timestampMs' | 'side' | 'amountRaw' | 'outlier')
  | ('priceNative' | 'priceUsd' | 'valueNative' | 'valueUsd')
>;

/** What a trade adds to the volumes. */
export interface TradeValues {
  readonly native: Decimal;
  readonly usd: Decimal;
}

export function parseValues({ valueNative, valueUsd }: FoldedTrade): TradeValues {
  return {
    native: valueNative === null ? NOTHING : textToDecimal(valueNative),
    usd: valueUsd === null ? NOTHING : textToDecimal(valueUsd),
  };
}

function addVolume(volume: Decimal, more: Decimal): Decimal {
  if (more === NOTHING) return volume;
  return volume === NOTHING ? more : addDecimals(volume, more);
}

/**
 * Adds a trade that is later than everything in the draft. A trade that is added to several drafts
 * is parsed once.
 */
export function addTrade(
  draft: CandleDraft,
  trade: FoldedTrade,
  values: TradeValues = parseValues(trade),
): void {
  draft.volumeRaw += trade.amountRaw;
  draft.trades += 1;
  if (trade.side === 'buy') draft.buys += 1;
  else draft.sells += 1;
  draft.quoteVolumeNative = addVolume(draft.quoteVolumeNative, values.native);
  draft.quoteVolumeUsd = addVolume(draft.quoteVolumeUsd, values.usd);
  const { priceNative, priceUsd, outlier } = trade;
  if (priceNative !== null) {
    draft.native = withPrice(draft.native, priceNative);
    if (!outlier) draft.nativeClean = withPrice(draft.nativeClean, priceNative);
  }
  if (priceUsd !== null) {
    draft.usd = withPrice(draft.usd, priceUsd);
    if (!outlier) draft.usdClean = withPrice(draft.usdClean, priceUsd);
  }
}

/** Adds a draft whose trades are all later. */
export function addDraft(draft: CandleDraft, later: CandleDraft): void {
  draft.volumeRaw += later.volumeRaw;
  draft.quoteVolumeNative = addVolume(draft.quoteVolumeNative, later.quoteVolumeNative);
  draft.quoteVolumeUsd = addVolume(draft.quoteVolumeUsd, later.quoteVolumeUsd);
  draft.trades += later.trades;
  draft.buys += later.buys;
  draft.sells += later.sells;
  draft.native = withOhlc(draft.native, later.native);
  draft.usd = withOhlc(draft.usd, later.usd);
  draft.nativeClean = withOhlc(draft.nativeClean, later.nativeClean);
  draft.usdClean = withOhlc(draft.usdClean, later.usdClean);
}

/** A draft with a stored candle's content and the given open time. */
export function toDraft(candle: CandleBody, openTimeMs: number): CandleDraft {
  return {
    openTimeMs,
    volumeRaw: candle.volumeRaw,
    quoteVolumeNative: textToDecimal(candle.quoteVolumeNative),
    quoteVolumeUsd: textToDecimal(candle.quoteVolumeUsd),
    trades: candle.trades,
    buys: candle.buys,
    sells: candle.sells,
    native: candle.native && { ...candle.native },
    usd: candle.usd && { ...candle.usd },
    nativeClean: candle.nativeClean && { ...candle.nativeClean },
    usdClean: candle.usdClean && { ...candle.usdClean },
  };
}

/** The finished candle; nothing may be added to the draft afterwards. */
export function toCandle<Interval extends string>(
  draft: CandleDraft,
  series: SeriesKey & { readonly interval: Interval },
): CandleBody & SeriesKey & { readonly interval: Interval; readonly openTimeMs: number } {
  return {
    token: series.token,
    pool: series.pool,
    interval: series.interval,
    openTimeMs: draft.openTimeMs,
    volumeRaw: draft.volumeRaw,
    quoteVolumeNative: decimalToText(draft.quoteVolumeNative),
    quoteVolumeUsd: decimalToText(draft.quoteVolumeUsd),
    trades: draft.trades,
    buys: draft.buys,
    sells: draft.sells,
    native: draft.native,
    usd: draft.usd,
    nativeClean: draft.nativeClean,
    usdClean: draft.usdClean,
  };
}
