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

/**
 * Candles as they are drawn. A candle opens at its first trade, so thin markets look torn: `joined`
 * draws each from the close before. Times without a trade are left out.
 */
export function buildDrawnCandles(
  rows: readonly ChartKline[],
  { isJoined }: { readonly isJoined: boolean },
): DrawnCandle[] {
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
    });
  }
  return drawn;
}
