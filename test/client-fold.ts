// Folds trades into candles like a client, with independent arithmetic and calendar.

import type { KlineInterval } from '../src/model/market-record.ts';

interface ClientTrade {
  readonly timestamp: number;
  readonly side: string;
  readonly pool: string;
  readonly amount: string | null;
  readonly priceUsd: string | null;
  readonly priceNative: string | null;
  readonly valueUsd: string | null;
  readonly valueNative: string | null;
}

export interface ClientCandle {
  readonly openTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string | null;
  readonly quoteVolume: string;
  readonly trades: number;
  readonly buys: number;
  readonly sells: number;
}

/** Enough decimal places for any value: additions only need fixed-point numbers. */
export const PLACES = 120;

export function toFixed(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(PLACES, '0'));
}

export function toText(value: bigint): string {
  const digits = value.toString().padStart(PLACES + 1, '0');
  const whole = digits.slice(0, -PLACES);
  const part = digits.slice(-PLACES).replace(/0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/** 18 significant digits, half-even, as documented. */
export function round18(value: bigint): bigint {
  const extra = value.toString().length - 18;
  if (extra <= 0) return value;
  const unit = 10n ** BigInt(extra);
  const low = value / unit;
  const rest = (value % unit) * 2n;
  const up = rest > unit || (rest === unit && low % 2n === 1n);
  return (low + (up ? 1n : 0n)) * unit;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function computeClientOpen(interval: KlineInterval, time: number): number {
  const date = new Date(time);
  if (interval === '1M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  if (interval === '1w') {
    const sinceMonday = (date.getUTCDay() + 6) % 7;
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - sinceMonday);
  }
  const length = Number.parseInt(interval, 10) * SECONDS[interval.slice(-1)]! * 1000;
  return time - (time % length);
}

/** `trades` oldest first. */
export function foldAsClient(
  trades: readonly ClientTrade[],
  interval: KlineInterval,
  currency: 'usd' | 'native',
): ClientCandle[] {
  const groups = Map.groupBy(trades, (trade) => computeClientOpen(interval, trade.timestamp));
  let last: string | null = null;
  return Array.from(groups).flatMap(([openTime, group]) => {
    const texts = group.map((one) => (currency === 'usd' ? one.priceUsd : one.priceNative));
    const prices = texts.filter((price) => price !== null);
    const values = group.map((one) => (currency === 'usd' ? one.valueUsd : one.valueNative));
    const sum = (list: readonly (string | null)[]) =>
      list.reduce((total, text) => total + (text === null ? 0n : toFixed(text)), 0n);
    const ordered = prices.toSorted((a, b) => (toFixed(a) < toFixed(b) ? -1 : 1));
    const buys = group.filter(({ side }) => side === 'buy').length;
    const before = last;
    last = prices.at(-1) ?? before;
    // Before the first price there is no candle; without one of its own it repeats the last.
    if (last === null) return [];
    return {
      openTime,
      open: prices[0] ?? last,
      high: ordered.at(-1) ?? last,
      low: ordered[0] ?? last,
      close: last,
      volume: group.some(({ amount }) => amount === null)
        ? null
        : toText(sum(group.map(({ amount }) => amount))),
      quoteVolume: toText(round18(sum(values))),
      trades: group.length,
      buys,
      sells: group.length - buys,
    };
  });
}
