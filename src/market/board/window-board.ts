// Figures of tokens (or pools) over the last five minutes, hour, six hours and day of chain time,
// exact after every commit, rollback and step of time.
//
// A trade is in a window if its time is after the window's start: the chain's time less the
// window's length. Trades are in one list in order of time, and each window is a tail of it. When
// the chain's time moves on, trades leave at the window's start; when it moves back, they return.

import { comparePacked, type PackedDecimal, packDecimal, toE18 } from './packed-decimal.ts';
import { FLAGS, NONE, TradeLog } from './trade-log.ts';
import { TraderCounts, WALLET_VOLUME_MAX_E6 } from './trader-counts.ts';
import {
  BOARD_WINDOWS,
  type BoardTrade,
  Subject,
  type WindowCounts,
  type WindowFigures,
} from './window-subject.ts';

const HOUR_MS = 3_600_000;

/** Trades that left the longest window are kept for so long, in case a rollback needs them. */
const KEPT_BEHIND_MS = HOUR_MS;
const LONGEST_MS = 24 * HOUR_MS;
export const BOARD_REACH_MS = LONGEST_MS + KEPT_BEHIND_MS;

export class WindowBoard<Key extends string> {
  readonly #log = new TradeLog();
  readonly #traders = new TraderCounts();
  readonly #subjects = new Map<Key, Subject<Key>>();
  readonly #byId: (Subject<Key> | null)[] = [];
  readonly #freeIds: number[] = [];
  /** The first trade in each window. */
  readonly #tails = BOARD_WINDOWS.map(() => NONE);
  #headMs = Number.NEGATIVE_INFINITY;
  /** The columns that the subjects' places belong to. */
  #placesOf: object | null = null;
  /** Trades up to this time were dropped. */
  #droppedMs = Number.NEGATIVE_INFINITY;

  /** Subjects with trades. */
  keys(): IterableIterator<Key> {
    return this.#subjects.keys();
  }

  get size(): { readonly subjects: number; readonly trades: number } {
    return { subjects: this.#subjects.size, trades: this.#log.size };
  }

  has(key: Key): boolean {
    return this.#subjects.has(key);
  }

  /** `findBase` gives the last price before the trade; it is asked for a subject's first trade. */
  add(key: Key, trade: BoardTrade, findBase: () => string | null): void {
    const subject = this.#subjects.get(key) ?? this.#open(key, findBase());
    const { priceUsd, valueUsd } = trade;
    const id = this.#log.insert(
      {
        timestampMs: trade.timestampMs,
        block: trade.block,
        logIndex: trade.logIndex,
        subject: subject.id,
        wallet: this.#traders.retain(trade.wallet),
        isBuy: trade.side === 'buy',
        value: valueUsd === null ? null : packDecimal(valueUsd),
        price: priceUsd === null || trade.outlier ? null : packDecimal(priceUsd),
      },
      subject,
    );
    for (const [window, tail] of this.#tails.entries()) {
      if (!this.#isWithin(window, id)) continue;
      if (tail === NONE || this.#log.isBefore(id, tail)) this.#tails[window] = id;
      this.#enter(window, id, subject);
    }
  }

  /** Removes a trade that a rollback removed; false if it is not here. */
  remove(key: Key, trade: Pick<BoardTrade, 'block' | 'logIndex'>): boolean {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return false;
    const { block, logIndex, prevOfSubject, next } = this.#log.columns;
    let id = subject.last;
    while (id !== NONE && !(block[id] === trade.block && logIndex[id] === trade.logIndex)) {
      id = prevOfSubject[id] ?? NONE;
    }
    if (id === NONE) return false;
    for (const [window, tail] of this.#tails.entries()) {
      if (!this.#isWithin(window, id)) continue;
      this.#leave(window, id, subject);
      if (tail === id) this.#tails[window] = next[id] ?? NONE;
    }
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
    const counts = subject?.windows[window];
    if (subject === undefined || counts === undefined) return null;
    if (counts.areExtremesStale) this.#findExtremes(counts);
    return {
      volumeUsdE18: counts.volumeUsdE18,
      unvalued: counts.unvalued,
      trades: counts.trades,
      buys: counts.buys,
      sells: counts.trades - counts.buys,
      buyers: counts.buyers,
      sellers: counts.sellers,
      limitedVolumeE6: counts.limitedVolumeE6,
      high: counts.high,
      low: counts.low,
      before: this.#findBefore(subject, counts),
      first: this.#findFirst(counts),
      last: this.#findLast(subject, counts),
    };
  }

  /**
   * Visits the subjects with trades in a window. `findPlace` gives a subject's position in columns;
   * it is kept as long as the columns are the same object.
   */
  visit(
    window: number,
    columns: { readonly owner: object; findPlace(key: Key): number },
    see: (key: Key, place: number, counts: Readonly<WindowCounts>) => void,
  ): void {
    const isKnown = this.#placesOf === columns.owner;
    this.#placesOf = columns.owner;
    for (const subject of this.#subjects.values()) {
      if (!isKnown) subject.place = -1;
      const counts = subject.windows[window];
      if (counts === undefined || counts.trades === 0) continue;
      if (subject.place < 0) subject.place = columns.findPlace(subject.key);
      see(subject.key, subject.place, counts);
    }
  }

  /** The last price before a window, and the first in it. */
  readStart(key: Key, window: number): Pick<WindowFigures, 'before' | 'first'> {
    const subject = this.#subjects.get(key);
    const counts = subject?.windows[window];
    if (subject === undefined || counts === undefined) return { before: null, first: null };
    return { before: this.#findBefore(subject, counts), first: this.#findFirst(counts) };
  }

  /** The last price at or before each of the times, which ascend; null for an unknown subject. */
  readPricesAt(key: Key, timesMs: readonly number[]): (PackedDecimal | null)[] | null {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return null;
    const { time, nextOfSubject } = this.#log.columns;
    let id = subject.first;
    let price = subject.base;
    return timesMs.map((timeMs) => {
      for (; id !== NONE && (time[id] ?? 0) <= timeMs; id = nextOfSubject[id] ?? NONE) {
        if (this.#log.has(id, FLAGS.priced)) price = this.#log.priceAt(id);
      }
      return price;
    });
  }

  /** The chain's time at which a trade of a subject leaves a window; infinite if none will. */
  findNextChange(key: Key): number {
    const { time } = this.#log.columns;
    const windows = this.#subjects.get(key)?.windows ?? [];
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...windows.map(({ first }, window) => {
        if (first === NONE) return Number.POSITIVE_INFINITY;
        return (time[first] ?? 0) + (BOARD_WINDOWS[window]?.lengthMs ?? 0);
      }),
    );
  }

  #open(key: Key, base: string | null): Subject<Key> {
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const subject = new Subject(key, id, base === null ? null : packDecimal(base));
    this.#subjects.set(key, subject);
    this.#byId[id] = subject;
    return subject;
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
      this.#leave(window, tail, this.#subjectOf(tail));
      tail = next[tail] ?? NONE;
    }
    this.#tails[window] = tail;
  }

  #moveBack(window: number): void {
    const { prev } = this.#log.columns;
    const tail = this.#tails[window] ?? NONE;
    let id = tail === NONE ? this.#log.last : (prev[tail] ?? NONE);
    while (id !== NONE && this.#isWithin(window, id)) {
      this.#enter(window, id, this.#subjectOf(id));
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
    this.#traders.release(this.#log.columns.wallet[id] ?? 0);
    this.#log.remove(id, subject);
    if (subject.first !== NONE) return;
    this.#subjects.delete(subject.key);
    this.#byId[subject.id] = null;
    this.#freeIds.push(subject.id);
  }

  #enter(window: number, id: number, subject: Subject<Key>): void {
    const counts = subject.windows[window];
    if (counts === undefined) return;
    this.#count(counts, id, 1);
    const step = this.#readStep(window, id, subject);
    const { isEnd, volumeE6 } = this.#traders.enter(step);
    counts.limitedVolumeE6 += volumeE6;
    if (isEnd && step.isBuy) counts.buyers += 1;
    if (isEnd && !step.isBuy) counts.sellers += 1;
    if (counts.first === NONE || this.#log.isBefore(id, counts.first)) counts.first = id;
    if (this.#log.has(id, FLAGS.priced)) widen(counts, this.#log.priceAt(id));
  }

  #leave(window: number, id: number, subject: Subject<Key>): void {
    const counts = subject.windows[window];
    if (counts === undefined) return;
    this.#count(counts, id, -1);
    const step = this.#readStep(window, id, subject);
    const { isEnd, volumeE6 } = this.#traders.leave(step);
    counts.limitedVolumeE6 += volumeE6;
    if (isEnd && step.isBuy) counts.buyers -= 1;
    if (isEnd && !step.isBuy) counts.sellers -= 1;
    if (counts.first === id) counts.first = this.#log.columns.nextOfSubject[id] ?? NONE;
    if (this.#log.has(id, FLAGS.priced)) counts.areExtremesStale ||= this.#isExtreme(counts, id);
  }

  #count(counts: WindowCounts, id: number, by: 1 | -1): void {
    counts.trades += by;
    if (this.#log.has(id, FLAGS.buy)) counts.buys += by;
    if (this.#log.has(id, FLAGS.valued)) {
      counts.volumeUsdE18 += BigInt(by) * toE18(this.#log.valueAt(id));
    } else counts.unvalued += by;
  }

  #readStep(window: number, id: number, subject: Subject<Key>) {
    return {
      subject: subject.id,
      wallet: this.#log.columns.wallet[id] ?? 0,
      window,
      isBuy: this.#log.has(id, FLAGS.buy),
      valueE6: this.#log.has(id, FLAGS.valued) ? toLimitedE6(this.#log.valueAt(id)) : 0,
    };
  }

  #isExtreme({ high, low }: WindowCounts, id: number): boolean {
    const price = this.#log.priceAt(id);
    return [high, low].some((extreme) => extreme !== null && comparePacked(price, extreme) === 0);
  }

  #findExtremes(counts: WindowCounts): void {
    counts.high = null;
    counts.low = null;
    counts.areExtremesStale = false;
    const { nextOfSubject } = this.#log.columns;
    for (let id = counts.first; id !== NONE; id = nextOfSubject[id] ?? NONE) {
      if (this.#log.has(id, FLAGS.priced)) widen(counts, this.#log.priceAt(id));
    }
  }

  #findBefore(subject: Subject<Key>, { first }: WindowCounts): PackedDecimal | null {
    const { prevOfSubject } = this.#log.columns;
    let id = first === NONE ? subject.last : (prevOfSubject[first] ?? NONE);
    while (id !== NONE && !this.#log.has(id, FLAGS.priced)) id = prevOfSubject[id] ?? NONE;
    return id === NONE ? subject.base : this.#log.priceAt(id);
  }

  #findFirst({ first }: WindowCounts): PackedDecimal | null {
    const { nextOfSubject } = this.#log.columns;
    let id = first;
    while (id !== NONE && !this.#log.has(id, FLAGS.priced)) id = nextOfSubject[id] ?? NONE;
    return id === NONE ? null : this.#log.priceAt(id);
  }

  #findLast(subject: Subject<Key>, { first }: WindowCounts): PackedDecimal | null {
    if (first === NONE) return null;
    const { prevOfSubject } = this.#log.columns;
    const end = prevOfSubject[first] ?? NONE;
    let id = subject.last;
    while (id !== end && !this.#log.has(id, FLAGS.priced)) id = prevOfSubject[id] ?? NONE;
    return id === end ? null : this.#log.priceAt(id);
  }
}

function widen(counts: WindowCounts, price: PackedDecimal): void {
  if (counts.high === null || comparePacked(price, counts.high) > 0) counts.high = price;
  if (counts.low === null || comparePacked(price, counts.low) < 0) counts.low = price;
}

/** One trade of more than the limit counts as much as the limit. */
function toLimitedE6(value: PackedDecimal): number {
  const valueE6 = toE18(value) / 1_000_000_000_000n;
  return valueE6 > BigInt(WALLET_VOLUME_MAX_E6) ? WALLET_VOLUME_MAX_E6 : Number(valueE6);
}
