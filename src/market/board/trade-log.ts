// Trades of the last day in typed arrays: one list in order of time, and one for each subject.
//
// About 70 bytes a trade. Entries are numbered; a removed entry's number is used again.

import type { PackedDecimal } from './packed-decimal.ts';

/** The number of no entry. */
export const NONE = 0xffff_ffff;

export const FLAGS = { buy: 1, valued: 2, priced: 4 } as const;

interface LogEntry {
  readonly timestampMs: number;
  readonly block: number;
  readonly logIndex: number;
  /** The number of what was traded: a token or a pool. */
  readonly subject: number;
  /** The number of the wallet that traded it. */
  readonly trader: number;
  readonly isBuy: boolean;
  /** In USD; null if unknown. */
  readonly value: PackedDecimal | null;
  /** In USD; null if unknown or an outlier. */
  readonly price: PackedDecimal | null;
}

const CAPACITY_FIRST = 1024;

const BUCKET_MS = 300_000;

function toBucket(timeMs: number): number {
  return Math.floor(timeMs / BUCKET_MS);
}

function createColumns(size: number) {
  return {
    time: new Float64Array(size),
    block: new Float64Array(size),
    logIndex: new Uint32Array(size),
    subject: new Uint32Array(size),
    trader: new Uint32Array(size),
    flags: new Uint8Array(size),
    prev: new Uint32Array(size),
    next: new Uint32Array(size),
    prevOfSubject: new Uint32Array(size),
    nextOfSubject: new Uint32Array(size),
    valueDigits: new BigUint64Array(size),
    valueExponent: new Int16Array(size),
    priceDigits: new BigUint64Array(size),
    priceExponent: new Int16Array(size),
  };
}

type Columns = ReturnType<typeof createColumns>;

function growColumns(columns: Columns, size: number): Columns {
  const grown = createColumns(size);
  for (const name of Object.keys(columns) as (keyof Columns)[]) {
    (grown[name] as Float64Array).set(columns[name] as Float64Array);
  }
  return grown;
}

/** The first and the last entry of a subject. */
export interface SubjectEnds {
  first: number;
  last: number;
}

export class TradeLog {
  #columns = createColumns(CAPACITY_FIRST);
  #capacity = CAPACITY_FIRST;
  #used = 0;
  readonly #free: number[] = [];
  /** The first trade of each five minutes. */
  readonly #buckets = new Map<number, number>();
  /** The entry inserted last, if it is still here. */
  #inserted = NONE;
  first = NONE;
  last = NONE;
  size = 0;

  /** Replaced when the log grows: read it again after each insertion. */
  get columns(): Columns {
    return this.#columns;
  }

  /** `later` is a trade of the subject after this one, to search its place from; or `NONE`. */
  insert(entry: LogEntry, of: { readonly ends: SubjectEnds; readonly later: number }): number {
    const id = this.#write(entry);
    const columns = this.#columns;
    const bucket = toBucket(entry.timestampMs);
    const before = this.#findPlace(id, entry.timestampMs);
    this.#inserted = id;
    const after = before === NONE ? this.first : (columns.next[before] ?? NONE);
    columns.prev[id] = before;
    columns.next[id] = after;
    if (before === NONE) this.first = id;
    else columns.next[before] = id;
    if (after === NONE) this.last = id;
    else columns.prev[after] = id;
    const known = this.#buckets.get(bucket);
    if (known === undefined || this.#isAfter(known, id)) this.#buckets.set(bucket, id);
    this.#insertOfSubject(id, of);
    this.size += 1;
    return id;
  }

  remove(id: number, ends: SubjectEnds): void {
    const { prev, next, prevOfSubject, nextOfSubject, time } = this.#columns;
    const [before = NONE, after = NONE] = [prev[id], next[id]];
    const bucket = toBucket(time[id] ?? 0);
    if (this.#buckets.get(bucket) === id) {
      if (after !== NONE && toBucket(time[after] ?? 0) === bucket) this.#buckets.set(bucket, after);
      else this.#buckets.delete(bucket);
    }
    if (before === NONE) this.first = after;
    else next[before] = after;
    if (after === NONE) this.last = before;
    else prev[after] = before;
    const [beforeOf = NONE, afterOf = NONE] = [prevOfSubject[id], nextOfSubject[id]];
    if (beforeOf === NONE) ends.first = afterOf;
    else nextOfSubject[beforeOf] = afterOf;
    if (afterOf === NONE) ends.last = beforeOf;
    else prevOfSubject[afterOf] = beforeOf;
    if (this.#inserted === id) this.#inserted = NONE;
    this.#free.push(id);
    this.size -= 1;
  }

  /** Whether an entry comes before another; an entry of the past comes before none. */
  isBefore(a: number, b: number): boolean {
    return a !== b && this.#isAfter(b, a);
  }

  has(id: number, flag: number): boolean {
    return ((this.#columns.flags[id] ?? 0) & flag) !== 0;
  }

  valueAt(id: number): PackedDecimal {
    const { valueDigits, valueExponent } = this.#columns;
    return { digits: valueDigits[id] ?? 0n, exponent: valueExponent[id] ?? 0 };
  }

  priceAt(id: number): PackedDecimal {
    const { priceDigits, priceExponent } = this.#columns;
    return { digits: priceDigits[id] ?? 0n, exponent: priceExponent[id] ?? 0 };
  }

  #write(entry: LogEntry): number {
    const id = this.#free.pop() ?? this.#used++;
    if (id >= this.#capacity) {
      this.#capacity *= 2;
      this.#columns = growColumns(this.#columns, this.#capacity);
    }
    const columns = this.#columns;
    columns.time[id] = entry.timestampMs;
    columns.block[id] = entry.block;
    columns.logIndex[id] = entry.logIndex;
    columns.subject[id] = entry.subject;
    columns.trader[id] = entry.trader;
    columns.flags[id] =
      (entry.isBuy ? FLAGS.buy : 0) |
      (entry.value === null ? 0 : FLAGS.valued) |
      (entry.price === null ? 0 : FLAGS.priced);
    columns.valueDigits[id] = entry.value?.digits ?? 0n;
    columns.valueExponent[id] = entry.value?.exponent ?? 0;
    columns.priceDigits[id] = entry.price?.digits ?? 0n;
    columns.priceExponent[id] = entry.price?.exponent ?? 0;
    return id;
  }

  /**
   * The entry after which a new one comes. While a board is loaded, each trade is older than all
   * before it, or is near the one before it: a block's time may step back, and the bucket may have
   * very many trades.
   */
  #findPlace(id: number, timeMs: number): number {
    if (this.first === NONE || this.#isAfter(this.first, id)) return NONE;
    const { prev, next, time } = this.#columns;
    const near = this.#inserted;
    const isNear = near !== NONE && toBucket(time[near] ?? 0) === toBucket(timeMs);
    let before = isNear ? near : this.#findBefore(timeMs);
    while (before !== NONE && this.#isAfter(before, id)) before = prev[before] ?? NONE;
    for (;;) {
      const after = before === NONE ? this.first : (next[before] ?? NONE);
      if (after === NONE || this.#isAfter(after, id)) return before;
      before = after;
    }
  }

  /** A trade of about a time, to search a place from: usually the last one. */
  #findBefore(timeMs: number): number {
    const { time, prev } = this.#columns;
    if (this.last === NONE || (time[this.last] ?? 0) <= timeMs) return this.last;
    const end = toBucket(time[this.last] ?? 0);
    for (let bucket = toBucket(timeMs) + 1; bucket <= end; bucket += 1) {
      const first = this.#buckets.get(bucket);
      if (first !== undefined) return prev[first] ?? NONE;
    }
    return this.last;
  }

  #insertOfSubject(
    id: number,
    { ends, later }: { readonly ends: SubjectEnds; readonly later: number },
  ): void {
    const { prevOfSubject, nextOfSubject } = this.#columns;
    const start = later === NONE ? ends.last : (prevOfSubject[later] ?? NONE);
    const isFirst = ends.first !== NONE && this.#isAfter(ends.first, id);
    let before = isFirst ? NONE : start;
    while (before !== NONE && this.#isAfter(before, id)) before = prevOfSubject[before] ?? NONE;
    const after = before === NONE ? ends.first : (nextOfSubject[before] ?? NONE);
    prevOfSubject[id] = before;
    nextOfSubject[id] = after;
    if (before === NONE) ends.first = id;
    else nextOfSubject[before] = id;
    if (after === NONE) ends.last = id;
    else prevOfSubject[after] = id;
  }

  /** By time, then by position in the chain. */
  #isAfter(a: number, b: number): boolean {
    const { time, block, logIndex } = this.#columns;
    const byTime = (time[a] ?? 0) - (time[b] ?? 0);
    if (byTime !== 0) return byTime > 0;
    const byBlock = (block[a] ?? 0) - (block[b] ?? 0);
    if (byBlock !== 0) return byBlock > 0;
    return (logIndex[a] ?? 0) > (logIndex[b] ?? 0);
  }
}
