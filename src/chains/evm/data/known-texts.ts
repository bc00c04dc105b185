// Hex texts that logs repeat: tokens, pools, and owners in topics. Whoever keeps one shares the
// string with all others, and a lookup by it compares no characters.

import { BoundedMap } from '../../../lib/bounded-map.ts';

/** Enough for what a few thousand blocks repeat. */
const COUNT_MAX = 20_000;

export class KnownTexts<Text extends string> {
  readonly #texts = new BoundedMap<string, Text>(COUNT_MAX);
  readonly #parse: (text: string) => Text | null;

  /** `parse` is called once for a text, and again if it was forgotten. */
  constructor(parse: (text: string) => Text | null) {
    this.#parse = parse;
  }

  /** Null if the text cannot be parsed. */
  find(text: string): Text | null {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const parsed = this.#parse(text);
    if (parsed !== null) this.#texts.set(text, parsed);
    return parsed;
  }
}

/** A part of a longer text keeps all of that in memory; its copy does not. */
export function copyText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
