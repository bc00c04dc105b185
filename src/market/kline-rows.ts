// Candles as rows of an answer: one currency, with or without outliers, with gaps filled on
// request.

import type { Candle, CarriedCandle } from '../candles/derive-klines.ts';
import { computeNextOpenTime } from '../candles/interval.ts';
import type { OutputOf } from '../contract/operation.ts';
import type { getKlines } from '../contract/operations/get-klines.ts';
import { roundText, toUnits } from '../lib/decimal.ts';
import type { KlineInterval, Ohlc } from '../model/market-record.ts';

export type KlineRow = OutputOf<typeof getKlines>['klines'][number];

export interface KlineView {
  readonly interval: KlineInterval;
  readonly currency: 'usd' | 'native';
  readonly outliers: 'exclude' | 'include';
  readonly decimals: number | null;
  /** The chain's time: candles that ended by then are closed. */
  readonly chainMs: number;
}

type PricedCandle = Pick<Candle, 'usd' | 'usdClean' | 'native' | 'nativeClean'>;

function pickName({ currency, outliers }: Pick<KlineView, 'currency' | 'outliers'>) {
  if (currency === 'usd') return outliers === 'exclude' ? 'usdClean' : 'usd';
  return outliers === 'exclude' ? 'nativeClean' : 'native';
}

export function pickOhlc(
  candle: PricedCandle,
  view: Pick<KlineView, 'currency' | 'outliers'>,
): Ohlc | null {
  return candle[pickName(view)];
}

function computeTimes(openTime: number, view: KlineView) {
  const nextOpenTime = computeNextOpenTime(view.interval, openTime);
  return { closeTime: nextOpenTime - 1, closed: view.chainMs >= nextOpenTime };
}

function repeatPrice(price: string) {
  return { open: price, high: price, low: price, close: price };
}

/** Null if nothing had a price yet: such a candle is not shown. */
export function buildKlineRow(candle: CarriedCandle, view: KlineView): KlineRow | null {
  const { closeTime, closed } = computeTimes(candle.openTimeMs, view);
  const own = pickOhlc(candle, view);
  const price = candle.before[pickName(view)];
  const ohlc = own ?? (price === null ? null : repeatPrice(price));
  if (ohlc === null) return null;
  const quoteVolume = view.currency === 'usd' ? candle.quoteVolumeUsd : candle.quoteVolumeNative;
  return {
    openTime: candle.openTimeMs,
    closeTime,
    open: ohlc.open,
    high: ohlc.high,
    low: ohlc.low,
    close: ohlc.close,
    volume: view.decimals === null ? null : toUnits(candle.volumeRaw, view.decimals),
    quoteVolume: roundText(quoteVolume),
    trades: candle.trades,
    buys: candle.buys,
    sells: candle.sells,
    closed,
    filled: own === null,
  };
}

function buildFilledRow(openTime: number, view: KlineView, price: string): KlineRow {
  const { closeTime, closed } = computeTimes(openTime, view);
  return {
    openTime,
    closeTime,
    ...repeatPrice(price),
    volume: view.decimals === null ? null : '0',
    quoteVolume: '0',
    trades: 0,
    buys: 0,
    sells: 0,
    closed,
    filled: true,
  };
}

export function buildKlineRows(candles: readonly CarriedCandle[], view: KlineView): KlineRow[] {
  return candles.flatMap((candle) => buildKlineRow(candle, view) ?? []);
}

/**
 * A row for every interval from `fromMs` on, once there is a price, up to the one that opens at
 * `lastMs`.
 */
export function fillRows(
  candles: readonly CarriedCandle[],
  view: KlineView,
  span: {
    readonly fromMs: number;
    readonly lastMs: number;
    readonly limit: number;
    /** The last price before `fromMs`. */
    readonly price: string | null;
  },
): KlineRow[] {
  const rows: KlineRow[] = [];
  const byTime = new Map(candles.map((candle) => [candle.openTimeMs, candle]));
  let { fromMs: openTime, price } = span;
  while (openTime <= span.lastMs && rows.length < span.limit) {
    const candle = byTime.get(openTime);
    const row = candle === undefined ? null : buildKlineRow(candle, view);
    if (row !== null) {
      rows.push(row);
      price = row.close;
    } else if (price !== null) {
      rows.push(buildFilledRow(openTime, view, price));
    }
    openTime = computeNextOpenTime(view.interval, openTime);
  }
  return rows;
}
