// The bulk of a chain's tokens as search keeps them: arrays made once, the most prominent first.
//
// Every list of the indexes is in that order, so the best matches of each kind are read first.

import { foldText } from '../../lib/clean-text.ts';
import type { Address } from '../../model/ids.ts';
import { buildFieldIndex } from './build-field-index.ts';
import { type FieldArrays, FieldIndex, TEXT_START } from './field-index.ts';
import { findTypos } from './find-typos.ts';
import type { Found, Listing } from './listing.ts';
import { beginsWords, isAtAddress, isWhole, MATCHES, type Match } from './match-text.ts';
import { MatchMerger, type MatchStream } from './merge-matches.ts';
import { type AddressArrays, PackedAddresses, packAddresses } from './packed-addresses.ts';
import { ESTABLISHED_POINTS, VERIFIED_POINTS } from './prominence.ts';
import { type AddressPart, type SearchQuery, WRAPPED } from './search-query.ts';
import { joinWords, listTokenWords } from './words.ts';

// Finds equal texts by hash, in order.

interface ExactArrays {
  /** Hashes of the texts, ascending. */
  readonly hashes: Uint32Array;
  /** The text of each hash; ascending among equal hashes. */
  readonly positions: Uint32Array;
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

function buildExactIndex(texts: readonly string[]): ExactArrays {
  // One 53-bit number sorts by hash and then by position.
  const keys = Float64Array.from(texts, (text, position) => hashText(text) * 2 ** 21 + position);
  if (texts.length > 2 ** 21) return buildLargeIndex(texts);
  keys.sort();
  return {
    hashes: Uint32Array.from(keys, (key) => Math.floor(key / 2 ** 21)),
    positions: Uint32Array.from(keys, (key) => key % 2 ** 21),
  };
}

/** Above two million texts the positions do not fit beside the hash. */
function buildLargeIndex(texts: readonly string[]): ExactArrays {
  const hashes = Uint32Array.from(texts, hashText);
  const order = Uint32Array.from(texts, (_, position) => position);
  order.sort((a, b) => (hashes[a] ?? 0) - (hashes[b] ?? 0) || a - b);
  return { hashes: order.map((position) => hashes[position] ?? 0), positions: order };
}

/** Positions of texts with the same hash, in order: nearly always the equal ones. */
function* findCandidates(arrays: ExactArrays, text: string): Generator<number> {
  const { hashes, positions } = arrays;
  const wanted = hashText(text);
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hashes[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  for (; hashes[low] === wanted; low += 1) yield positions[low] ?? 0;
}

// The distinct symbols and words of names, each with its tokens. Whole words and typos are searched
// here, since there are far fewer words than tokens.
//
// Words are in the order of their first token, so the words of the most prominent tokens come
// first.

interface VocabularyArrays {
  readonly words: FieldArrays;
  readonly exact: ExactArrays;
  /** The start of each word's tokens; one more entry than there are words. */
  readonly starts: Uint32Array;
  /** Token positions, ascending for each word. */
  readonly tokens: Uint32Array;
}

/** How many tokens of the rarest word are looked at for the other words of a query. */
const LOOKED_AT_MAX = 20_000;

function buildVocabulary(symbols: readonly string[], names: readonly string[]): VocabularyArrays {
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

class Vocabulary {
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

interface TextArrays {
  readonly parts: FieldArrays;
  readonly exact: ExactArrays;
}

/** Plain arrays: a thread builds and transfers them. */
export interface SegmentArrays {
  readonly symbols: TextArrays;
  readonly names: TextArrays;
  readonly vocabulary: VocabularyArrays;
  readonly addresses: AddressArrays;
  readonly verified: Uint8Array;
  readonly prominences: Float64Array;
}

/** `toEqual` gives the form in which texts are compared whole. */
function buildTexts(texts: readonly string[], toEqual: (text: string) => string): TextArrays {
  return { parts: buildFieldIndex(texts), exact: buildExactIndex(texts.map(toEqual)) };
}

const toSame = (text: string) => text;

/** The numbers of listings in the order of their addresses, and then of their prominence. */
function orderListings(listings: readonly Listing[]) {
  const numbers = Uint32Array.from(listings.keys());
  const ranks = new Uint32Array(listings.length);
  const isBefore = (a: number, b: number) =>
    (listings[a]?.token ?? '') < (listings[b]?.token ?? '') ? -1 : 1;
  // Listings nearly always come in order of their addresses already.
  numbers.toSorted(isBefore).forEach((number, rank) => {
    ranks[number] = rank;
  });
  const prominences = Float64Array.from(listings, ({ prominence }) => prominence);
  const sorted = numbers.sort(
    (a, b) => (prominences[b] ?? 0) - (prominences[a] ?? 0) || (ranks[a] ?? 0) - (ranks[b] ?? 0),
  );
  return { sorted, ranks: sorted.map((number) => ranks[number] ?? 0) };
}

export function buildSegment(listings: readonly Listing[]): SegmentArrays {
  const { sorted, ranks } = orderListings(listings);
  /** Keeps little at a time: as objects, a million tokens would take too much memory. */
  const pick = <T>(read: (listing: Listing) => T): T[] =>
    Array.from(sorted, (number) => read(listings[number] as Listing));
  const symbols = pick(({ symbol }) => foldText(symbol ?? ''));
  const names = pick(({ name }) => foldText(name ?? ''));
  return {
    symbols: buildTexts(symbols, toSame),
    names: buildTexts(names, joinWords),
    vocabulary: buildVocabulary(symbols, names),
    addresses: packAddresses(
      pick(({ token }) => token),
      ranks,
    ),
    verified: Uint8Array.from(pick(({ isVerified }) => Number(isVerified))),
    prominences: Float64Array.from(pick(({ prominence }) => prominence)),
  };
}

/** One field of all tokens, searched by equality, prefix and substring. */
class TextIndex {
  readonly parts: FieldIndex;
  readonly #exact: ExactArrays;
  readonly #toEqual: (text: string) => string;

  constructor(arrays: TextArrays, toEqual: (text: string) => string) {
    this.parts = new FieldIndex(arrays.parts);
    this.#exact = arrays.exact;
    this.#toEqual = toEqual;
  }

  *findEqual(text: string): Generator<number> {
    for (const position of findCandidates(this.#exact, text)) {
      if (this.#toEqual(this.parts.textAt(position)) === text) yield position;
    }
  }

  findPrefix(text: string): Generator<number> {
    return this.parts.find(Buffer.concat([Buffer.of(TEXT_START), Buffer.from(text)]));
  }

  findPart(text: string): Generator<number> {
    return this.parts.find(Buffer.from(text));
  }
}

/** How many candidates are compared for the beginnings of several words. */
const COMPARED_MAX = 4000;
/** How many addresses with the same beginning are looked at. */
const ADDRESSES_MAX = 2000;

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

export class Segment {
  readonly #symbols: TextIndex;
  readonly #names: TextIndex;
  readonly #vocabulary: Vocabulary;
  readonly #addresses: PackedAddresses;
  readonly #verified: Uint8Array;
  readonly #prominences: Float64Array;
  /** The positions before these ends have at least as many points. */
  readonly #establishedEnd: number;
  readonly #verifiedEnd: number;
  /** Tokens that were removed, or are newer among the changes. */
  readonly #gone: Uint8Array;

  constructor(arrays: SegmentArrays) {
    this.#symbols = new TextIndex(arrays.symbols, toSame);
    this.#names = new TextIndex(arrays.names, joinWords);
    this.#vocabulary = new Vocabulary(arrays.vocabulary);
    this.#addresses = new PackedAddresses(arrays.addresses);
    this.#verified = arrays.verified;
    this.#prominences = arrays.prominences;
    this.#establishedEnd = this.#findEnd(ESTABLISHED_POINTS);
    this.#verifiedEnd = this.#findEnd(VERIFIED_POINTS);
    this.#gone = new Uint8Array(this.size);
  }

  get size(): number {
    return this.#prominences.length;
  }

  remove(token: Address): void {
    const position = this.#addresses.find(token);
    if (position !== null) this.#gone[position] = 1;
  }

  /** The best tokens that match without typing errors, in order. */
  search(query: SearchQuery, bounds: SearchBounds): FoundExactly {
    const merger = new MatchMerger(this.#listStreams(query), this.#prominences);
    const { found, first } = this.#take(merger, bounds);
    const hasEstablished =
      first < this.#establishedEnd ||
      merger.hasWholeBefore(this.#establishedEnd, (position) => this.#gone[position] === 1);
    return { found, hasEstablished };
  }

  /** The best tokens that match with typing errors, in order; some match without as well. */
  searchTypos(query: SearchQuery, bounds: SearchBounds): readonly Found[] {
    const streams = query.isWord
      ? this.#vocabulary.findTypos(query)
      : Array.from(findTypos(this.#names.parts, query), ([match, positions]) => ({
          match,
          positions,
        }));
    return this.#take(new MatchMerger(streams, this.#prominences), bounds).found;
  }

  /** The best matches, and the first position among the whole ones, hidden ones included. */
  #take(merger: MatchMerger, { limit, isHidden }: SearchBounds) {
    const found: Found[] = [];
    const seen = new Set<number>();
    let first = Number.POSITIVE_INFINITY;
    while (found.length < limit) {
      const merged = merger.next();
      if (merged === null) break;
      const { position, match, score } = merged;
      if (this.#gone[position] === 1 || seen.has(position)) continue;
      seen.add(position);
      if (isWhole(match)) first = Math.min(first, position);
      const token = this.#addresses.at(position);
      if (isHidden(token)) continue;
      const prominence = this.#prominences[position] ?? 0;
      found.push({ token, kind: match.kind, score, prominence });
    }
    return { found, first };
  }

  /** The first position with less points. */
  #findEnd(points: number): number {
    const end = this.#prominences.findIndex((prominence) => prominence < points);
    return end === -1 ? this.size : end;
  }

  #listStreams(query: SearchQuery): readonly MatchStream[] {
    const { text, joined, address } = query;
    const [symbols, names] = [this.#symbols, this.#names];
    const stream = (match: Match, positions: Iterable<number>) => ({ match, positions });
    return [
      ...(address === null ? [] : [stream(MATCHES.address, this.#findAddresses(address))]),
      stream(MATCHES.verifiedSymbol, this.#onlyVerified(symbols.findEqual(text))),
      stream(MATCHES.verifiedName, this.#onlyVerified(names.findEqual(joined))),
      stream(MATCHES.symbol, symbols.findEqual(text)),
      ...this.#listWrapped(joined, query.isCoin ? MATCHES.wrapped : MATCHES.wrappedToken),
      stream(MATCHES.name, names.findEqual(joined)),
      ...this.#listAliases(query),
      stream(MATCHES.words, this.#vocabulary.findAll(query.words)),
      stream(MATCHES.symbolPrefix, symbols.findPrefix(text)),
      stream(MATCHES.namePrefix, names.findPrefix(text)),
      stream(MATCHES.wordPrefix, this.#findWordPrefixes(query)),
      ...this.#listWithin(query),
      stream(MATCHES.symbolPart, symbols.findPart(text)),
      stream(MATCHES.namePart, names.findPart(text)),
    ];
  }

  *#findAddresses(part: AddressPart): Generator<number> {
    for (const position of this.#addresses.listStartingWith(part.start, ADDRESSES_MAX)) {
      if (isAtAddress(part, this.#addresses.at(position))) yield position;
    }
  }

  *#onlyVerified(positions: Iterable<number>): Generator<number> {
    for (const position of positions) {
      // A symbol may have thousands of copies; none of them is verified.
      if (position >= this.#verifiedEnd) return;
      if (this.#verified[position] === 1) yield position;
    }
  }

  #listWrapped(text: string, match: Match): readonly MatchStream[] {
    return [
      { match, positions: this.#symbols.findEqual(WRAPPED.symbol + text) },
      { match, positions: this.#names.findEqual(WRAPPED.name + text) },
    ];
  }

  #listAliases({ aliases, isCoin }: SearchQuery): readonly MatchStream[] {
    return aliases.flatMap(({ joined, words }) => [
      { match: MATCHES.alias, positions: this.#symbols.findEqual(joined) },
      { match: MATCHES.alias, positions: this.#names.findEqual(joined) },
      ...(isCoin ? this.#listWrapped(joined, MATCHES.alias) : []),
      { match: MATCHES.aliasWords, positions: this.#vocabulary.findAll(words) },
    ]);
  }

  #listWithin({ runs }: SearchQuery): readonly MatchStream[] {
    const match = MATCHES.within;
    return Array.from(runs).flatMap((run) => [
      { match, positions: this.#symbols.findEqual(run) },
      { match, positions: this.#names.findEqual(run) },
    ]);
  }

  /** Candidates have the rarest word; the other words are compared. */
  *#findWordPrefixes(query: SearchQuery): Generator<number> {
    const [symbols, names] = [this.#symbols, this.#names];
    if (query.isWord) {
      yield* names.findPart(` ${query.text}`);
      return;
    }
    const words = [...new Set(query.spaced)].map((word) => ({ word, bytes: Buffer.from(word) }));
    words.sort((a, b) => names.parts.countAtMost(a.bytes) - names.parts.countAtMost(b.bytes));
    const [{ word: rarest } = { word: query.text }, ...others] = words;
    const match = MATCHES.wordPrefix;
    const streams = [
      symbols.findPrefix(rarest),
      names.findPrefix(rarest),
      names.findPart(` ${rarest}`),
    ].map((positions) => ({ match, positions }));
    const merger = new MatchMerger(streams, this.#prominences);
    for (let compared = 0; compared < COMPARED_MAX; compared += 1) {
      const merged = merger.next();
      if (merged === null) return;
      const { position } = merged;
      // Bytes are compared first, because most candidates lack another word.
      const hasAll = others.every(
        ({ bytes }) => names.parts.holds(position, bytes) || symbols.parts.holds(position, bytes),
      );
      if (!hasAll) continue;
      const symbol = symbols.parts.textAt(position);
      if (beginsWords(query, { symbol, name: names.parts.textAt(position) })) yield position;
    }
  }
}
