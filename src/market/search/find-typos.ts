// Finds texts within a few typos of a query by pieces that they must contain.
//
// If a query is cut into one piece more than the allowed typos, at least one piece has no typo.
// Typos elsewhere do not move the first piece from the start of the text or the last from its end;
// a middle piece may be anywhere. Only a swap across a cut affects two pieces at once: such swaps
// are tried as separate queries with one typo less.

import { type FieldIndex, TEXT_END, TEXT_START } from './field-index.ts';
import { type Match, matchTypos } from './match-text.ts';
import type { SearchQuery } from './search-query.ts';

const START = String.fromCharCode(TEXT_START);
const END = String.fromCharCode(TEXT_END);

/** The positions where a query is cut, including both ends. */
function computeCuts(length: number, pieces: number): number[] {
  return Array.from({ length: pieces + 1 }, (_, cut) => Math.floor((cut * length) / pieces));
}

function swapAt(points: readonly number[], cut: number): number[] {
  const swapped = [...points];
  [swapped[cut - 1], swapped[cut]] = [points[cut] ?? 0, points[cut - 1] ?? 0];
  return swapped;
}

function* cutPieces(points: readonly number[], edits: number): Generator<string> {
  const pieces = edits + 1;
  const cuts = computeCuts(points.length, pieces);
  for (let piece = 0; piece < pieces; piece += 1) {
    const text = String.fromCodePoint(...points.slice(cuts[piece], cuts[piece + 1]));
    yield `${piece === 0 ? START : ''}${text}${piece === pieces - 1 ? END : ''}`;
  }
  if (edits === 0) return;
  for (const cut of cuts.slice(1, -1)) yield* cutPieces(swapAt(points, cut), edits - 1);
}

/** The maximum number of texts to compare per query: those of the most liquid tokens. */
const COMPARED_MAX = 4000;

/** The texts of a field within the allowed typos: their positions, ascending, by match. */
export function findTypos(
  field: FieldIndex,
  query: SearchQuery,
): ReadonlyMap<Match, readonly number[]> {
  const found: { position: number; match: Match }[] = [];
  const compared = new Set<number>();
  const { length } = query.points;
  const span = { min: length - query.edits, max: length + query.edits };
  const needles = [...new Set(cutPieces(query.points, query.edits))];
  // A count of texts, so it must be whole.
  const lookedAtMax = Math.floor(COMPARED_MAX / needles.length);
  for (const needle of needles) {
    for (const position of field.find(Buffer.from(needle), lookedAtMax)) {
      if (compared.has(position) || !field.mayHaveLength(position, span)) continue;
      compared.add(position);
      const match = matchTypos(query, field.pointsAt(position));
      if (match !== null) found.push({ position, match });
    }
  }
  found.sort((a, b) => a.position - b.position);
  return new Map(
    [...Map.groupBy(found, ({ match }) => match)].map(([match, ofMatch]) => [
      match,
      ofMatch.map(({ position }) => position),
    ]),
  );
}
