// The texts of hex values, found by their bytes in a reply. Logs repeat tokens, pools, owners and
// topics: of a known one no string is made, and whoever keeps it shares it with all others.

import { KNOWN_ADDRESSES } from '../hex-data.ts';
import { equalBytes, isLowerHex } from './hex-bytes.ts';

/**
 * What a few hundred swaps mention; a power of two. More slots would keep young strings alive until
 * they are promoted.
 */
const SLOTS = 4096;
const HASHED_DIGITS = 40;
const FNV_START = 0x811c_9dc5;
const FNV_PRIME = 16_777_619;

/**
 * Values of one length, with their prefix. On a hash collision the newer value replaces the older
 * one.
 */
export class KnownHex<Text extends string> {
  readonly #length: number;
  readonly #share: (text: string) => Text | null;
  readonly #bytes: Uint8Array;
  readonly #texts = new Array<Text | null>(SLOTS).fill(null);

  /** `share` gets a text of lower-case hex with its prefix, and returns the one to share. */
  constructor(length: number, share: (text: string) => Text | null) {
    this.#length = length;
    this.#share = share;
    this.#bytes = new Uint8Array(length * SLOTS);
  }

  /** Null if the bytes are not lower-case hex with a prefix. */
  find(body: Buffer, at: number): Text | null {
    const length = this.#length;
    const slot = this.#hash(body, at);
    const known = this.#texts[slot] ?? null;
    const start = slot * length;
    if (
      known !== null &&
      equalBytes({ bytes: this.#bytes, at: start }, { bytes: body, at }, length)
    ) {
      return known;
    }
    const end = at + length;
    if (!isLowerHex(body, at, end)) return null;
    const text = this.#share(body.toString('latin1', at, end));
    for (let index = 0; index < length; index += 1) {
      this.#bytes[start + index] = body[at + index] ?? 0;
    }
    this.#texts[slot] = text;
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
