// Folds a batch of trades into the stored intervals of a series, touching each trade once.

import {
  type CandleRecord,
  type SeriesKey,
  STORED_INTERVALS,
  type StoredInterval,
} from '../model/market-record.ts';
import {
  addDraft,
  addTrade,
  type CandleDraft,
  createCandleDraft,
  type FoldedTrade,
  type TradeValues,
  toCandle,
  toDraft,
} from './candle-draft.ts';
import { computeOpenTime } from './interval.ts';

export interface FoldedCandle {
  readonly interval: StoredInterval;
  readonly draft: CandleDraft;
}

/**
 * Trades go into the finest interval only; a candle that ends is added to the next coarser one. The
 * result holds only these trades: `finish` returns the candles to merge into the stored ones.
 */
export class CandleCascade {
  readonly #open: (CandleDraft | null)[] = STORED_INTERVALS.map(() => null);
  readonly #done: FoldedCandle[] = [];

  add(trade: FoldedTrade, values: TradeValues): void {
    addTrade(this.#draftAt(0, trade.timestampMs), trade, values);
  }

  /** Every candle with trades of this batch; nothing may be added afterwards. */
  finish(): readonly FoldedCandle[] {
    for (let level = 0; level < STORED_INTERVALS.length; level += 1) this.#close(level);
    return this.#done;
  }

  #draftAt(level: number, timeMs: number): CandleDraft {
    const interval = STORED_INTERVALS[level];
    if (interval === undefined) throw new RangeError(`no stored interval at level ${level}`);
    const openTimeMs = computeOpenTime(interval, timeMs);
    const current = this.#open[level] ?? null;
    if (current !== null && current.openTimeMs === openTimeMs) return current;
    if (current !== null && current.openTimeMs > openTimeMs) {
      throw new RangeError('trades must be in time order');
    }
    this.#close(level);
    const draft = createCandleDraft(openTimeMs);
    this.#open[level] = draft;
    return draft;
  }

  #close(level: number): void {
    const draft = this.#open[level] ?? null;
    const interval = STORED_INTERVALS[level];
    if (draft === null || interval === undefined) return;
    this.#open[level] = null;
    this.#done.push({ interval, draft });
    if (level + 1 < STORED_INTERVALS.length) {
      addDraft(this.#draftAt(level + 1, draft.openTimeMs), draft);
    }
  }
}

/** Merges a batch's candle into the stored one, whose trades are all earlier. */
export function layOver(
  stored: CandleRecord | null,
  folded: FoldedCandle,
  series: SeriesKey,
): CandleRecord {
  const key = { token: series.token, pool: series.pool, interval: folded.interval };
  if (stored === null) return toCandle(folded.draft, key);
  const draft = toDraft(stored, stored.openTimeMs);
  addDraft(draft, folded.draft);
  return toCandle(draft, key);
}
