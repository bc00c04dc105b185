// The bulk of a chain's tokens as search keeps them: arrays made once, the most prominent first.
//
// Every list of the indexes is in that order, so the best matches of each kind are read first.

import { foldText } from '../../lib/fold-text.ts';
import type { Address } from '../../model/ids.ts';
import { buildFieldIndex } from './build-field-index.ts';
import { buildExactIndex, type ExactArrays, findCandidates } from './exact-index.ts';
import { type FieldArrays, FieldIndex, TEXT_START } from './field-index.ts';
import { findTypos } from './find-typos.ts';
import type { Found, Listing } from './listing.ts';
import { beginsWords, isAtAddress, isWhole, MATCHES, type Match } from './match-text.ts';
import { MatchMerger, type MatchStream } from './merge-matches.ts';
import { type AddressArrays, PackedAddresses, packAddresses } from './packed-addresses.ts';
import { ESTABLISHED_POINTS, VERIFIED_POINTS } from './prominence.ts';
import { type AddressPart, type SearchQuery, WRAPPED } from './search-query.ts';
import { buildVocabulary, Vocabulary, type VocabularyArrays } from './vocabulary.ts';
import { joinWords } from './words.ts';

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
