// The bulk of a chain's tokens as search keeps them: arrays made once, the most prominent first.
//
// Every list of tokens is in that order, so it is read only as far as a token can still be among
// the best. Texts are not indexed by their parts: whatever part of a text is looked for is part of
// one of its words, and there are far fewer words than tokens, so all of them are looked at.

import { foldText } from '../../lib/clean-text.ts';
import type { Address } from '../../model/ids.ts';
import { compareFound, type Found, type Listing } from './listing.ts';
import { isAtAddress, isWhole, MATCHES, type Match, matchText } from './match-text.ts';
import { ESTABLISHED_POINTS } from './prominence.ts';
import { type AddressPart, type SearchQuery, WRAPPED } from './search-query.ts';
import {
  COMPARED_MAX,
  type LetterArrays,
  packLetters,
  packTexts,
  SortedTexts,
  type TextArrays,
} from './sorted-texts.ts';
import { joinWords, listTokenWords } from './words.ts';

/** Plain arrays: a thread builds and transfers them. */
export interface SegmentArrays {
  readonly addresses: TextArrays;
  readonly symbols: TextArrays;
  /** Compared without spaces and punctuation. */
  readonly names: TextArrays;
  readonly nameLetters: LetterArrays;
  /** The distinct symbols and words of names, in the order of their first token. */
  readonly words: TextArrays;
  readonly wordLetters: LetterArrays;
  /** The start of each word's tokens; one more entry than there are words. */
  readonly wordStarts: Uint32Array;
  /** Ascending for each word. */
  readonly wordTokens: Uint32Array;
  readonly verified: Uint8Array;
  readonly prominences: Float64Array;
}

function buildWords(symbols: readonly string[], names: readonly string[]) {
  const ids = new Map<string, number>();
  const counts: number[] = [];
  // The words of all tokens one after the other: a list for each token would take a lot of memory.
  const idsOfTokens: number[] = [];
  const ends = symbols.map((symbol, position) => {
    for (const word of listTokenWords(symbol, names[position] ?? '')) {
      const id = ids.get(word) ?? ids.size;
      ids.set(word, id);
      counts[id] = (counts[id] ?? 0) + 1;
      idsOfTokens.push(id);
    }
    return idsOfTokens.length;
  });
  const wordStarts = new Uint32Array(counts.length + 1);
  counts.forEach((count, id) => {
    wordStarts[id + 1] = (wordStarts[id] ?? 0) + count;
  });
  const wordTokens = new Uint32Array(idsOfTokens.length);
  const cursors = wordStarts.slice();
  let index = 0;
  ends.forEach((end, position) => {
    for (; index < end; index += 1) {
      const id = idsOfTokens[index] ?? 0;
      const at = cursors[id] ?? 0;
      wordTokens[at] = position;
      cursors[id] = at + 1;
    }
  });
  const words = [...ids.keys()];
  return { words: packTexts(words), wordLetters: packLetters(words), wordStarts, wordTokens };
}

function comparePlaces(a: Listing, b: Listing): number {
  return b.prominence - a.prominence || (a.token < b.token ? -1 : 1);
}

export function buildSegment(listings: readonly Listing[]): SegmentArrays {
  const sorted = listings.toSorted(comparePlaces);
  const symbols = sorted.map(({ symbol }) => foldText(symbol ?? ''));
  const names = sorted.map(({ name }) => foldText(name ?? ''));
  return {
    addresses: packTexts(sorted.map(({ token }) => token)),
    symbols: packTexts(symbols),
    names: packTexts(names, joinWords),
    nameLetters: packLetters(names),
    ...buildWords(symbols, names),
    verified: Uint8Array.from(sorted, ({ isVerified }) => Number(isVerified)),
    prominences: Float64Array.from(sorted, ({ prominence }) => prominence),
  };
}

/** Whether an ascending list has a value. */
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

/** What a search without typing errors found. */
interface FoundExactly {
  readonly found: readonly Found[];
  /** Whether an established token matches wholly, shown or not. */
  readonly hasEstablished: boolean;
}

export interface SearchBounds {
  readonly limit: number;
  readonly isHidden: (token: Address) => boolean;
}

/** Tokens that may match. */
interface Candidates {
  /** The best match that they are listed for; a better one is in another list, too. */
  readonly match: Match;
  /** Ascending; some come twice. */
  readonly positions: Iterable<number>;
}

/** How many tokens of the rarest word are looked up among those of a query's other words. */
const LOOKED_AT_MAX = 20_000;
/** How many addresses with the same beginning are looked at. */
const ADDRESSES_MAX = 2000;
/** Tokens of several words are put in order in parts; each is this many times the one before. */
const PART = { first: 1024, growth: 4 } as const;

export class Segment {
  readonly #arrays: SegmentArrays;
  readonly #addresses: SortedTexts;
  readonly #symbols: SortedTexts;
  readonly #names: SortedTexts;
  readonly #words: SortedTexts;
  /** Tokens that were removed, or are newer among the changes. */
  readonly #gone: Uint8Array;

  constructor(arrays: SegmentArrays) {
    this.#arrays = arrays;
    this.#addresses = new SortedTexts(arrays.addresses);
    this.#symbols = new SortedTexts(arrays.symbols);
    this.#names = new SortedTexts(arrays.names, joinWords);
    this.#words = new SortedTexts(arrays.words);
    this.#gone = new Uint8Array(this.size);
  }

  get size(): number {
    return this.#arrays.prominences.length;
  }

  remove(token: Address): void {
    const [position] = this.#addresses.findEqual(token);
    if (position !== undefined) this.#gone[position] = 1;
  }

  /** The best tokens that match without typing errors, in order. */
  search(query: SearchQuery, bounds: SearchBounds): FoundExactly {
    return this.#pickBest(this.#listCandidates(query), bounds, (position) =>
      matchText(query, this.#readTexts(position)),
    );
  }

  /** The best tokens that match with typing errors, in order; some match without as well. */
  searchTypos(query: SearchQuery, bounds: SearchBounds): readonly Found[] {
    const { wordLetters, nameLetters } = this.#arrays;
    const near = query.isWord
      ? this.#words.findTypos(query, wordLetters)
      : this.#names.findTypos(query, nameLetters);
    const candidates = [MATCHES.oneEdit, MATCHES.twoEdits].map((match) => {
      const texts = near.get(match) ?? [];
      return { match, positions: query.isWord ? this.#listTokens(texts) : texts };
    });
    return this.#pickBest(candidates, bounds, (_, match) => match).found;
  }

  #addressAt(position: number): Address {
    return this.#addresses.at(position) as Address;
  }

  #readTexts(position: number) {
    const symbol = this.#symbols.at(position);
    const name = this.#names.at(position);
    return {
      ...{ token: this.#addressAt(position), symbol, name, joined: joinWords(name) },
      ...{ isVerified: this.#arrays.verified[position] === 1 },
      words: listTokenWords(symbol, name),
    };
  }

  #pickBest(
    lists: Iterable<Candidates>,
    { limit, isHidden }: SearchBounds,
    pickMatch: (position: number, match: Match) => Match | null,
  ): FoundExactly {
    const { prominences } = this.#arrays;
    const found: Found[] = [];
    const seen = new Set<number>();
    let hasEstablished = false;
    for (const { match: listed, positions } of lists) {
      let compared = 0;
      for (const position of positions) {
        const prominence = prominences[position] ?? 0;
        const worst = found[limit - 1];
        const isTooLate = worst !== undefined && listed.points + prominence < worst.score;
        if (isTooLate && (hasEstablished || prominence < ESTABLISHED_POINTS)) break;
        if (this.#gone[position] === 1 || seen.has(position)) continue;
        if (compared === COMPARED_MAX) break;
        compared += 1;
        seen.add(position);
        const match = pickMatch(position, listed);
        if (match === null) continue;
        hasEstablished ||= prominence >= ESTABLISHED_POINTS && isWhole(match);
        const token = this.#addressAt(position);
        if (isHidden(token)) continue;
        const one = { token, kind: match.kind, score: match.points + prominence, prominence };
        insertSorted(found, one);
        if (found.length > limit) found.pop();
      }
    }
    return { found, hasEstablished };
  }

  /** Lists of few tokens first, so that others need not be read far. */
  *#listCandidates(query: SearchQuery): Generator<Candidates> {
    const { text, joined, address, aliases, isCoin, isWord } = query;
    const list = (match: Match, positions: Iterable<number>) => ({ match, positions });
    const symbolOf = (wanted: string) => this.#symbols.findEqual(wanted);
    const nameOf = (wanted: string) => this.#names.findEqual(wanted);
    if (address !== null) yield list(MATCHES.address, this.#findAddresses(address));
    yield list(MATCHES.verifiedSymbol, symbolOf(text));
    yield list(MATCHES.verifiedName, nameOf(joined));
    const wrapped = isCoin ? MATCHES.wrapped : MATCHES.wrappedToken;
    yield list(wrapped, symbolOf(WRAPPED.symbol + joined));
    yield list(wrapped, nameOf(WRAPPED.name + joined));
    for (const alias of aliases) {
      yield list(MATCHES.alias, symbolOf(alias.joined));
      yield list(MATCHES.alias, nameOf(alias.joined));
      if (!isCoin) continue;
      yield list(MATCHES.alias, symbolOf(WRAPPED.symbol + alias.joined));
      yield list(MATCHES.alias, nameOf(WRAPPED.name + alias.joined));
    }
    yield list(MATCHES.words, this.#findAll(query.words));
    for (const { words } of aliases) yield list(MATCHES.aliasWords, this.#findAll(words));
    if (isWord) {
      yield list(MATCHES.symbolPrefix, this.#listTokens(this.#words.findBeginning(text)));
      yield list(MATCHES.symbolPart, this.#listTokens(this.#words.findHolding(text)));
    } else {
      yield list(MATCHES.symbolPrefix, this.#findParts(query.spaced));
    }
    for (const run of query.runs) {
      yield list(MATCHES.within, symbolOf(run));
      yield list(MATCHES.within, nameOf(run));
    }
  }

  #findAddresses(part: AddressPart): readonly number[] {
    return Array.from(this.#addresses.findStarting(part.start).subarray(0, ADDRESSES_MAX))
      .filter((position) => isAtAddress(part, this.#addresses.at(position)))
      .sort((a, b) => a - b);
  }

  #tokensOf(word: number): Uint32Array {
    const { wordStarts, wordTokens } = this.#arrays;
    return wordTokens.subarray(wordStarts[word], wordStarts[word + 1]);
  }

  /** Tokens that have all the words. */
  *#findAll(words: readonly string[]): Generator<number> {
    const lists = words.map((word) => {
      const [id] = this.#words.findEqual(word);
      return id === undefined ? new Uint32Array() : this.#tokensOf(id);
    });
    const [rarest, ...others] = lists.sort((a, b) => a.length - b.length);
    for (const position of rarest?.subarray(0, LOOKED_AT_MAX) ?? []) {
      if (others.every((list) => includesSorted(list, position))) yield position;
    }
  }

  /** Tokens with all parts of a text, which were separated by spaces, somewhere in their texts. */
  *#findParts(parts: readonly string[]): Generator<number> {
    // All parts but the first begin a word, wherever the whole text is in a name.
    const listWords = (part: string) =>
      part === parts[0] ? this.#words.findHolding(part) : this.#words.findBeginning(part);
    const counted = parts.map((part) => ({ part, count: this.#countTokens(listWords(part)) }));
    const [rarest, ...others] = counted.sort((a, b) => a.count - b.count);
    if (rarest === undefined) return;
    let compared = 0;
    for (const position of this.#listTokens(listWords(rarest.part))) {
      if (compared === COMPARED_MAX) return;
      compared += 1;
      const text = `${this.#symbols.at(position)} ${this.#names.at(position)}`;
      if (others.every(({ part }) => text.includes(part))) yield position;
    }
  }

  /** How many tokens words have, as far as that matters. */
  #countTokens(words: Iterable<number>): number {
    let count = 0;
    for (const word of words) {
      count += this.#tokensOf(word).length;
      if (count > LOOKED_AT_MAX) break;
    }
    return count;
  }

  /** The tokens of words, in order; one with two of the words comes twice. */
  *#listTokens(words: Iterable<number>): Generator<number> {
    const { wordStarts, wordTokens } = this.#arrays;
    const unread = words[Symbol.iterator]();
    let next = unread.next();
    let lists: { at: number; readonly end: number }[] = [];
    for (let end: number = PART.first; lists.length > 0 || !next.done; end *= PART.growth) {
      // Words come in the order of their first token.
      for (; !next.done; next = unread.next()) {
        const at = wordStarts[next.value] ?? 0;
        if ((wordTokens[at] ?? 0) >= end) break;
        lists.push({ at, end: wordStarts[next.value + 1] ?? 0 });
      }
      const part: number[] = [];
      for (const list of lists) {
        for (; list.at < list.end; list.at += 1) {
          const position = wordTokens[list.at] ?? 0;
          if (position >= end) break;
          part.push(position);
        }
      }
      lists = lists.filter((list) => list.at < list.end);
      yield* Uint32Array.from(part).sort();
    }
  }
}

function insertSorted(found: Found[], one: Found): void {
  let at = found.length;
  while (at > 0 && compareFound(one, found[at - 1] as Found) < 0) at -= 1;
  found.splice(at, 0, one);
}
