// The open candles of one token and interval, over all its pools or in one, for live readers.

import {
  addTrade,
  type CandleDraft,
  createCandleDraft,
  toCandle,
  toDraft,
} from '../../candles/candle-draft.ts';
import {
  type CarriedCandle,
  type Closes,
  carryCloses,
  passCandle,
} from '../../candles/carried-candle.ts';
import type { Candle } from '../../candles/derive-klines.ts';
import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import type { Address } from '../../model/ids.ts';
import type { KlineInterval, TradeRecord } from '../../model/market-record.ts';
import type { StreamSeries } from './stream-filter.ts';

/** The state of a series at some commit. */
export interface SeriesState {
  /** Candles that the chain's time has not passed, ascending: usually one or none. */
  readonly open: readonly Candle[];
  /** The last closes before them. */
  readonly before: Closes;
  /** The end of the last candle before them; null if there is none. */
  readonly lastEndMs: number | null;
}

export class KlineSeries {
  readonly #series: StreamSeries & { readonly token: Address };
  readonly #drafts: CandleDraft[];
  #lastEndMs: number | null;
  #before: Closes;

  constructor(of: StreamSeries & { readonly token: Address }, state: SeriesState) {
    this.#series = of;
    this.#drafts = state.open.map((candle) => toDraft(candle, candle.openTimeMs));
    this.#lastEndMs = state.lastEndMs;
    this.#before = state.before;
  }

  get series(): StreamSeries {
    const { interval, pool } = this.#series;
    return { interval, pool };
  }

  get interval(): KlineInterval {
    return this.#series.interval;
  }

  /** Candles that the chain's time has not passed yet; trades go into the last one. */
  get open(): readonly CarriedCandle[] {
    const candles = this.#drafts.map((draft) => toCandle(draft, this.#series));
    return carryCloses(candles, this.#before);
  }

  get openCount(): number {
    return this.#drafts.length;
  }

  /** Whether a candle that is closed would be open again if the chain's time were this. */
  isReopenedAt(chainMs: number): boolean {
    return this.#lastEndMs !== null && this.#lastEndMs > chainMs;
  }

  /** Requires that a token's trades never go back in time. */
  add(trade: TradeRecord): void {
    if (this.#series.pool !== null && trade.pool !== this.#series.pool) return;
    const openTimeMs = computeOpenTime(this.interval, trade.timestampMs);
    let draft = this.#drafts.at(-1);
    if (draft === undefined || draft.openTimeMs < openTimeMs) {
      draft = createCandleDraft(openTimeMs);
      this.#drafts.push(draft);
    }
    addTrade(draft, trade);
  }

  /** Advances the chain's time and removes the candles that ended by then, ascending. */
  passTime(chainMs: number): CarriedCandle[] {
    const ended: CarriedCandle[] = [];
    for (let draft = this.#drafts[0]; draft !== undefined; draft = this.#drafts[0]) {
      const endMs = computeNextOpenTime(this.interval, draft.openTimeMs);
      if (endMs > chainMs) break;
      this.#drafts.shift();
      this.#lastEndMs = endMs;
      const candle = toCandle(draft, this.#series);
      ended.push({ ...candle, before: this.#before });
      this.#before = passCandle(this.#before, candle);
    }
    return ended;
  }
}
