// How well a token's texts match a query: the ranks of search, the best first.

import { toEditDistance, toEditsAllowed } from './edit-distance.ts';

/** In the order of their rank. */
export const MATCH_KINDS = [
  'address',
  'symbol',
  'name',
  'symbolPrefix',
  'namePrefix',
  'symbolPart',
  'namePart',
  'oneEdit',
  'twoEdits',
] as const;

export type MatchKind = (typeof MATCH_KINDS)[number];

export const RANKS = Object.fromEntries(MATCH_KINDS.map((kind, rank) => [kind, rank])) as Readonly<
  Record<MatchKind, number>
>;

export function toMatchKind(rank: number): MatchKind {
  const kind = MATCH_KINDS[rank];
  if (kind === undefined) throw new RangeError(`no match has the rank ${rank}`);
  return kind;
}

/** A query, folded and ready to be compared. */
export interface SearchQuery {
  readonly text: string;
  readonly points: readonly number[];
  readonly edits: number;
  /** A query of one word is compared with each word of a name, too. */
  readonly isWord: boolean;
}

export function toPoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

export function toSearchQuery(folded: string): SearchQuery {
  const points = toPoints(folded);
  return {
    text: folded,
    points,
    edits: toEditsAllowed(points.length),
    isWord: !folded.includes(' '),
  };
}

/** The rank without typing errors; null where neither symbol nor name holds the text. */
export function toExactRank(query: SearchQuery, symbol: string, name: string): number | null {
  const { text } = query;
  if (symbol === text) return RANKS.symbol;
  if (name === text) return RANKS.name;
  if (symbol.startsWith(text)) return RANKS.symbolPrefix;
  if (name.startsWith(text)) return RANKS.namePrefix;
  if (symbol.includes(text)) return RANKS.symbolPart;
  if (name.includes(text)) return RANKS.namePart;
  return null;
}

const SPACE = 0x20;

/** A text's characters, and those of its words where it has several. */
export function toSpellings(points: ArrayLike<number>): readonly ArrayLike<number>[] {
  const all = Array.from(points);
  const spellings: ArrayLike<number>[] = [points];
  if (!all.includes(SPACE)) return spellings;
  for (let from = 0; from <= all.length; ) {
    const space = all.indexOf(SPACE, from);
    const to = space === -1 ? all.length : space;
    spellings.push(all.slice(from, to));
    from = to + 1;
  }
  return spellings;
}

/** The rank by typing errors against the nearest spelling; null where there are too many. */
export function toTypoRank(
  query: SearchQuery,
  spellings: readonly ArrayLike<number>[],
): number | null {
  if (query.edits === 0) return null;
  let best = query.edits + 1;
  for (const spelling of spellings) {
    best = Math.min(best, toEditDistance(query.points, spelling, query.edits));
    // A query of several words is compared with the whole text only, which comes first.
    if (best <= 1 || !query.isWord) break;
  }
  if (best > query.edits) return null;
  return best === 2 ? RANKS.twoEdits : RANKS.oneEdit;
}
