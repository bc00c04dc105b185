// Many texts in few arrays, which a thread can build and transfer: by number, by value, by a part
// of them, and within some typing errors.
//
// Parts and typing errors are looked for in all texts: that takes milliseconds for the words of a
// million tokens.

import { computeLetterMask, mayBeWithin } from './edit-distance.ts';
import { type Match, matchTypos } from './match-text.ts';
import { type SearchQuery, toPoints } from './search-query.ts';

/** Precedes and follows each text, and occurs in none. */
const MARK = '\u0001';

export interface TextArrays {
  readonly bytes: Uint8Array;
  /** The start of each text; one more entry than there are texts. */
  readonly starts: Uint32Array;
  /** The numbers of the texts in the order of their keys; ascending where keys are equal. */
  readonly order: Uint32Array;
}

type ToKey = (text: string) => string;

const toSame: ToKey = (text) => text;

/** `toKey` gives the form in which texts are compared. */
export function packTexts(texts: readonly string[], toKey: ToKey = toSame): TextArrays {
  const starts = new Uint32Array(texts.length + 1).fill(MARK.length, 0, 1);
  texts.forEach((text, index) => {
    starts[index + 1] = (starts[index] ?? 0) + Buffer.byteLength(text) + MARK.length;
  });
  const bytes = new TextEncoder().encode(MARK + texts.join(MARK) + MARK);
  const keys = texts.map(toKey);
  const order = Uint32Array.from(keys.keys()).sort((a, b) => {
    const keyA = keys[a] as string;
    const keyB = keys[b] as string;
    return keyA < keyB ? -1 : keyA > keyB ? 1 : a - b;
  });
  return { bytes, starts, order };
}

/** How many texts are compared with a query: the first, which are of the most prominent tokens. */
export const COMPARED_MAX = 4000;

/** What rules out most texts before they are compared letter by letter. */
export interface LetterArrays {
  /** The numbers of the texts by length, ascending among equal ones. */
  readonly order: Uint32Array;
  /** Where texts of each length begin. */
  readonly starts: Uint32Array;
  /** In that order. */
  readonly masks: Uint32Array;
}

/** Longer texts are as if they had this length. */
const LENGTH_MAX = 255;

export function packLetters(texts: readonly string[]): LetterArrays {
  const lengths = Uint8Array.from(texts, (text) => Math.min(LENGTH_MAX, toPoints(text).length));
  const starts = new Uint32Array(LENGTH_MAX + 2);
  for (const length of lengths) starts[length + 1] = (starts[length + 1] ?? 0) + 1;
  for (let length = 0; length <= LENGTH_MAX; length += 1) {
    starts[length + 1] = (starts[length + 1] ?? 0) + (starts[length] ?? 0);
  }
  const order = Uint32Array.from(texts.keys()).sort(
    (a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b,
  );
  const masks = order.map((index) => computeLetterMask(toPoints(texts[index] ?? '')));
  return { order, starts, masks };
}

export class SortedTexts {
  readonly #arrays: TextArrays;
  readonly #bytes: Buffer;
  readonly #toKey: ToKey;

  constructor(arrays: TextArrays, toKey: ToKey = toSame) {
    const { buffer, byteOffset, byteLength } = arrays.bytes;
    this.#arrays = arrays;
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.#toKey = toKey;
  }

  get size(): number {
    return this.#arrays.order.length;
  }

  at(index: number): string {
    const { starts } = this.#arrays;
    return this.#bytes.toString('utf8', starts[index], (starts[index + 1] ?? 0) - 1);
  }

  /** The texts with this key, ascending. */
  findEqual(wanted: string): Uint32Array {
    const end = this.#countBefore((key) => key <= wanted);
    return this.#arrays.order.subarray(
      this.#countBefore((key) => key < wanted),
      end,
    );
  }

  /** The texts with this beginning, in order of their keys. */
  findStarting(start: string): Uint32Array {
    const end = this.#countBefore((key) => key < start || key.startsWith(start));
    return this.#arrays.order.subarray(
      this.#countBefore((key) => key < start),
      end,
    );
  }

  /** The texts that have this part, ascending. */
  *findHolding(part: string): Generator<number> {
    const { starts } = this.#arrays;
    const needle = Buffer.from(part);
    for (let at = this.#bytes.indexOf(needle); at !== -1; ) {
      const index = this.#indexAt(at);
      yield index;
      at = this.#bytes.indexOf(needle, (starts[index + 1] ?? 0) - 1);
    }
  }

  /** The texts in which a word begins with a text. */
  findBeginning(start: string): Generator<number> {
    return this.findHolding(MARK + start);
  }

  /** The texts within the typing errors that a query allows, by match; ascending. */
  findTypos(query: SearchQuery, { order, starts, masks }: LetterArrays): Map<Match, number[]> {
    const { edits, letterMask, points } = query;
    const near: number[] = [];
    const end = starts[points.length + edits + 1] ?? 0;
    for (let at = starts[points.length - edits] ?? end; at < end; at += 1) {
      if (mayBeWithin(masks[at] ?? 0, letterMask, edits)) near.push(order[at] ?? 0);
    }
    const compared = Uint32Array.from(near).sort().subarray(0, COMPARED_MAX);
    const found = new Map<Match, number[]>();
    for (const index of compared) {
      const match = matchTypos(query, this.#pointsAt(index));
      if (match === null) continue;
      const indexes = found.get(match) ?? [];
      found.set(match, indexes);
      indexes.push(index);
    }
    return found;
  }

  /** The characters of a text; its bytes if it is ASCII. */
  #pointsAt(index: number): ArrayLike<number> {
    const { bytes, starts } = this.#arrays;
    const text = bytes.subarray(starts[index], (starts[index + 1] ?? 0) - MARK.length);
    return text.every((byte) => byte < 0x80) ? text : toPoints(this.at(index));
  }

  /** How many texts, in the order of keys, come before others. */
  #countBefore(isBefore: (key: string) => boolean): number {
    const { order } = this.#arrays;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#toKey(this.at(order[middle] ?? 0)))) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The text at a byte; the mark in front of it is its own. */
  #indexAt(position: number): number {
    const { starts } = this.#arrays;
    let low = 0;
    let high = this.size;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= position + 1) low = middle;
      else high = middle;
    }
    return low;
  }
}
