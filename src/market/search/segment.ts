// The bulk of a chain's tokens as search keeps them: arrays made once, verified tokens first, the
// most liquid first among both kinds.
//
// Every list of the indexes is in that order, so the best matches of a rank are read first.

import type { Address } from '../../model/ids.ts';
import { buildFieldIndex } from './build-field-index.ts';
import { buildExactIndex, type ExactArrays, findCandidates } from './exact-index.ts';
import { type FieldArrays, FieldIndex, TEXT_START } from './field-index.ts';
import { findTypos } from './find-typos.ts';
import { foldText } from './fold-text.ts';
import { type Found, isLiquid, type Listing, toLiquidityWeight } from './listing.ts';
import { RANKS, type SearchQuery } from './match-text.ts';
import { type AddressArrays, PackedAddresses, packAddresses } from './packed-addresses.ts';
import {
  buildVocabulary,
  type RankMatches,
  Vocabulary,
  type VocabularyArrays,
} from './vocabulary.ts';

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
  /** Verified tokens come first; this is their number. */
  readonly verifiedCount: number;
  readonly weights: Float64Array;
}

function buildTexts(texts: readonly string[]): TextArrays {
  return { parts: buildFieldIndex(texts), exact: buildExactIndex(texts) };
}

export function buildSegment(listings: readonly Listing[]): SegmentArrays {
  const weighed = listings.map((listing) => ({
    listing,
    weight: toLiquidityWeight(listing.liquidityUsdE18),
  }));
  weighed.sort(
    (a, b) =>
      Number(b.listing.isVerified) - Number(a.listing.isVerified) ||
      b.weight - a.weight ||
      (a.listing.token < b.listing.token ? -1 : 1),
  );
  const symbols = weighed.map(({ listing }) => foldText(listing.symbol ?? ''));
  const names = weighed.map(({ listing }) => foldText(listing.name ?? ''));
  return {
    symbols: buildTexts(symbols),
    names: buildTexts(names),
    vocabulary: buildVocabulary(symbols, names),
    addresses: packAddresses(weighed.map(({ listing }) => listing.token)),
    verifiedCount: listings.filter(({ isVerified }) => isVerified).length,
    weights: Float64Array.from(weighed, ({ weight }) => weight),
  };
}

/** One field of all tokens, searched by equality, prefix and substring. */
class TextIndex {
  readonly parts: FieldIndex;
  readonly #exact: ExactArrays;

  constructor(arrays: TextArrays) {
    this.parts = new FieldIndex(arrays.parts);
    this.#exact = arrays.exact;
  }

  *findEqual(text: string): Generator<number> {
    for (const position of findCandidates(this.#exact, text)) {
      if (this.parts.textAt(position) === text) yield position;
    }
  }

  findPrefix(text: string, end: number): Generator<number> {
    return this.parts.find(Buffer.concat([Buffer.of(TEXT_START), Buffer.from(text)]), { end });
  }

  findPart(text: string, end: number): Generator<number> {
    return this.parts.find(Buffer.from(text), { end });
  }
}

export class Segment {
  readonly #symbols: TextIndex;
  readonly #names: TextIndex;
  readonly #vocabulary: Vocabulary;
  readonly #addresses: PackedAddresses;
  readonly #verifiedCount: number;
  /** Verified or liquid tokens come first; this is their number. */
  readonly #establishedCount: number;
  readonly #weights: Float64Array;
  /** Tokens that were removed, or are newer among the changes. */
  readonly #gone: Uint8Array;

  constructor(arrays: SegmentArrays) {
    this.#symbols = new TextIndex(arrays.symbols);
    this.#names = new TextIndex(arrays.names);
    this.#vocabulary = new Vocabulary(arrays.vocabulary);
    this.#addresses = new PackedAddresses(arrays.addresses);
    this.#weights = arrays.weights;
    this.#verifiedCount = arrays.verifiedCount;
    const unverified = arrays.weights.subarray(arrays.verifiedCount);
    const liquidCount = unverified.findIndex((weight) => !isLiquid(weight));
    this.#establishedCount = liquidCount === -1 ? this.size : this.#verifiedCount + liquidCount;
    this.#gone = new Uint8Array(arrays.weights.length);
  }

  get size(): number {
    return this.#weights.length;
  }

  remove(token: Address): void {
    const position = this.#addresses.find(token);
    if (position !== null) this.#gone[position] = 1;
  }

  /** The best `limit` tokens, in order; `isHidden` excludes tokens. */
  search(
    query: SearchQuery,
    limit: number,
    isHidden: (token: Address) => boolean,
  ): readonly Found[] {
    const found: Found[] = [];
    const seen = new Set<number>();
    const add = (position: number, rank: number) => {
      if (this.#gone[position] === 1 || seen.has(position)) return;
      seen.add(position);
      const token = this.#addresses.at(position);
      if (isHidden(token)) return;
      const weight = this.#weights[position] ?? 0;
      found.push({ token, rank, isVerified: position < this.#verifiedCount, weight });
    };
    for (const { position, rank } of this.#findAll(query)) {
      add(position, rank);
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Tokens in the order of `compareFound`; some more than once. */
  *#findAll(query: SearchQuery): Generator<{ readonly position: number; readonly rank: number }> {
    yield* this.#inGroups(this.#findExact(query));
    if (query.edits > 0) yield* this.#inGroups(this.#findTypos(query));
  }

  /** Established tokens of every rank, then the others. */
  *#inGroups(
    ranks: readonly RankMatches[],
  ): Generator<{ readonly position: number; readonly rank: number }> {
    for (const end of [this.#establishedCount, this.size]) {
      for (const { rank, find } of ranks) {
        for (const position of find(end)) {
          if (position >= end) break;
          yield { position, rank };
        }
      }
    }
  }

  #findExact({ text }: SearchQuery): readonly RankMatches[] {
    const [symbols, names] = [this.#symbols, this.#names];
    return [
      { rank: RANKS.symbol, find: () => symbols.findEqual(text) },
      { rank: RANKS.name, find: () => names.findEqual(text) },
      { rank: RANKS.symbolPrefix, find: (end) => symbols.findPrefix(text, end) },
      { rank: RANKS.namePrefix, find: (end) => names.findPrefix(text, end) },
      { rank: RANKS.symbolPart, find: (end) => symbols.findPart(text, end) },
      { rank: RANKS.namePart, find: (end) => names.findPart(text, end) },
    ];
  }

  #findTypos(query: SearchQuery): readonly RankMatches[] {
    if (query.isWord) return this.#vocabulary.findTypos(query);
    const byRank = Map.groupBy(findTypos(this.#names.parts, query), ({ rank }) => rank);
    return Array.from(byRank, ([rank, found]) => {
      const positions = found.map(({ position }) => position);
      return { rank, find: () => positions };
    });
  }
}
