// Search over one chain's tokens: a segment with most of them, and the changes since.

import type { Address } from '../../model/ids.ts';
import { computeLetterMask, mayBeWithin } from './edit-distance.ts';
import { foldText } from './fold-text.ts';
import { compareFound, type Found, type Listing, toLiquidityWeight } from './listing.ts';
import { RANKS, rankExactMatch, rankTypoMatch, type SearchQuery, toPoints } from './match-text.ts';
import { Segment, type SegmentArrays } from './segment.ts';

/** A token whose texts or liquidity are newer than the segment. */
interface Change {
  readonly symbol: string;
  readonly name: string;
  readonly isVerified: boolean;
  readonly weight: number;
  /** For typos: the symbol and the words of the name, and the whole name. */
  readonly words: readonly Letters[];
  readonly whole: Letters;
}

interface Letters {
  readonly points: readonly number[];
  readonly mask: number;
}

function readLetters(text: string): Letters {
  const points = toPoints(text);
  return { points, mask: computeLetterMask(points) };
}

function buildChange(listing: Listing): Change {
  const symbol = foldText(listing.symbol ?? '');
  const name = foldText(listing.name ?? '');
  return {
    symbol,
    name,
    isVerified: listing.isVerified,
    weight: toLiquidityWeight(listing.liquidityUsdE18),
    words: [symbol, ...name.split(' ')].map(readLetters),
    whole: readLetters(name),
  };
}

function toFound(token: Address, rank: number, { isVerified, weight }: Change): Found {
  return { token, rank, isVerified, weight };
}

function rankLetters(query: SearchQuery, { points, mask }: Letters): number | null {
  if (!mayBeWithin(mask, query.letterMask, query.edits)) return null;
  return rankTypoMatch(query, points);
}

/** The typo rank of a token that does not match exactly. */
function rankChangeByTypos(query: SearchQuery, change: Change): number | null {
  if (!query.isWord) return rankLetters(query, change.whole);
  let best: number | null = null;
  for (const word of change.words) {
    const rank = rankLetters(query, word);
    if (rank !== null && (best === null || rank < best)) best = rank;
  }
  return best;
}

export class ChainSearch {
  #segment: Segment | null = null;
  /** Scanned for each search, so it must stay small; null means that the token is gone. */
  #changes = new Map<Address, Change | null>();
  /** Changes since the build of a new segment began; the segment will not include them. */
  #sinceBegun: Map<Address, Change | null> | null = null;

  /** How many tokens are scanned for each search. */
  get changeCount(): number {
    return this.#changes.size;
  }

  get tokenCount(): number {
    return (this.#segment?.size ?? 0) + this.#changes.size;
  }

  put(listing: Listing): void {
    this.#set(listing.token, buildChange(listing));
  }

  remove(token: Address): void {
    this.#set(token, null);
  }

  /** The store is read from now on; later changes are newer than the result. */
  begin(): void {
    this.#sinceBegun = new Map();
  }

  /** Replaces everything by these tokens, which are few enough to scan. */
  replaceAll(listings: readonly Listing[]): void {
    const since = this.#sinceBegun ?? new Map<Address, Change | null>();
    this.#segment = null;
    this.#sinceBegun = null;
    this.#changes = new Map(listings.map((listing) => [listing.token, buildChange(listing)]));
    for (const [token, change] of since) this.#changes.set(token, change);
  }

  /** The segment holds everything except the changes since `begin`. */
  setSegment(arrays: SegmentArrays): void {
    this.#segment = new Segment(arrays);
    this.#changes = this.#sinceBegun ?? new Map();
    this.#sinceBegun = null;
    for (const token of this.#changes.keys()) this.#segment.remove(token);
  }

  /** The best `limit` tokens, in order; `isHidden` excludes tokens. */
  search(
    query: SearchQuery,
    limit: number,
    isHidden: (token: Address) => boolean,
  ): readonly Found[] {
    const found = [...(this.#segment?.search(query, limit, isHidden) ?? [])];
    const others: [Address, Change][] = [];
    for (const [token, change] of this.#changes) {
      if (change === null) continue;
      const rank = rankExactMatch(query, change.symbol, change.name);
      if (rank === null) others.push([token, change]);
      else if (!isHidden(token)) found.push(toFound(token, rank, change));
    }
    const exactCount = found.filter(({ rank }) => rank < RANKS.oneEdit).length;
    // Typos rank last, so they are skipped if there are enough exact matches.
    if (query.edits > 0 && exactCount < limit) {
      for (const [token, change] of others) {
        const rank = rankChangeByTypos(query, change);
        if (rank === null || isHidden(token)) continue;
        found.push(toFound(token, rank, change));
      }
    }
    return found.sort(compareFound).slice(0, limit);
  }

  #set(token: Address, change: Change | null): void {
    this.#segment?.remove(token);
    this.#changes.set(token, change);
    this.#sinceBegun?.set(token, change);
  }
}
