// The distinct symbols and words of names, each with its tokens. Typos are searched here, since
// there are far fewer words than tokens.
//
// Words are in the order of their first token, so the words of the most liquid tokens come first.

import { buildFieldIndex } from './build-field-index.ts';
import { type FieldArrays, FieldIndex } from './field-index.ts';
import { findTypos } from './find-typos.ts';
import type { SearchQuery } from './match-text.ts';

/** The tokens that match a query with one rank. */
export interface RankMatches {
  readonly rank: number;
  /** Their positions, ascending; those from `end` on may be left out, and some come twice. */
  find(end: number): Iterable<number>;
}

export interface VocabularyArrays {
  readonly words: FieldArrays;
  /** The start of each word's tokens; one more entry than there are words. */
  readonly starts: Uint32Array;
  /** Token positions, ascending for each word. */
  readonly tokens: Uint32Array;
}

/** Shorter words cannot be within the typos of any allowed query. */
const WORD_LENGTH_MIN = 3;

function listWords(symbol: string, name: string): Set<string> {
  const words = new Set([symbol, ...name.split(' ')]);
  for (const word of words) if (word.length < WORD_LENGTH_MIN) words.delete(word);
  return words;
}

export function buildVocabulary(
  symbols: readonly string[],
  names: readonly string[],
): VocabularyArrays {
  const ids = new Map<string, number>();
  const counts: number[] = [];
  const idsOfTokens: number[][] = symbols.map((symbol, position) =>
    Array.from(listWords(symbol, names[position] ?? ''), (word) => {
      const id = ids.get(word) ?? ids.size;
      ids.set(word, id);
      counts[id] = (counts[id] ?? 0) + 1;
      return id;
    }),
  );
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, id) => {
    starts[id + 1] = (starts[id] ?? 0) + count;
  });
  const tokens = new Uint32Array(starts[counts.length] ?? 0);
  const cursors = starts.slice();
  idsOfTokens.forEach((wordIds, position) => {
    for (const id of wordIds) {
      const at = cursors[id] ?? 0;
      tokens[at] = position;
      cursors[id] = at + 1;
    }
  });
  return { words: buildFieldIndex([...ids.keys()]), starts, tokens };
}

export class Vocabulary {
  readonly #arrays: VocabularyArrays;
  readonly #words: FieldIndex;

  constructor(arrays: VocabularyArrays) {
    this.#arrays = arrays;
    this.#words = new FieldIndex(arrays.words);
  }

  /** Tokens with a word that is typing errors away, by rank. */
  findTypos(query: SearchQuery): readonly RankMatches[] {
    const byRank = Map.groupBy(findTypos(this.#words, query), ({ rank }) => rank);
    return Array.from(byRank, ([rank, found]) => {
      const words = found.map(({ position }) => position);
      return { rank, find: () => this.#mergeTokens(words) };
    });
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
