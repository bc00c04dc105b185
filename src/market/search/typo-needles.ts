// What a text must hold to be within a few typing errors of a query.
//
// Cut a query into one piece more than there may be errors, and some piece is without one. Errors
// elsewhere do not move the first piece from the start of the text nor the last from its end; a
// piece between them is somewhere in it. Only two letters swapped across a cut spoil two pieces at
// once: such swaps are tried as queries of their own with one error less.

import { TEXT_END, TEXT_START } from './field-index.ts';
import type { SearchQuery } from './match-text.ts';

export interface TypoNeedle {
  readonly field: 'symbols' | 'names';
  readonly needle: Uint8Array;
}

const START = String.fromCharCode(TEXT_START);
const END = String.fromCharCode(TEXT_END);

/** Where a query is cut, its two ends included. */
function toCuts(length: number, pieces: number): number[] {
  return Array.from({ length: pieces + 1 }, (_, cut) => Math.floor((cut * length) / pieces));
}

function swapAt(points: readonly number[], cut: number): number[] {
  const swapped = [...points];
  [swapped[cut - 1], swapped[cut]] = [points[cut] ?? 0, points[cut - 1] ?? 0];
  return swapped;
}

/** With the marks or spaces that a piece at the edge of a text, or of a word, stands beside. */
function toAnchored(
  piece: string,
  at: { readonly first: boolean; readonly last: boolean; readonly byWords: boolean },
): string[] {
  const starts = at.first ? (at.byWords ? [START, ' '] : [START]) : [''];
  const ends = at.last ? (at.byWords ? [END, ' '] : [END]) : [''];
  return starts.flatMap((start) => ends.map((end) => `${start}${piece}${end}`));
}

function* toTexts(points: readonly number[], edits: number, byWords: boolean): Generator<string> {
  const pieces = edits + 1;
  const cuts = toCuts(points.length, pieces);
  for (let piece = 0; piece < pieces; piece += 1) {
    const text = String.fromCodePoint(...points.slice(cuts[piece], cuts[piece + 1]));
    yield* toAnchored(text, { first: piece === 0, last: piece === pieces - 1, byWords });
  }
  if (edits === 0) return;
  for (const cut of cuts.slice(1, -1)) yield* toTexts(swapAt(points, cut), edits - 1, byWords);
}

export function toTypoNeedles(query: SearchQuery): readonly TypoNeedle[] {
  const toNeedles = (field: TypoNeedle['field'], byWords: boolean): TypoNeedle[] =>
    Array.from(new Set(toTexts(query.points, query.edits, byWords)), (text) => ({
      field,
      needle: Buffer.from(text),
    }));
  return [...toNeedles('symbols', false), ...toNeedles('names', query.isWord)];
}
