// Most of a chain's tokens in the search index: immutable arrays, most liquid token first.
//
// Every list of the indexes is in that order, so the best matches of a rank are read first.

import type { Address } from '../../model/ids.ts';
import { buildFieldIndex } from './build-field-index.ts';
import { buildExactIndex, type ExactArrays, findCandidates } from './exact-index.ts';
import { type FieldArrays, FieldIndex, TEXT_START } from './field-index.ts';
import { findTypos } from './find-typos.ts';
import { foldText } from './fold-text.ts';
import { type Found, type Listing, toLiquidityWeight } from './listing.ts';
import { RANKS, type SearchQuery } from './match-text.ts';
import { type AddressArrays, PackedAddresses, packAddresses } from './packed-addresses.ts';
import { buildVocabulary, Vocabulary, type VocabularyArrays } from './vocabulary.ts';

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
  weighed.sort((a, b) => b.weight - a.weight || (a.listing.token < b.listing.token ? -1 : 1));
  const symbols = weighed.map(({ listing }) => foldText(listing.symbol ?? ''));
  const names = weighed.map(({ listing }) => foldText(listing.name ?? ''));
  return {
    symbols: buildTexts(symbols),
    names: buildTexts(names),
    vocabulary: buildVocabulary(symbols, names),
    addresses: packAddresses(weighed.map(({ listing }) => listing.token)),
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

  findPrefix(text: string): Generator<number> {
    return this.parts.find(Buffer.concat([Buffer.of(TEXT_START), Buffer.from(text)]));
  }

  findPart(text: string): Generator<number> {
    return this.parts.find(Buffer.from(text));
  }
}

export class Segment {
  readonly #symbols: TextIndex;
  readonly #names: TextIndex;
  readonly #vocabulary: Vocabulary;
  readonly #addresses: PackedAddresses;
  readonly #weights: Float64Array;
  /** Tokens that were removed, or are newer among the changes. */
  readonly #gone: Uint8Array;

  constructor(arrays: SegmentArrays) {
    this.#symbols = new TextIndex(arrays.symbols);
    this.#names = new TextIndex(arrays.names);
    this.#vocabulary = new Vocabulary(arrays.vocabulary);
    this.#addresses = new PackedAddresses(arrays.addresses);
    this.#weights = arrays.weights;
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
    for (const { position, rank } of this.#findAll(query)) {
      if (this.#gone[position] === 1 || seen.has(position)) continue;
      seen.add(position);
      const token = this.#addresses.at(position);
      if (isHidden(token)) continue;
      found.push({ token, rank, weight: this.#weights[position] ?? 0 });
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Tokens by rank, then in order; some appear more than once. */
  *#findAll(query: SearchQuery): Generator<{ readonly position: number; readonly rank: number }> {
    const { text } = query;
    const [symbols, names] = [this.#symbols, this.#names];
    for (const position of symbols.findEqual(text)) yield { position, rank: RANKS.symbol };
    for (const position of names.findEqual(text)) yield { position, rank: RANKS.name };
    for (const position of symbols.findPrefix(text)) yield { position, rank: RANKS.symbolPrefix };
    for (const position of names.findPrefix(text)) yield { position, rank: RANKS.namePrefix };
    for (const position of symbols.findPart(text)) yield { position, rank: RANKS.symbolPart };
    for (const position of names.findPart(text)) yield { position, rank: RANKS.namePart };
    if (query.edits === 0) return;
    if (query.isWord) yield* this.#vocabulary.findTypos(query);
    else yield* findTypos(this.#names.parts, query);
  }
}
