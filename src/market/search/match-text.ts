// How well a token's texts match a query: the ranks of search, best first.

import { MATCH_KINDS } from '../../contract/schemas/market-schemas.ts';
import { computeEditDistance, computeLetterMask, pickEditsAllowed } from './edit-distance.ts';

export type MatchKind = (typeof MATCH_KINDS)[number];

export const RANKS = Object.fromEntries(MATCH_KINDS.map((kind, rank) => [kind, rank])) as Readonly<
  Record<MatchKind, number>
>;

export function findMatchKind(rank: number): MatchKind {
  const kind = MATCH_KINDS[rank];
  if (kind === undefined) throw new RangeError(`unknown match rank ${rank}`);
  return kind;
}

/** A normalised query, ready for comparison. */
export interface SearchQuery {
  readonly text: string;
  readonly points: readonly number[];
  readonly letterMask: number;
  readonly edits: number;
  /** A single word is compared with each word of a name, several words with the whole name. */
  readonly isWord: boolean;
}

export function toPoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

export function parseSearchQuery(folded: string): SearchQuery {
  const points = toPoints(folded);
  return {
    text: folded,
    points,
    letterMask: computeLetterMask(points),
    edits: pickEditsAllowed(points.length),
    isWord: !folded.includes(' '),
  };
}

/** The rank without typos; null if neither symbol nor name contains the text. */
export function rankExactMatch(query: SearchQuery, symbol: string, name: string): number | null {
  const { text } = query;
  if (symbol === text) return RANKS.symbol;
  if (name === text) return RANKS.name;
  if (symbol.startsWith(text)) return RANKS.symbolPrefix;
  if (name.startsWith(text)) return RANKS.namePrefix;
  if (symbol.includes(text)) return RANKS.symbolPart;
  if (name.includes(text)) return RANKS.namePart;
  return null;
}

/** The rank by typos between a query and a whole text; null if there are too many. */
export function rankTypoMatch(query: SearchQuery, points: ArrayLike<number>): number | null {
  const edits = computeEditDistance(query.points, points, query.edits);
  if (query.edits === 0 || edits > query.edits) return null;
  return edits === 2 ? RANKS.twoEdits : RANKS.oneEdit;
}
