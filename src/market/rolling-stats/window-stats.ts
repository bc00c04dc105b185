// Figures of tokens (or pools) over the last minutes, hours and the day of chain time,
// exact after every commit, rollback and step of time.
//
// A trade is in a window if its time is after the window's start: the chain's time less the
// window's length. When the chain's time moves on, trades leave at the window's start; when it
// moves back, they return. Sums are kept, because lists look at every subject; prices are searched
// among the subject's trades when they are asked for.

import { type PackedDecimal, packDecimal, toE18, toRough } from './packed-decimal.ts';
import { type PlacedColumns, SubjectPlaces } from './subject-places.ts';
import { TradeLog } from './trade-log.ts';
import { TraderCounts, WALLET_VOLUME_MAX_E6 } from './trader-counts.ts';
import {
  START,
  STATS_WINDOWS,
  type StatsTrade,
  WindowColumns,
  type WindowFigures,
} from './window-subject.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Trades that left the longest window are kept for so long, in case a rollback needs them. */
const KEPT_BEHIND_MS = HOUR_MS;
const LONGEST_MS = 24 * HOUR_MS;
export const STATS_REACH_MS = LONGEST_MS + KEPT_BEHIND_MS;

const WALLET_VOLUME_MAX = BigInt(WALLET_VOLUME_MAX_E6);

interface Subject<Key> {
  readonly key: Key;
  /** Its place in the columns of each window. */
  readonly id: number;
  /** The last price before its first trade here. */
  base: PackedDecimal | null;
  /** Their numbers; in order of time if `isSorted`. */
  readonly trades: number[];
  isSorted: boolean;
}

function toMinute(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS);
}

export class WindowStats<Key extends string> {
  readonly #log = new TradeLog();
  readonly #traders = new TraderCounts();
  readonly #subjects = new Map<Key, Subject<Key>>();
  readonly #byId: (Subject<Key> | null)[] = [];
  readonly #freeIds: number[] = [];
  readonly #windows = STATS_WINDOWS.map(() => new WindowColumns());
  /** The trades of each minute, to find those that enter or leave a window. */
  readonly #minutes = new Map<number, number[]>();
  #headMs = Number.NEGATIVE_INFINITY;
  readonly #places = new SubjectPlaces<Key>();
  /** Trades up to this time were dropped. */
  #droppedMs = Number.NEGATIVE_INFINITY;

  get size(): { readonly subjects: number; readonly trades: number } {
    return { subjects: this.#subjects.size, trades: this.#log.size };
  }

  /** The numbers of subjects are below this one. */
  get idsEnd(): number {
    return this.#byId.length;
  }

  has(key: Key): boolean {
    return this.#subjects.has(key);
  }

  /** Whether a subject has trades, and nothing is known of its price before them. */
  lacksBase(key: Key): boolean {
    return this.#subjects.get(key)?.base === null;
  }

  setBase(key: Key, base: string | null): void {
    const subject = this.#subjects.get(key);
    if (subject === undefined || base === null) return;
    subject.base = packDecimal(base);
    this.#markStale(subject);
  }

  /** `findBase` gives the last price before the trade; it is asked for a subject's first trade. */
  add(key: Key, trade: StatsTrade, findBase: () => string | null): void {
    const subject = this.#subjects.get(key) ?? this.#open(key, findBase());
    const trader = this.#traders.retain(subject.id, trade.wallet);
    const id = this.#log.add({ ...trade, subject: subject.id, trader });
    const minute = toMinute(trade.timestampMs);
    const ofMinute = this.#minutes.get(minute);
    if (ofMinute === undefined) this.#minutes.set(minute, [id]);
    else ofMinute.push(id);
    // Rolling stats are loaded from the newest trade back: sorting once is linear then.
    const last = subject.trades.at(-1);
    if (last !== undefined && this.#log.compare(last, id) > 0) subject.isSorted = false;
    subject.trades.push(id);
    this.#markStale(subject);
    this.#countWhereWithin(id, 1);
  }

  /** Counts a trade anew that was judged again; false if it is not here. */
  replace(key: Key, trade: StatsTrade): boolean {
    const base = this.#subjects.get(key)?.base ?? null;
    if (!this.remove(key, trade)) return false;
    this.add(key, trade, () => null);
    const subject = this.#subjects.get(key);
    if (subject !== undefined) subject.base = base;
    return true;
  }

  /** Removes a trade, as a rollback does; false if it is not here. */
  remove(key: Key, trade: Pick<StatsTrade, 'timestampMs' | 'block' | 'logIndex'>): boolean {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return false;
    const { time, block, logIndex } = this.#log.columns;
    const { timestampMs } = trade;
    const trades = this.#sortTrades(subject);
    const isIt = (id: number) => block[id] === trade.block && logIndex[id] === trade.logIndex;
    let at = this.#findAfter(trades, timestampMs) - 1;
    while (at >= 0 && time[trades[at] ?? 0] === timestampMs && !isIt(trades[at] ?? 0)) at -= 1;
    const id = trades[at];
    if (id === undefined || time[id] !== timestampMs) return false;
    this.#countWhereWithin(id, -1);
    this.#markStale(subject);
    trades.splice(at, 1);
    const minute = toMinute(timestampMs);
    const ofMinute = this.#minutes.get(minute) ?? [];
    ofMinute.splice(ofMinute.indexOf(id), 1);
    if (ofMinute.length === 0) this.#minutes.delete(minute);
    this.#release(id);
    if (trades.length === 0) this.#close(subject);
    return true;
  }

  /**
   * Moves the windows to the chain's time. False if it went back further than trades are kept: then
   * the rolling stats must be filled again.
   */
  advance(headMs: number): boolean {
    if (headMs - LONGEST_MS < this.#droppedMs) return false;
    const { time } = this.#log.columns;
    const by = headMs > this.#headMs ? -1 : 1;
    const earlierMs = Math.min(headMs, this.#headMs);
    const laterMs = Math.max(headMs, this.#headMs);
    const passed = STATS_WINDOWS.map(({ lengthMs }, window) => {
      return { window, fromMs: earlierMs - lengthMs, toMs: laterMs - lengthMs };
    });
    this.#headMs = headMs;
    for (const [minute, ids] of this.#minutes) {
      const minuteMs = minute * MINUTE_MS;
      for (const { window, fromMs, toMs } of passed) {
        if (minuteMs > toMs || minuteMs + MINUTE_MS <= fromMs) continue;
        for (const id of ids) {
          const timeMs = time[id] ?? 0;
          if (timeMs > fromMs && timeMs <= toMs) this.#count(window, id, by);
        }
      }
    }
    this.#dropOld();
    return true;
  }

  read(key: Key, window: number): WindowFigures | null {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return null;
    const { id } = subject;
    const { columns, volumesE18 } = this.#columnsOf(window);
    const [trades = 0, buys = 0] = [columns.trades[id], columns.buys[id]];
    return {
      volumeUsdE18: volumesE18[id] ?? 0n,
      unvalued: columns.unvalued[id] ?? 0,
      ...{ trades, buys, sells: trades - buys },
      buyers: columns.buyers[id] ?? 0,
      sellers: columns.sellers[id] ?? 0,
      limitedVolumeE6: columns.limitedVolumeE6[id] ?? 0,
      ...this.#findStart(subject, window),
      ...this.#findPrices(subject, window),
    };
  }

  /** The figures of all subjects in a window, by their numbers. */
  columnsOf(window: number): Pick<WindowColumns, 'columns' | 'volumesE18'> {
    return this.#columnsOf(window);
  }

  /**
   * Where the subjects are in other columns; those that are not known yet are looked up, at most
   * `lookupsMax` of them.
   */
  findPlaces(
    columns: PlacedColumns<Key>,
    lookupsMax = Number.POSITIVE_INFINITY,
  ): Pick<SubjectPlaces<Key>, 'places' | 'prices'> {
    const subjects = {
      end: this.#byId.length,
      keyOf: (id: number) => this.#byId[id]?.key ?? null,
      find: (key: Key) => this.#subjects.get(key)?.id ?? null,
    };
    this.#places.refresh(columns, subjects, lookupsMax);
    return this.#places;
  }

  /** The volumes of all subjects in a window, or of some, in 1e-18 USD. */
  *volumes(window: number, keys: Iterable<Key> = this.#subjects.keys()): Generator<[Key, bigint]> {
    const { volumesE18 } = this.#columnsOf(window);
    for (const key of keys) {
      const subject = this.#subjects.get(key);
      if (subject !== undefined) yield [key, volumesE18[subject.id] ?? 0n];
    }
  }

  /** The last price before a window, and the first in it. */
  readStart(id: number, window: number): Pick<WindowFigures, 'before' | 'first'> {
    const subject = this.#byId[id];
    return subject ? this.#findStart(subject, window) : { before: null, first: null };
  }

  /** About the price that changes over a window are counted from; see `START`. */
  findStartKind(id: number, window: number): number {
    const { columns } = this.#columnsOf(window);
    const known = columns.startKind[id] ?? START.none;
    if (known !== START.stale) return known;
    const { before, first } = this.readStart(id, window);
    const from = before ?? first;
    const kind = before !== null ? START.before : first !== null ? START.first : START.none;
    columns.start[id] = from === null ? Number.NaN : toRough(from);
    columns.startKind[id] = kind;
    return kind;
  }

  /** The last price before each of the times; null for an unknown subject. */
  readPricesBefore(key: Key, timesMs: readonly number[]): (PackedDecimal | null)[] | null {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return null;
    const trades = this.#sortTrades(subject);
    return timesMs.map((timeMs) => {
      return this.#findPriceBefore(subject, this.#findAfter(trades, timeMs - 1));
    });
  }

  /** The chain's time at which a trade of a subject leaves a window; infinite if none will. */
  findNextChange(key: Key): number {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return Number.POSITIVE_INFINITY;
    const trades = this.#sortTrades(subject);
    const ends = STATS_WINDOWS.map(({ lengthMs }) => {
      const first = trades[this.#findAfter(trades, this.#headMs - lengthMs)];
      const timeMs = first === undefined ? undefined : this.#log.columns.time[first];
      return (timeMs ?? Number.POSITIVE_INFINITY) + lengthMs;
    });
    return Math.min(...ends);
  }

  #columnsOf(window: number): WindowColumns {
    const columns = this.#windows[window];
    if (columns === undefined) throw new Error(`There is no window ${window}`);
    return columns;
  }

  #open(key: Key, base: string | null): Subject<Key> {
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const packed = base === null ? null : packDecimal(base);
    const subject: Subject<Key> = { key, id, base: packed, trades: [], isSorted: true };
    this.#subjects.set(key, subject);
    this.#byId[id] = subject;
    for (const window of this.#windows) window.place(id);
    this.#places.add(id, this.#byId.length);
    return subject;
  }

  #close({ key, id }: Subject<Key>): void {
    this.#subjects.delete(key);
    this.#byId[id] = null;
    this.#freeIds.push(id);
  }

  #release(id: number): void {
    this.#traders.release(this.#log.columns.trader[id] ?? 0);
    this.#log.remove(id);
  }

  #markStale({ id }: Subject<Key>): void {
    for (const { columns } of this.#windows) columns.startKind[id] = START.stale;
  }

  #startOf(window: number): number {
    return this.#headMs - (STATS_WINDOWS[window]?.lengthMs ?? 0);
  }

  #sortTrades(subject: Subject<Key>): number[] {
    if (!subject.isSorted) subject.trades.sort((a, b) => this.#log.compare(a, b));
    subject.isSorted = true;
    return subject.trades;
  }

  /** Where the first trade after a time is; their count if there is none. */
  #findAfter(trades: readonly number[], timeMs: number): number {
    const { time } = this.#log.columns;
    let low = 0;
    let high = trades.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((time[trades[middle] ?? 0] ?? 0) > timeMs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #dropOld(): void {
    const { time } = this.#log.columns;
    const endMs = this.#headMs - STATS_REACH_MS;
    this.#droppedMs = Math.max(this.#droppedMs, endMs);
    const subjects = new Set<Subject<Key>>();
    for (const [minute, ids] of this.#minutes) {
      if (minute * MINUTE_MS > endMs) continue;
      const kept = ids.filter((id) => (time[id] ?? 0) > endMs);
      if (kept.length > 0) this.#minutes.set(minute, kept);
      else this.#minutes.delete(minute);
      for (const id of ids) {
        const subject = this.#byId[this.#log.columns.subject[id] ?? 0];
        if (subject) subjects.add(subject);
      }
    }
    for (const subject of subjects) {
      const trades = this.#sortTrades(subject);
      const count = this.#findAfter(trades, endMs);
      subject.base = this.#findPriceBefore(subject, count);
      for (const id of trades.splice(0, count)) this.#release(id);
      if (trades.length === 0) this.#close(subject);
    }
  }

  #countWhereWithin(id: number, by: 1 | -1): void {
    const timeMs = this.#log.columns.time[id] ?? 0;
    for (const window of STATS_WINDOWS.keys()) {
      if (timeMs > this.#startOf(window)) this.#count(window, id, by);
    }
  }

  /** A trade enters a window (1) or leaves it (-1). */
  #count(window: number, id: number, by: 1 | -1): void {
    const { columns } = this.#log;
    const [subject = 0, trader = 0] = [columns.subject[id], columns.trader[id]];
    const isBuy = columns.isBuy[id] === 1;
    const value = this.#log.valueAt(id);
    const valueE18 = value === null ? null : toE18(value);
    const figures = this.#columnsOf(window);
    const { buyers, sellers, limitedVolumeE6 } = figures.columns;
    figures.count({ subject, isBuy, valueE18 }, by);
    if (valueE18 !== null) {
      figures.addVolume(subject, by > 0 ? valueE18 : -valueE18);
      const changeE6 = this.#traders.addVolume(trader, window, by * toLimitedE6(valueE18));
      limitedVolumeE6[subject] = (limitedVolumeE6[subject] ?? 0) + changeE6;
    }
    const isCounted =
      by > 0
        ? this.#traders.enter(trader, window, isBuy)
        : this.#traders.leave(trader, window, isBuy);
    if (!isCounted) return;
    const traders = isBuy ? buyers : sellers;
    traders[subject] = (traders[subject] ?? 0) + by;
  }

  #findStart(subject: Subject<Key>, window: number): Pick<WindowFigures, 'before' | 'first'> {
    const trades = this.#sortTrades(subject);
    const { prices } = this.#log;
    const start = this.#findAfter(trades, this.#startOf(window));
    let at = start;
    while (at < trades.length && !prices.has(trades[at] ?? 0)) at += 1;
    const first = trades[at];
    return {
      before: this.#findPriceBefore(subject, start),
      first: first === undefined ? null : prices.get(first),
    };
  }

  /** The highest, the lowest and the last price in a window. */
  #findPrices(subject: Subject<Key>, window: number): Pick<WindowFigures, 'high' | 'low' | 'last'> {
    const trades = this.#sortTrades(subject);
    const { prices } = this.#log;
    const { doubles } = prices;
    let high: number | null = null;
    let low: number | null = null;
    let last: number | null = null;
    let [highest, lowest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let at = this.#findAfter(trades, this.#startOf(window)); at < trades.length; at += 1) {
      const id = trades[at] as number;
      const price = doubles[id] as number;
      if (Number.isNaN(price)) continue;
      last = id;
      // Equal doubles may differ beyond them.
      if (price >= highest && (high === null || prices.compare(id, high) > 0)) {
        high = id;
        highest = price;
      }
      if (price <= lowest && (low === null || prices.compare(id, low) < 0)) {
        low = id;
        lowest = price;
      }
    }
    const read = (id: number | null) => (id === null ? null : prices.get(id));
    return { high: read(high), low: read(low), last: read(last) };
  }

  /** The last price before the trade at a place among those of its subject. */
  #findPriceBefore({ trades, base }: Subject<Key>, end: number): PackedDecimal | null {
    for (let at = end - 1; at >= 0; at -= 1) {
      const price = this.#log.prices.get(trades[at] ?? 0);
      if (price !== null) return price;
    }
    return base;
  }
}

/** One trade of more than the limit counts as much as the limit. */
function toLimitedE6(valueE18: bigint): number {
  const valueE6 = valueE18 / 1_000_000_000_000n;
  return valueE6 > WALLET_VOLUME_MAX ? WALLET_VOLUME_MAX_E6 : Number(valueE6);
}
