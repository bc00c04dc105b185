// Figures of tokens (or pools) over the last five minutes, hour, six hours and day of chain time,
// exact after every commit, rollback and step of time.
//
// A trade is in a window if its time is after the window's start: the chain's time less the
// window's length. Trades are in one list in order of time, and each window is a tail of it. When
// the chain's time moves on, trades leave at the window's start; when it moves back, they return.

import { type PackedDecimal, packDecimal, toE18, toRough } from './packed-decimal.ts';
import { type PlacedColumns, SubjectPlaces } from './subject-places.ts';
import { SubjectPrices } from './subject-prices.ts';
import { FLAGS, NONE, TradeLog } from './trade-log.ts';
import { TraderCounts, WALLET_VOLUME_MAX_E6 } from './trader-counts.ts';
import { START, WindowColumns } from './window-columns.ts';
import { BOARD_WINDOWS, type BoardTrade, Subject, type WindowFigures } from './window-subject.ts';

const HOUR_MS = 3_600_000;

/** Trades that left the longest window are kept for so long, in case a rollback needs them. */
const KEPT_BEHIND_MS = HOUR_MS;
const LONGEST_MS = 24 * HOUR_MS;
export const BOARD_REACH_MS = LONGEST_MS + KEPT_BEHIND_MS;

const WALLET_VOLUME_MAX = BigInt(WALLET_VOLUME_MAX_E6);

/** What a trade adds to the figures of each window that it is in. */
interface TradeWeight {
  readonly subject: number;
  readonly trader: number;
  readonly isBuy: boolean;
  /** Null if it is unknown. */
  readonly valueE18: bigint | null;
  /** Of the value, what counts of one wallet at most; 0 if it is unknown. */
  readonly limitedE6: number;
}

export class WindowBoard<Key extends string> {
  readonly #log = new TradeLog();
  readonly #prices = new SubjectPrices(this.#log);
  readonly #traders = new TraderCounts();
  readonly #subjects = new Map<Key, Subject<Key>>();
  readonly #byId: (Subject<Key> | null)[] = [];
  readonly #freeIds: number[] = [];
  readonly #windows = BOARD_WINDOWS.map(() => new WindowColumns());
  /** The first trade in each window. */
  readonly #tails = BOARD_WINDOWS.map(() => NONE);
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
  add(key: Key, trade: BoardTrade, findBase: () => string | null): void {
    const subject = this.#subjects.get(key) ?? this.#open(key, findBase());
    const { timestampMs, block, logIndex, value, price } = trade;
    const id = this.#log.insert(
      {
        ...{ timestampMs, block, logIndex, value, price },
        subject: subject.id,
        trader: this.#traders.retain(subject.id, trade.wallet),
        isBuy: trade.isBuy,
      },
      { ends: subject, later: this.#prices.findLater(subject, timestampMs) },
    );
    this.#prices.insert(subject, id);
    this.#markStale(subject);
    const weight = this.#weigh(id);
    for (let window = 0; window < this.#tails.length; window += 1) {
      if (!this.#isWithin(window, id)) continue;
      const tail = this.#tails[window] ?? NONE;
      if (tail === NONE || this.#log.isBefore(id, tail)) this.#tails[window] = id;
      this.#enter(window, id, weight);
    }
  }

  /** Counts a trade anew that was judged again; false if it is not here. */
  replace(key: Key, trade: BoardTrade): boolean {
    const base = this.#subjects.get(key)?.base ?? null;
    if (!this.remove(key, trade)) return false;
    this.add(key, trade, () => null);
    const subject = this.#subjects.get(key);
    if (subject !== undefined) subject.base = base;
    return true;
  }

  /** Removes a trade, as a rollback does; false if it is not here. */
  remove(key: Key, trade: Pick<BoardTrade, 'timestampMs' | 'block' | 'logIndex'>): boolean {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return false;
    const { block, logIndex, prevOfSubject, next } = this.#log.columns;
    const later = this.#prices.findLater(subject, trade.timestampMs);
    let id = later === NONE ? subject.last : later;
    while (id !== NONE && !(block[id] === trade.block && logIndex[id] === trade.logIndex)) {
      id = prevOfSubject[id] ?? NONE;
    }
    if (id === NONE) return false;
    const weight = this.#weigh(id);
    for (const [window, tail] of this.#tails.entries()) {
      if (!this.#isWithin(window, id)) continue;
      this.#leave(window, id, weight);
      if (tail === id) this.#tails[window] = next[id] ?? NONE;
    }
    this.#markStale(subject);
    this.#forget(id, subject);
    return true;
  }

  /**
   * Moves the windows to the chain's time. False if it went back further than trades are kept: then
   * the board must be filled again.
   */
  advance(headMs: number): boolean {
    if (headMs - LONGEST_MS < this.#droppedMs) return false;
    this.#headMs = headMs;
    for (const window of BOARD_WINDOWS.keys()) {
      this.#moveForward(window);
      this.#moveBack(window);
    }
    this.#dropOld();
    return true;
  }

  read(key: Key, window: number): WindowFigures | null {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return null;
    const { id } = subject;
    const { columns, volumesE18 } = this.#columnsOf(window);
    const first = columns.first[id] ?? NONE;
    const [trades = 0, buys = 0] = [columns.trades[id], columns.buys[id]];
    const last = first === NONE ? NONE : this.#prices.findLastBefore(subject, NONE);
    const isLastIn = last !== NONE && !this.#log.isBefore(last, first);
    return {
      volumeUsdE18: volumesE18[id] ?? 0n,
      unvalued: columns.unvalued[id] ?? 0,
      ...{ trades, buys, sells: trades - buys },
      buyers: columns.buyers[id] ?? 0,
      sellers: columns.sellers[id] ?? 0,
      limitedVolumeE6: columns.limitedVolumeE6[id] ?? 0,
      ...this.#prices.findExtremes(subject, first),
      ...this.#findStart(subject, first),
      last: isLastIn ? this.#log.priceAt(last) : null,
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
    if (!subject) return { before: null, first: null };
    return this.#findStart(subject, this.#columnsOf(window).columns.first[id] ?? NONE);
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
    return subject === undefined ? null : this.#prices.readPricesBefore(subject, timesMs);
  }

  /** The chain's time at which a trade of a subject leaves a window; infinite if none will. */
  findNextChange(key: Key): number {
    const { time } = this.#log.columns;
    const id = this.#subjects.get(key)?.id;
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...this.#windows.map(({ columns }, window) => {
        const first = id === undefined ? NONE : (columns.first[id] ?? NONE);
        if (first === NONE) return Number.POSITIVE_INFINITY;
        return (time[first] ?? 0) + (BOARD_WINDOWS[window]?.lengthMs ?? 0);
      }),
    );
  }

  #columnsOf(window: number): WindowColumns {
    const columns = this.#windows[window];
    if (columns === undefined) throw new Error(`There is no window ${window}`);
    return columns;
  }

  #open(key: Key, base: string | null): Subject<Key> {
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const subject = new Subject(key, id, base === null ? null : packDecimal(base));
    this.#subjects.set(key, subject);
    this.#byId[id] = subject;
    for (const window of this.#windows) window.place(id);
    this.#places.add(id, this.#byId.length);
    return subject;
  }

  #markStale({ id }: Subject<Key>): void {
    for (const { columns } of this.#windows) columns.startKind[id] = START.stale;
  }

  #isWithin(window: number, id: number): boolean {
    const startMs = this.#headMs - (BOARD_WINDOWS[window]?.lengthMs ?? 0);
    return (this.#log.columns.time[id] ?? 0) > startMs;
  }

  #subjectOf(id: number): Subject<Key> {
    const subject = this.#byId[this.#log.columns.subject[id] ?? 0];
    if (!subject) throw new Error('A trade has lost its subject');
    return subject;
  }

  #moveForward(window: number): void {
    const { next } = this.#log.columns;
    let tail = this.#tails[window] ?? NONE;
    while (tail !== NONE && !this.#isWithin(window, tail)) {
      this.#leave(window, tail, this.#weigh(tail));
      tail = next[tail] ?? NONE;
    }
    this.#tails[window] = tail;
  }

  #moveBack(window: number): void {
    const { prev } = this.#log.columns;
    const tail = this.#tails[window] ?? NONE;
    let id = tail === NONE ? this.#log.last : (prev[tail] ?? NONE);
    while (id !== NONE && this.#isWithin(window, id)) {
      this.#enter(window, id, this.#weigh(id));
      this.#tails[window] = id;
      id = prev[id] ?? NONE;
    }
  }

  #dropOld(): void {
    const { time } = this.#log.columns;
    const endMs = this.#headMs - BOARD_REACH_MS;
    this.#droppedMs = Math.max(this.#droppedMs, endMs);
    for (let id = this.#log.first; id !== NONE; id = this.#log.first) {
      const timeMs = time[id] ?? 0;
      if (timeMs > endMs) return;
      const subject = this.#subjectOf(id);
      if (this.#log.has(id, FLAGS.priced)) subject.base = this.#log.priceAt(id);
      this.#forget(id, subject);
    }
  }

  #forget(id: number, subject: Subject<Key>): void {
    this.#traders.release(this.#log.columns.trader[id] ?? 0);
    this.#prices.remove(subject, id);
    this.#log.remove(id, subject);
    if (subject.first !== NONE) return;
    this.#subjects.delete(subject.key);
    this.#byId[subject.id] = null;
    this.#freeIds.push(subject.id);
  }

  #weigh(id: number): TradeWeight {
    const { subject, trader } = this.#log.columns;
    const value = this.#log.has(id, FLAGS.valued) ? this.#log.valueAt(id) : null;
    const valueE18 = value === null ? null : toE18(value);
    return {
      subject: subject[id] ?? 0,
      trader: trader[id] ?? 0,
      isBuy: this.#log.has(id, FLAGS.buy),
      valueE18,
      limitedE6: valueE18 === null ? 0 : toLimitedE6(valueE18),
    };
  }

  #enter(window: number, id: number, weight: TradeWeight): void {
    const { subject, trader, isBuy, valueE18, limitedE6 } = weight;
    const figures = this.#columnsOf(window);
    const { first, buyers, sellers, limitedVolumeE6 } = figures.columns;
    figures.count(weight, 1);
    if (valueE18 !== null) figures.addVolume(subject, valueE18);
    limitedVolumeE6[subject] =
      (limitedVolumeE6[subject] ?? 0) + this.#traders.addVolume(trader, window, limitedE6);
    if (this.#traders.enter(trader, window, isBuy)) {
      const traders = isBuy ? buyers : sellers;
      traders[subject] = (traders[subject] ?? 0) + 1;
    }
    const before = first[subject] ?? NONE;
    if (before === NONE || this.#log.isBefore(id, before)) first[subject] = id;
  }

  #leave(window: number, id: number, weight: TradeWeight): void {
    const { subject, trader, isBuy, valueE18, limitedE6 } = weight;
    const figures = this.#columnsOf(window);
    const { first, buyers, sellers, limitedVolumeE6 } = figures.columns;
    figures.count(weight, -1);
    if (valueE18 !== null) figures.addVolume(subject, -valueE18);
    limitedVolumeE6[subject] =
      (limitedVolumeE6[subject] ?? 0) + this.#traders.addVolume(trader, window, -limitedE6);
    if (this.#traders.leave(trader, window, isBuy)) {
      const traders = isBuy ? buyers : sellers;
      traders[subject] = (traders[subject] ?? 0) - 1;
    }
    if (first[subject] === id) first[subject] = this.#log.columns.nextOfSubject[id] ?? NONE;
  }

  #findStart(subject: Subject<Key>, first: number): Pick<WindowFigures, 'before' | 'first'> {
    const before = this.#prices.findLastBefore(subject, first);
    const priced = this.#prices.findFirst(subject, first);
    return {
      before: before === NONE ? subject.base : this.#log.priceAt(before),
      first: priced === NONE ? null : this.#log.priceAt(priced),
    };
  }
}

/** One trade of more than the limit counts as much as the limit. */
function toLimitedE6(valueE18: bigint): number {
  const valueE6 = valueE18 / 1_000_000_000_000n;
  return valueE6 > WALLET_VOLUME_MAX ? WALLET_VOLUME_MAX_E6 : Number(valueE6);
}
