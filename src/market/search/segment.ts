// The bulk of a chain's tokens as search keeps them: arrays made once, the most liquid token first.
//
// Every list of the indexes is in that order, so whoever wants the best few of a rank reads a few.

import type { Address } from '../../model/market-event.ts';
import { buildFieldIndex } from './build-field-index.ts';
import { type FieldArrays, FieldIndex, TEXT_END, TEXT_START } from './field-index.ts';
import { foldText } from './fold-text.ts';
import { type Found, type Listing, toLiquidityWeight } from './listing.ts';
import { RANKS, type SearchQuery, toSpellings, toTypoRank } from './match-text.ts';
import { type AddressArrays, PackedAddresses, packAddresses } from './packed-addresses.ts';
import { toTypoNeedles } from './typo-needles.ts';

/** Plain arrays: a thread builds them and hands them over. */
export interface SegmentArrays {
  readonly symbols: FieldArrays;
  readonly names: FieldArrays;
  readonly addresses: AddressArrays;
  readonly weights: Float64Array;
}

/** Candidates for a typing error that are compared, of each list: the most liquid ones. */
const TYPO_CANDIDATES_MAX = 2000;

export function buildSegment(listings: readonly Listing[]): SegmentArrays {
  const weighed = listings.map((listing) => ({
    listing,
    weight: toLiquidityWeight(listing.liquidityUsdE18),
  }));
  weighed.sort((a, b) => b.weight - a.weight || (a.listing.token < b.listing.token ? -1 : 1));
  return {
    symbols: buildFieldIndex(weighed.map(({ listing }) => foldText(listing.symbol ?? ''))),
    names: buildFieldIndex(weighed.map(({ listing }) => foldText(listing.name ?? ''))),
    addresses: packAddresses(weighed.map(({ listing }) => listing.token)),
    weights: Float64Array.from(weighed, ({ weight }) => weight),
  };
}

/** The needles of the exact ranks, in the order of the ranks. */
function toExactNeedles(text: string) {
  const bytes = Buffer.from(text);
  const [start, end] = [Buffer.of(TEXT_START), Buffer.of(TEXT_END)];
  return [
    { rank: RANKS.symbol, field: 'symbols', needle: Buffer.concat([start, bytes, end]) },
    { rank: RANKS.name, field: 'names', needle: Buffer.concat([start, bytes, end]) },
    { rank: RANKS.symbolPrefix, field: 'symbols', needle: Buffer.concat([start, bytes]) },
    { rank: RANKS.namePrefix, field: 'names', needle: Buffer.concat([start, bytes]) },
    { rank: RANKS.symbolPart, field: 'symbols', needle: bytes },
    { rank: RANKS.namePart, field: 'names', needle: bytes },
  ] as const;
}

export class Segment {
  readonly #fields: { readonly symbols: FieldIndex; readonly names: FieldIndex };
  readonly #addresses: PackedAddresses;
  readonly #weights: Float64Array;
  /** Tokens that are gone from here: removed, or newer elsewhere. */
  readonly #gone: Uint8Array;

  constructor(arrays: SegmentArrays) {
    this.#fields = {
      symbols: new FieldIndex(arrays.symbols),
      names: new FieldIndex(arrays.names),
    };
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

  /** The best `limit` tokens, in their order; `isHidden` leaves tokens out. */
  search(
    query: SearchQuery,
    limit: number,
    isHidden: (token: Address) => boolean,
  ): readonly Found[] {
    const found: Found[] = [];
    const seen = new Set<number>();
    const add = (position: number, rank: number): void => {
      if (this.#gone[position] === 1 || seen.has(position)) return;
      seen.add(position);
      const token = this.#addresses.at(position);
      if (!isHidden(token)) found.push({ token, rank, weight: this.#weights[position] ?? 0 });
    };
    for (const { rank, field, needle } of toExactNeedles(query.text)) {
      for (const position of this.#fields[field].find(needle)) {
        if (found.length >= limit) return found;
        add(position, rank);
      }
    }
    for (const { position, rank } of this.#findTypos(query)) {
      if (found.length >= limit) return found;
      add(position, rank);
    }
    return found;
  }

  /** Tokens within the edits that the query forgives, in their order. */
  #findTypos(query: SearchQuery): readonly { position: number; rank: number }[] {
    if (query.edits === 0) return [];
    const ranks = new Map<number, number>();
    const looked = { symbols: new Set<number>(), names: new Set<number>() };
    for (const { field, needle } of toTypoNeedles(query)) {
      const index = this.#fields[field];
      for (const position of index.find(needle, TYPO_CANDIDATES_MAX)) {
        if (looked[field].has(position)) continue;
        looked[field].add(position);
        const points = index.pointsAt(position);
        const rank = toTypoRank(query, field === 'names' ? toSpellings(points) : [points]);
        if (rank !== null && rank < (ranks.get(position) ?? Number.POSITIVE_INFINITY)) {
          ranks.set(position, rank);
        }
      }
    }
    return Array.from(ranks, ([position, rank]) => ({ position, rank })).sort(
      (a, b) => a.rank - b.rank || a.position - b.position,
    );
  }
}
