// The texts of hex values, found by their bytes in a reply. Logs repeat tokens, pools, owners and
// topics: of a known one no string is made, and whoever keeps it shares it with all others.

import { KNOWN_ADDRESSES } from '../hex-data.ts';
import { equalBytes, isLowerHex } from './hex-bytes.ts';

/** Enough for what a few thousand blocks repeat. */
const COUNT_MAX = 20_000;
/** Three times as many as texts, so that few share one; a power of two. */
const SLOTS = 65_536;
/** Whoever makes many values with one hash must not slow down the others. */
const PROBES_MAX = 16;
const HASHED_DIGITS = 40;
const FNV_START = 0x811c_9dc5;
const FNV_PRIME = 16_777_619;

/** Values of one length, with their prefix. */
export class KnownHex<Text extends string> {
  readonly #length: number;
  readonly #share: (text: string) => Text | null;
  readonly #bytes: Uint8Array;
  /** The number of a text plus one, by a hash of its bytes; zero if the slot is free. */
  readonly #slots = new Int32Array(SLOTS + PROBES_MAX);
  #texts: Text[] = [];

  /** `share` gets a text of lower-case hex with its prefix, and returns the one to share. */
  constructor(length: number, share: (text: string) => Text | null) {
    this.#length = length;
    this.#share = share;
    this.#bytes = new Uint8Array(length * COUNT_MAX);
  }

  /** Null if the bytes are not lower-case hex with a prefix. */
  find(body: Buffer, at: number): Text | null {
    const length = this.#length;
    const first = this.#hash(body, at);
    for (let slot = first; slot < first + PROBES_MAX; slot += 1) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return this.#add(body, at, slot);
      const known = { bytes: this.#bytes, at: (number - 1) * length };
      if (equalBytes(known, { bytes: body, at }, length)) return this.#texts[number - 1] ?? null;
    }
    return this.#read(body, at);
  }

  #read(body: Buffer, at: number): Text | null {
    const end = at + this.#length;
    return isLowerHex(body, at, end) ? this.#share(body.toString('latin1', at, end)) : null;
  }

  #add(body: Buffer, at: number, slot: number): Text | null {
    const text = this.#read(body, at);
    if (text === null) return null;
    if (this.#texts.length === COUNT_MAX) {
      // Those that are repeated are soon known again.
      this.#slots.fill(0);
      this.#texts = [];
      return text;
    }
    this.#bytes.set(body.subarray(at, at + this.#length), this.#texts.length * this.#length);
    this.#slots[slot] = this.#texts.push(text);
    return text;
  }

  /** FNV-1a of the digits of an address: a topic with an address begins with zeros. */
  #hash(body: Buffer, at: number): number {
    const end = at + this.#length;
    let hash = FNV_START;
    for (let index = end - HASHED_DIGITS; index < end; index += 1) {
      hash = Math.imul(hash ^ (body[index] ?? 0), FNV_PRIME);
    }
    return (hash ^ (hash >>> 15)) & (SLOTS - 1);
  }
}

export const ADDRESS_LENGTH = 42;
export const WORD_LENGTH = 66;

/** Topics. */
export const KNOWN_WORDS = new KnownHex(WORD_LENGTH, (text) => text);
/** Emitters and senders. */
export const KNOWN_ACCOUNTS = new KnownHex(ADDRESS_LENGTH, (text) => KNOWN_ADDRESSES.find(text));
