// The candles of one chart, in order, each once: what was read and what the stream changed since.

import type { ChartKline } from '../api/contract-types.ts';

/** What a change means for a chart: its last candle, or all of them. */
export type CandleChange = 'last' | 'all';

export interface DrawnCandle {
  readonly openTime: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly quoteVolume: number;
  /** No trade was made then: nothing is drawn. */
  readonly isGap: boolean;
}

export class CandleBook {
  #rows: ChartKline[] = [];

  /** Oldest first. */
  get rows(): readonly ChartKline[] {
    return this.#rows;
  }

  replace(rows: readonly ChartKline[]): void {
    this.#rows = [...rows];
  }

  /** Adds older candles; those that are known already stay as they are. */
  prepend(older: readonly ChartKline[]): void {
    const first = this.#rows[0]?.openTime ?? Number.POSITIVE_INFINITY;
    this.#rows = [...older.filter(({ openTime }) => openTime < first), ...this.#rows];
  }

  put(row: ChartKline): CandleChange {
    const at = this.#findPlace(row.openTime);
    const isKnown = this.#rows[at]?.openTime === row.openTime;
    const isLast = at >= this.#rows.length - (isKnown ? 1 : 0);
    this.#rows.splice(at, isKnown ? 1 : 0, row);
    return isLast ? 'last' : 'all';
  }

  remove(openTimes: ReadonlySet<number>): void {
    this.#rows = this.#rows.filter(({ openTime }) => !openTimes.has(openTime));
  }

  /** The candle in which a time lies; null before the first. */
  findAt(timeMs: number): ChartKline | null {
    const at = this.#findPlace(timeMs);
    const exact = this.#rows[at];
    return exact?.openTime === timeMs ? exact : (this.#rows[at - 1] ?? null);
  }

  /** The first place whose candle opens at or after a time. */
  #findPlace(openTime: number): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle]?.openTime ?? 0) < openTime) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface DrawnChart {
  /** Oldest first; a time without a trade is a place without a candle. */
  readonly candles: readonly DrawnCandle[];
  /** Whether times without a trade are left out, because they are too many. */
  readonly isGapless: boolean;
}

interface DrawOptions {
  readonly isJoined: boolean;
  /** From candle to candle; null where candles have no one length, as months. */
  readonly stepMs: number | null;
}

/** More places than these are neither drawn smoothly nor looked through. */
const PLACES_MAX = 5000;

function buildGap(openTime: number, price: number): DrawnCandle {
  const flat = { open: price, high: price, low: price, close: price };
  return { openTime, ...flat, quoteVolume: 0, isGap: true };
}

/** Puts a place for each time without a trade, so that a gap is as wide as it was long. */
function keepTime(candles: readonly DrawnCandle[], stepMs: number | null): DrawnChart {
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined || stepMs === null) {
    return { candles, isGapless: false };
  }
  const places = (last.openTime - first.openTime) / stepMs + 1;
  if (places > Math.max(PLACES_MAX, candles.length)) return { candles, isGapless: true };
  const kept = candles.flatMap((candle, at) => {
    const before = candles[at - 1];
    const gaps: DrawnCandle[] = [];
    const from = (before?.openTime ?? candle.openTime) + stepMs;
    for (let openTime = from; openTime < candle.openTime; openTime += stepMs) {
      gaps.push(buildGap(openTime, before?.close ?? candle.open));
    }
    return [...gaps, candle];
  });
  return { candles: kept, isGapless: false };
}

/**
 * Candles as they are drawn. A candle opens at its first trade, so thin markets look torn: `joined`
 * draws each from the close before.
 */
export function buildDrawnCandles(
  rows: readonly ChartKline[],
  { isJoined, stepMs }: DrawOptions,
): DrawnChart {
  const drawn: DrawnCandle[] = [];
  for (const row of rows) {
    const { open, high, low, close } = row;
    if (row.trades === 0) continue;
    const before = drawn.at(-1)?.close;
    const from = isJoined && before !== undefined ? before : Number(open);
    drawn.push({
      openTime: row.openTime,
      open: from,
      high: Math.max(from, Number(high)),
      low: Math.min(from, Number(low)),
      close: Number(close),
      quoteVolume: Number(row.quoteVolume),
      isGap: false,
    });
  }
  return keepTime(drawn, stepMs);
}
