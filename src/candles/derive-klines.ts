// Candles of any interval for one series, from trades or from candles of a finer interval.

import type {
  CandleRecord,
  KlineInterval,
  SeriesKey,
  TradeRecord,
} from '../model/market-record.ts';
import {
  addDraft,
  addTrade,
  type CandleDraft,
  createCandleDraft,
  toCandle,
  toDraft,
} from './candle-draft.ts';
import { computeOpenTime, findBaseInterval } from './interval.ts';

/** A candle of any interval, stored or not. */
export type Candle<Interval extends KlineInterval = KlineInterval> = Omit<
  CandleRecord,
  'interval'
> & { readonly interval: Interval };

type Series<Interval extends KlineInterval> = SeriesKey & { readonly interval: Interval };

/** Folds the trades of one series, in chain order, into candles, ascending. */
export function foldTrades<Interval extends KlineInterval>(
  series: Series<Interval>,
  trades: Iterable<TradeRecord>,
): Candle<Interval>[] {
  const candles: Candle<Interval>[] = [];
  let draft: CandleDraft | null = null;
  for (const trade of trades) {
    const openTimeMs = computeOpenTime(series.interval, trade.timestampMs);
    if (draft === null || draft.openTimeMs !== openTimeMs) {
      if (draft !== null) candles.push(toCandle(draft, series));
      draft = createCandleDraft(openTimeMs);
    }
    addTrade(draft, trade);
  }
  if (draft !== null) candles.push(toCandle(draft, series));
  return candles;
}

/** Merges candles of one series and of a finer interval, ascending, into coarser ones. */
export function mergeCandles<Interval extends KlineInterval>(
  series: Series<Interval>,
  finer: Iterable<Candle>,
): Candle<Interval>[] {
  const candles: Candle<Interval>[] = [];
  let draft: CandleDraft | null = null;
  for (const candle of finer) {
    const openTimeMs = computeOpenTime(series.interval, candle.openTimeMs);
    if (draft !== null && draft.openTimeMs === openTimeMs) {
      addDraft(draft, toDraft(candle, openTimeMs));
      continue;
    }
    if (draft !== null) candles.push(toCandle(draft, series));
    draft = toDraft(candle, openTimeMs);
  }
  if (draft !== null) candles.push(toCandle(draft, series));
  return candles;
}

/**
 * Candles of any interval from stored data: `stored` holds the candles of
 * `findBaseInterval(interval)`, ascending; for `1s`, which has none, `trades` are folded.
 */
export function deriveKlines<Interval extends KlineInterval>(
  series: Series<Interval>,
  source: { readonly stored: Iterable<CandleRecord> } | { readonly trades: Iterable<TradeRecord> },
): Candle<Interval>[] {
  if ('trades' in source) return foldTrades(series, source.trades);
  if (findBaseInterval(series.interval) === null) {
    throw new RangeError(`candles of ${series.interval} can only be folded from trades`);
  }
  return mergeCandles(series, source.stored);
}

// A candle whose trades set no price is shown at the last close before it.

/** The prices of a candle: in both currencies, with all trades and without outliers. */
export const PRICE_NAMES = ['native', 'usd', 'nativeClean', 'usdClean'] as const;

/** The last closes; null where there was none yet. */
export type Closes = Readonly<Record<(typeof PRICE_NAMES)[number], string | null>>;

/** A candle and the last closes before it. */
export type CarriedCandle = Candle & { readonly before: Closes };

export const NO_CLOSES: Closes = { native: null, usd: null, nativeClean: null, usdClean: null };

/** The last closes after a candle. */
export function passCandle(
  before: Closes,
  { native, usd, nativeClean, usdClean }: Pick<CandleRecord, (typeof PRICE_NAMES)[number]>,
): Closes {
  return {
    native: native?.close ?? before.native,
    usd: usd?.close ?? before.usd,
    nativeClean: nativeClean?.close ?? before.nativeClean,
    usdClean: usdClean?.close ?? before.usdClean,
  };
}

/** `before` are the closes before the first of the candles, which ascend. */
export function carryCloses(candles: readonly Candle[], before: Closes): CarriedCandle[] {
  let closes = before;
  return candles.map((candle) => {
    const carried = { ...candle, before: closes };
    closes = passCandle(closes, candle);
    return carried;
  });
}
