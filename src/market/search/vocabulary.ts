// The distinct symbols and words of names, each with its tokens. Whole words and typos are searched
// here, since there are far fewer words than tokens.
//
// Words are in the order of their first token, so the words of the most prominent tokens come
// first.

import { buildFieldIndex } from './build-field-index.ts';
import { buildExactIndex, type ExactArrays, findCandidates } from './exact-index.ts';
import { type FieldArrays, FieldIndex } from './field-index.ts';
import { findTypos } from './find-typos.ts';
import type { MatchStream } from './merge-matches.ts';
import type { SearchQuery } from './search-query.ts';
import { listTokenWords } from './words.ts';

export interface VocabularyArrays {
  readonly words: FieldArrays;
  readonly exact: ExactArrays;
  /** The start of each word's tokens; one more entry than there are words. */
  readonly starts: Uint32Array;
  /** Token positions, ascending for each word. */
  readonly tokens: Uint32Array;
}

/** How many tokens of the rarest word are looked at for the other words of a query. */
const LOOKED_AT_MAX = 20_000;

export function buildVocabulary(
  symbols: readonly string[],
  names: readonly string[],
): VocabularyArrays {
  const ids = new Map<string, number>();
  const counts: number[] = [];
  // The words of all tokens one after the other: a list for each token would take a lot of memory.
  const idsOfTokens: number[] = [];
  const ends = new Uint32Array(symbols.length);
  symbols.forEach((symbol, position) => {
    for (const word of listTokenWords(symbol, names[position] ?? '')) {
      const id = ids.get(word) ?? ids.size;
      ids.set(word, id);
      counts[id] = (counts[id] ?? 0) + 1;
      idsOfTokens.push(id);
    }
    ends[position] = idsOfTokens.length;
  });
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, id) => {
    starts[id + 1] = (starts[id] ?? 0) + count;
  });
  const tokens = new Uint32Array(starts[counts.length] ?? 0);
  const cursors = starts.slice();
  let index = 0;
  ends.forEach((end, position) => {
    for (; index < end; index += 1) {
      const id = idsOfTokens[index] ?? 0;
      const at = cursors[id] ?? 0;
      tokens[at] = position;
      cursors[id] = at + 1;
    }
  });
  const words = [...ids.keys()];
  return { words: buildFieldIndex(words), exact: buildExactIndex(words), starts, tokens };
}

/** Whether a sorted list has a value. */
function includesSorted(list: Uint32Array, value: number): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return list[low] === value;
}

export class Vocabulary {
  readonly #arrays: VocabularyArrays;
  readonly #words: FieldIndex;

  constructor(arrays: VocabularyArrays) {
    this.#arrays = arrays;
    this.#words = new FieldIndex(arrays.words);
  }

  /** Tokens that have all the words. */
  *findAll(words: readonly string[]): Generator<number> {
    const lists: Uint32Array[] = [];
    for (const word of words) {
      const list = this.#findTokens(word);
      if (list === null) return;
      lists.push(list);
    }
    const [rarest, ...others] = lists.sort((a, b) => a.length - b.length);
    if (rarest === undefined) return;
    const end = others.length === 0 ? rarest.length : Math.min(rarest.length, LOOKED_AT_MAX);
    for (let index = 0; index < end; index += 1) {
      const token = rarest[index] ?? 0;
      if (others.every((list) => includesSorted(list, token))) yield token;
    }
  }

  /** Tokens with a word that is typing errors away, by match. */
  findTypos(query: SearchQuery): readonly MatchStream[] {
    return Array.from(findTypos(this.#words, query), ([match, words]) => ({
      match,
      positions: this.#mergeTokens(words),
    }));
  }

  #findTokens(word: string): Uint32Array | null {
    const { starts, tokens, exact } = this.#arrays;
    for (const id of findCandidates(exact, word)) {
      if (this.#words.textAt(id) === word) return tokens.subarray(starts[id], starts[id + 1]);
    }
    return null;
  }

  /** The tokens of several words in order; a token with two of them appears twice. */
  *#mergeTokens(words: readonly number[]): Generator<number> {
    const { starts, tokens } = this.#arrays;
    const next = words.map((word) => starts[word] ?? 0);
    const ends = words.map((word) => starts[word + 1] ?? 0);
    for (;;) {
      let best = -1;
      let first = Number.POSITIVE_INFINITY;
      for (let index = 0; index < next.length; index += 1) {
        const at = next[index] ?? 0;
        const token = at < (ends[index] ?? 0) ? (tokens[at] ?? 0) : Number.POSITIVE_INFINITY;
        if (token < first) [first, best] = [token, index];
      }
      if (best === -1) return;
      next[best] = (next[best] ?? 0) + 1;
      yield first;
    }
  }
}
