// Search over one chain's tokens: a segment with most of them, and the changes since.

import { foldText } from '../../lib/clean-text.ts';
import type { Address } from '../../model/ids.ts';
import { computeLetterMask, mayBeWithin } from './edit-distance.ts';
import { compareFound, type Found, type Listing } from './listing.ts';
import { isWhole, type Match, matchText, matchTypos, type TokenTexts } from './match-text.ts';
import { ESTABLISHED_POINTS } from './prominence.ts';
import { type SearchQuery, toPoints } from './search-query.ts';
import { type SearchBounds, Segment, type SegmentArrays } from './segment.ts';
import { joinWords, listTokenWords } from './words.ts';

/** A token whose texts or prominence are newer than the segment. */
interface Change extends TokenTexts {
  readonly token: Address;
  readonly prominence: number;
  /** For typos: the words, and the whole name. */
  readonly letters: readonly Letters[];
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

function buildChange({ token, isVerified, prominence, ...texts }: Listing): Change {
  const symbol = foldText(texts.symbol ?? '');
  const name = foldText(texts.name ?? '');
  const words = listTokenWords(symbol, name);
  return {
    ...{ token, symbol, name, joined: joinWords(name), words, isVerified, prominence },
    letters: Array.from(words, readLetters),
    whole: readLetters(name),
  };
}

function toFound({ token, prominence }: Change, { kind, points }: Match): Found {
  return { token, kind, score: points + prominence, prominence };
}

function matchLetters(query: SearchQuery, { points, mask }: Letters): Match | null {
  if (!mayBeWithin(mask, query.letterMask, query.edits)) return null;
  return matchTypos(query, points);
}

/** The match of a token by typing errors. */
function matchChangeByTypos(query: SearchQuery, change: Change): Match | null {
  if (!query.isWord) return matchLetters(query, change.whole);
  let best: Match | null = null;
  for (const word of change.letters) {
    const match = matchLetters(query, word);
    if (match !== null && (best === null || match.points > best.points)) best = match;
  }
  return best;
}

/** What a search found on one chain. */
interface ChainMatches {
  /** The best tokens that match without typing errors, in order. */
  readonly found: readonly Found[];
  /** Whether an established token matches wholly, shown or not. */
  readonly hasEstablished: boolean;
  /** Tokens that match with typing errors only. They take much longer to find. */
  readonly findTypos: () => readonly Found[];
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

  search(query: SearchQuery, bounds: SearchBounds): ChainMatches {
    const { limit } = bounds;
    const inSegment = this.#segment?.search(query, bounds);
    const inChanges = this.#matchChanges(query, bounds);
    const found = [...(inSegment?.found ?? []), ...inChanges.found];
    const hasEstablished = inSegment?.hasEstablished === true || inChanges.hasEstablished;
    const findTypos = () => {
      const known = new Set(found.map(({ token }) => token));
      return [
        ...(this.#segment?.searchTypos(query, { ...bounds, limit: limit + found.length }) ?? []),
        ...this.#matchTypos(query, inChanges.others, bounds),
      ].filter(({ token }) => !known.has(token));
    };
    return { found: found.sort(compareFound).slice(0, limit), hasEstablished, findTypos };
  }

  #matchChanges(query: SearchQuery, { isHidden }: SearchBounds) {
    const found: Found[] = [];
    const others: Change[] = [];
    let hasEstablished = false;
    for (const change of this.#changes.values()) {
      if (change === null) continue;
      const match = matchText(query, change);
      if (match === null) others.push(change);
      else {
        hasEstablished ||= change.prominence >= ESTABLISHED_POINTS && isWhole(match);
        if (!isHidden(change.token)) found.push(toFound(change, match));
      }
    }
    return { found, others, hasEstablished };
  }

  #matchTypos(
    query: SearchQuery,
    changes: readonly Change[],
    { isHidden }: SearchBounds,
  ): readonly Found[] {
    return changes.flatMap((change) => {
      const match = matchChangeByTypos(query, change);
      return match === null || isHidden(change.token) ? [] : [toFound(change, match)];
    });
  }

  #set(token: Address, change: Change | null): void {
    this.#segment?.remove(token);
    this.#changes.set(token, change);
    this.#sinceBegun?.set(token, change);
  }
}
