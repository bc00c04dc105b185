// When candles open: the calendar of every interval, in UTC.

import type { KlineInterval, StoredInterval } from '../model/market-record.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The Unix epoch was a Thursday; the first Monday was four days later. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Lengths of the fixed-length intervals; months vary. */
const LENGTH_MS: Readonly<Record<Exclude<KlineInterval, '1M'>, number>> = {
  '1s': SECOND_MS,
  '5s': 5 * SECOND_MS,
  '15s': 15 * SECOND_MS,
  '30s': 30 * SECOND_MS,
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '3d': 3 * DAY_MS,
  '1w': WEEK_MS,
};

/** The stored interval that an interval is merged from; null if it is folded from trades. */
const BASE: Readonly<Record<KlineInterval, StoredInterval | null>> = {
  '1s': null,
  '5s': '5s',
  '15s': '5s',
  '30s': '5s',
  '1m': '1m',
  '3m': '1m',
  '5m': '1m',
  '15m': '15m',
  '30m': '15m',
  '1h': '15m',
  '2h': '2h',
  '4h': '2h',
  '6h': '2h',
  '8h': '2h',
  '12h': '2h',
  '1d': '1d',
  '3d': '1d',
  '1w': '1d',
  '1M': '1d',
};

export function findBaseInterval(interval: KlineInterval): StoredInterval | null {
  return BASE[interval];
}

/** The open time of the candle that contains `timeMs`. */
export function computeOpenTime(interval: KlineInterval, timeMs: number): number {
  if (interval === '1M') {
    const date = new Date(timeMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
  const originMs = interval === '1w' ? FIRST_MONDAY_MS : 0;
  const lengthMs = LENGTH_MS[interval];
  return Math.floor((timeMs - originMs) / lengthMs) * lengthMs + originMs;
}

/** The open time of the candle after the one that opened at `openTimeMs`. */
export function computeNextOpenTime(interval: KlineInterval, openTimeMs: number): number {
  if (interval === '1M') {
    const date = new Date(openTimeMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  return openTimeMs + LENGTH_MS[interval];
}
