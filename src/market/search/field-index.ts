// An index of one field of many tokens: finds every text that contains a needle, in the tokens'
// order.
//
// All texts are concatenated in one byte array, each between two marks that occur in no text, so
// that "starts with", "ends with" and "equals" are also searches for a needle. For every run of
// one, two or three bytes there is a list of the texts that contain it; the rarest run of a needle
// is looked up and its texts are compared. Runs that occur in a large part of the texts have no
// list: a scan from the first text finds enough matches.

import { toPoints } from './search-query.ts';

/** Precedes each text. */
export const TEXT_START = 0x01;
/** Follows each text. */
export const TEXT_END = 0x02;

/** Plain arrays, so that a thread can build and transfer them. */
export interface FieldArrays {
  readonly texts: Uint8Array;
  /** The start of each text, including its mark; one more entry than there are texts. */
  readonly starts: Uint32Array;
  /** Byte runs as numbers, ascending. */
  readonly runs: Uint32Array;
  /** How many texts contain each run. */
  readonly counts: Uint32Array;
  /** The start of each run's list; one more entry than there are runs. */
  readonly offsets: Uint32Array;
  /** Ascending text numbers, delta-encoded as varints of one to five bytes. */
  readonly lists: Uint8Array;
}

export const RUN_LENGTH_MAX = 3;

/** The first numbers of two-byte and of three-byte runs. */
const TWO_BYTES = 0x100;
const THREE_BYTES = 0x10100;
export const RUN_SPACE = 0x1010100;

/** A byte run as a number that distinguishes lengths. */
export function packRun(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] ?? 0;
  if (length === 1) return first;
  const two = (first << 8) | (bytes[at + 1] ?? 0);
  return length === 2 ? two + TWO_BYTES : ((two << 8) | (bytes[at + 2] ?? 0)) + THREE_BYTES;
}

/** Runs in more than this share of the texts have no list. */
export function pickListedShare(run: number): number {
  if (run < TWO_BYTES) return 1 / 64;
  return run < THREE_BYTES ? 1 / 32 : 1 / 8;
}

interface RunList {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

const END_OF_LIST = -1;

/** Iterates over a list of ascending numbers. */
class ListWalker {
  readonly #lists: Uint8Array;
  readonly #to: number;
  #at: number;
  #index = -1;

  constructor(lists: Uint8Array, list: RunList) {
    this.#lists = lists;
    this.#at = list.from;
    this.#to = list.to;
  }

  next(): number {
    if (this.#at >= this.#to) return END_OF_LIST;
    let step = 0;
    let shift = 0;
    for (;;) {
      const byte = this.#lists[this.#at] ?? 0;
      this.#at += 1;
      step |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      shift += 7;
    }
    this.#index += step;
    return this.#index;
  }

  /** Whether the list contains a number; calls must ascend. */
  reaches(index: number): boolean {
    while (this.#index < index) if (this.next() === END_OF_LIST) return false;
    return this.#index === index;
  }
}

export class FieldIndex {
  readonly arrays: FieldArrays;
  readonly #texts: Buffer;

  constructor(arrays: FieldArrays) {
    this.arrays = arrays;
    const { buffer, byteOffset, byteLength } = arrays.texts;
    this.#texts = Buffer.from(buffer, byteOffset, byteLength);
  }

  get size(): number {
    return this.arrays.starts.length - 1;
  }

  /** The text without its marks. */
  textAt(index: number): string {
    const { starts } = this.arrays;
    return this.#texts.toString('utf8', (starts[index] ?? 0) + 1, (starts[index + 1] ?? 0) - 1);
  }

  /** Whether a text can have a length within a span, judged by its bytes. */
  mayHaveLength(index: number, span: { readonly min: number; readonly max: number }): boolean {
    const { texts, starts } = this.arrays;
    const from = (starts[index] ?? 0) + 1;
    const to = (starts[index + 1] ?? 0) - 1;
    if (to - from < span.min) return false;
    if (to - from <= span.max) return true;
    // More bytes than characters are allowed, so it fits only with multi-byte characters.
    for (let at = from; at < to; at += 1) if ((texts[at] ?? 0) >= 0x80) return true;
    return false;
  }

  /** The characters of a text; its bytes if it is ASCII. */
  pointsAt(index: number): ArrayLike<number> {
    const { texts, starts } = this.arrays;
    const from = (starts[index] ?? 0) + 1;
    const to = (starts[index + 1] ?? 0) - 1;
    for (let at = from; at < to; at += 1) {
      if ((texts[at] ?? 0) >= 0x80) return toPoints(this.#texts.toString('utf8', from, to));
    }
    return texts.subarray(from, to);
  }

  /** The texts that hold the needle, in order; at most `lookedAtMax` candidates are compared. */
  *find(needle: Uint8Array, lookedAtMax = this.size): Generator<number> {
    const [rarest, second] = this.#findRarest(needle);
    if (rarest === undefined) return;
    if (rarest.from === rarest.to) yield* this.#read(needle, lookedAtMax);
    else yield* this.#walk(rarest, { second, needle, lookedAtMax });
  }

  /** At most so many texts contain the needle. */
  countAtMost(needle: Uint8Array): number {
    return this.#findRarest(needle)[0]?.count ?? 0;
  }

  #findRun(run: number): RunList | null {
    const { runs, counts, offsets } = this.arrays;
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((runs[middle] ?? 0) < run) low = middle + 1;
      else high = middle;
    }
    if (runs[low] !== run) return null;
    return { count: counts[low] ?? 0, from: offsets[low] ?? 0, to: offsets[low + 1] ?? 0 };
  }

  /** The needle's runs, rarest first; empty if one of them occurs in no text. */
  #findRarest(needle: Uint8Array): readonly RunList[] {
    const length = Math.min(needle.length, RUN_LENGTH_MAX);
    const found: RunList[] = [];
    for (let at = 0; at + length <= needle.length; at += 1) {
      const list = this.#findRun(packRun(needle, at, length));
      if (list === null) return [];
      found.push(list);
    }
    return found.sort((a, b) => a.count - b.count);
  }

  *#walk(
    list: RunList,
    options: {
      readonly second: RunList | undefined;
      readonly needle: Uint8Array;
      readonly lookedAtMax: number;
    },
  ): Generator<number> {
    const { second, needle } = options;
    // A needle that is a single run is in every text of its list.
    const isSure = needle.length <= RUN_LENGTH_MAX;
    const walker = new ListWalker(this.arrays.lists, list);
    // Intersecting a second list is cheaper than reading texts, unless it is much longer.
    const isUseful =
      second !== undefined && second.to > second.from && second.count < 8 * list.count;
    const beside = isUseful ? new ListWalker(this.arrays.lists, second) : null;
    for (let lookedAt = 0; lookedAt < options.lookedAtMax; lookedAt += 1) {
      const index = walker.next();
      if (index === END_OF_LIST) return;
      if (beside !== null && !beside.reaches(index)) continue;
      if (isSure || this.holds(index, needle)) yield index;
    }
  }

  /** Whether a text contains a needle. */
  holds(index: number, needle: Uint8Array): boolean {
    const { texts, starts } = this.arrays;
    const end = (starts[index + 1] ?? 0) - needle.length;
    const first = needle[0];
    for (let at = starts[index] ?? 0; at <= end; at += 1) {
      if (texts[at] !== first) continue;
      let length = 1;
      while (length < needle.length && texts[at + length] === needle[length]) length += 1;
      if (length === needle.length) return true;
    }
    return false;
  }

  /** Reads on from the first text; used where the needle is frequent. */
  *#read(needle: Uint8Array, endText: number): Generator<number> {
    const { starts } = this.arrays;
    const end = starts[Math.min(this.size, endText)] ?? 0;
    let at = this.#texts.indexOf(needle, 0);
    while (at !== -1 && at < end) {
      const index = this.#indexAt(at);
      yield index;
      at = this.#texts.indexOf(needle, starts[index + 1] ?? end);
    }
  }

  /** The text that contains a byte. */
  #indexAt(position: number): number {
    const { starts } = this.arrays;
    let low = 0;
    let high = this.size;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}
