// Prices of one subject in time: the last one before a time, the highest and lowest since one.
//
// A subject with many trades has a bucket for every five minutes, so that none of these walks over
// more trades than some minutes have.

import { comparePacked, type PackedDecimal } from './packed-decimal.ts';
import { FLAGS, NONE, type TradeLog } from './trade-log.ts';
import type { PriceBucket, Subject } from './window-subject.ts';

const BUCKET_MS = 300_000;
/** Subjects with fewer trades are walked. */
const BUCKETED_FROM = 256;
const BUCKETED_TO = 128;

interface Extremes {
  high: PackedDecimal | null;
  low: PackedDecimal | null;
}

function widen(extremes: Extremes, { high, low }: Extremes): void {
  if (high !== null && (extremes.high === null || comparePacked(high, extremes.high) > 0)) {
    extremes.high = high;
  }
  if (low !== null && (extremes.low === null || comparePacked(low, extremes.low) < 0)) {
    extremes.low = low;
  }
}

type AnySubject = Subject<string>;

export class SubjectPrices {
  readonly #log: TradeLog;

  constructor(log: TradeLog) {
    this.#log = log;
  }

  /** A trade after a time that is soon after it; `NONE` if there is no later one, or few trades. */
  findLater({ buckets, last }: AnySubject, timeMs: number): number {
    if (buckets === null || (this.#log.columns.time[last] ?? 0) <= timeMs) return NONE;
    const end = this.#bucketOf(last);
    for (let index = Math.floor(timeMs / BUCKET_MS) + 1; index <= end; index += 1) {
      const bucket = buckets.get(index);
      if (bucket !== undefined) return bucket.first;
    }
    return NONE;
  }

  /** Call it after a trade was inserted. */
  insert(subject: AnySubject, id: number): void {
    subject.size += 1;
    if (subject.buckets !== null) this.#put(subject.buckets, id);
    else if (subject.size > BUCKETED_FROM) this.#build(subject);
  }

  /** Call it before a trade is removed. */
  remove(subject: AnySubject, id: number): void {
    subject.size -= 1;
    if (subject.size < BUCKETED_TO) subject.buckets = null;
    const { buckets } = subject;
    const bucket = buckets?.get(this.#bucketOf(id));
    if (buckets === null || bucket === undefined) return;
    bucket.size -= 1;
    if (bucket.size === 0) buckets.delete(this.#bucketOf(id));
    if (bucket.first === id) bucket.first = this.#next(id);
    bucket.isStale ||= this.#log.has(id, FLAGS.priced);
  }

  /** The highest and the lowest price from a trade on. */
  findExtremes(subject: AnySubject, first: number): Extremes {
    const extremes: Extremes = { high: null, low: null };
    this.#visitFrom(subject, first, {
      trade: (id) => {
        const price = this.#log.priceAt(id);
        widen(extremes, { high: price, low: price });
        return false;
      },
      bucket: (bucket) => {
        widen(extremes, bucket);
        return false;
      },
    });
    return extremes;
  }

  /** The first trade with a price, from a trade on. */
  findFirst(subject: AnySubject, first: number): number {
    let found = NONE;
    const see = (id: number) => {
      found = id;
      return true;
    };
    this.#visitFrom(subject, first, {
      trade: see,
      bucket: ({ first: start, lastPriced }) => {
        if (lastPriced === NONE) return false;
        let id = start;
        while (!this.#log.has(id, FLAGS.priced)) id = this.#next(id);
        return see(id);
      },
    });
    return found;
  }

  /** The last trade with a price before a trade; before `NONE`, of all. */
  findLastBefore(subject: AnySubject, end: number): number {
    const { prevOfSubject } = this.#log.columns;
    const { buckets } = subject;
    let id = end === NONE ? subject.last : (prevOfSubject[end] ?? NONE);
    if (id === NONE) return NONE;
    const bucket = this.#bucketOf(id);
    while (id !== NONE && (buckets === null || this.#bucketOf(id) === bucket)) {
      if (this.#log.has(id, FLAGS.priced)) return id;
      id = prevOfSubject[id] ?? NONE;
    }
    if (id === NONE || buckets === null) return NONE;
    const oldest = this.#bucketOf(subject.first);
    for (let index = this.#bucketOf(id); index >= oldest; index -= 1) {
      const found = buckets.get(index);
      if (found === undefined) continue;
      this.#refresh(found);
      if (found.lastPriced !== NONE) return found.lastPriced;
    }
    return NONE;
  }

  /** The last price before each of the times, which ascend and are whole buckets apart. */
  readPricesBefore(subject: AnySubject, timesMs: readonly number[]): (PackedDecimal | null)[] {
    const { time } = this.#log.columns;
    let price = subject.base;
    if (subject.buckets === null) {
      let id = subject.first;
      return timesMs.map((timeMs) => {
        for (; id !== NONE && (time[id] ?? 0) < timeMs; id = this.#next(id)) {
          if (this.#log.has(id, FLAGS.priced)) price = this.#log.priceAt(id);
        }
        return price;
      });
    }
    let index = this.#bucketOf(subject.first);
    return timesMs.map((timeMs) => {
      for (; index * BUCKET_MS < timeMs; index += 1) {
        const bucket = subject.buckets?.get(index);
        if (bucket === undefined) continue;
        this.#refresh(bucket);
        if (bucket.lastPriced !== NONE) price = this.#log.priceAt(bucket.lastPriced);
      }
      return price;
    });
  }

  /** The trades with a price from `first` on; whole buckets at once. Ends when one returns true. */
  #visitFrom(
    subject: AnySubject,
    first: number,
    see: { trade(id: number): boolean; bucket(bucket: PriceBucket): boolean },
  ): void {
    if (first === NONE) return;
    const { buckets } = subject;
    const start = this.#bucketOf(first);
    let id = first;
    if (buckets === null || buckets.get(start)?.first !== first) {
      for (
        ;
        id !== NONE && (buckets === null || this.#bucketOf(id) === start);
        id = this.#next(id)
      ) {
        if (this.#log.has(id, FLAGS.priced) && see.trade(id)) return;
      }
    }
    if (id === NONE || buckets === null) return;
    const end = this.#bucketOf(subject.last);
    for (let index = this.#bucketOf(id); index <= end; index += 1) {
      const bucket = buckets.get(index);
      if (bucket === undefined) continue;
      this.#refresh(bucket);
      if (see.bucket(bucket)) return;
    }
  }

  #build(subject: AnySubject): void {
    const buckets = new Map<number, PriceBucket>();
    for (let id = subject.first; id !== NONE; id = this.#next(id)) this.#put(buckets, id);
    subject.buckets = buckets;
  }

  #put(buckets: Map<number, PriceBucket>, id: number): void {
    const index = this.#bucketOf(id);
    const known = buckets.get(index);
    const bucket: PriceBucket = known ?? {
      ...{ first: id, size: 0, high: null, low: null },
      ...{ lastPriced: NONE, isStale: false },
    };
    if (known === undefined) buckets.set(index, bucket);
    else if (this.#log.isBefore(id, bucket.first)) bucket.first = id;
    bucket.size += 1;
    if (!this.#log.has(id, FLAGS.priced) || bucket.isStale) return;
    this.#count(bucket, id);
  }

  #count(bucket: PriceBucket, id: number): void {
    const price = this.#log.priceAt(id);
    widen(bucket, { high: price, low: price });
    const { lastPriced } = bucket;
    if (lastPriced === NONE || this.#log.isBefore(lastPriced, id)) bucket.lastPriced = id;
  }

  #refresh(bucket: PriceBucket): void {
    if (!bucket.isStale) return;
    Object.assign(bucket, { high: null, low: null, lastPriced: NONE, isStale: false });
    let id = bucket.first;
    for (let count = 0; count < bucket.size; count += 1) {
      if (this.#log.has(id, FLAGS.priced)) this.#count(bucket, id);
      id = this.#next(id);
    }
  }

  #bucketOf(id: number): number {
    return Math.floor((this.#log.columns.time[id] ?? 0) / BUCKET_MS);
  }

  #next(id: number): number {
    return this.#log.columns.nextOfSubject[id] ?? NONE;
  }
}
