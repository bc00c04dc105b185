// Builds the arrays of a field index: the texts, their runs of bytes, and the lists of those.

import {
  type FieldArrays,
  RUN_LENGTH_MAX,
  RUN_SPACE,
  TEXT_END,
  TEXT_START,
  toListedShare,
  toRun,
} from './field-index.ts';

/** Lists this short are always worth having. */
const LIST_COUNT_MIN = 64;

/** Marks a run that gets no list. */
const UNLISTED = -1;

interface PackedTexts {
  readonly texts: Uint8Array;
  readonly starts: Uint32Array;
}

function packTexts(texts: readonly string[]): PackedTexts {
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text) + 2;
  const bytes = Buffer.alloc(length);
  const starts = new Uint32Array(texts.length + 1);
  let at = 0;
  texts.forEach((text, index) => {
    starts[index] = at;
    bytes[at] = TEXT_START;
    at += 1 + bytes.write(text, at + 1);
    bytes[at] = TEXT_END;
    at += 1;
  });
  starts[texts.length] = at;
  return { texts: new Uint8Array(bytes.buffer, bytes.byteOffset, length), starts };
}

/** Numbers the runs that occur, in the order of the runs; 0 is none. */
function numberRuns(texts: Uint8Array): { readonly ids: Uint32Array; readonly runs: Uint32Array } {
  const ids = new Uint32Array(RUN_SPACE);
  let count = 0;
  for (let at = 0; at < texts.length; at += 1) {
    for (let length = 1; length <= RUN_LENGTH_MAX; length += 1) {
      // A run that reaches into the next text is never asked for, and costs a number at most.
      const run = toRun(texts, at, length);
      if (ids[run] !== 0) continue;
      ids[run] = 1;
      count += 1;
    }
  }
  const runs = new Uint32Array(count);
  let id = 0;
  for (let run = 0; run < RUN_SPACE; run += 1) {
    if (ids[run] === 0) continue;
    runs[id] = run;
    id += 1;
    ids[run] = id;
  }
  return { ids, runs };
}

/** Calls back once for each text and each run in it, with the distance to the text before. */
function forEachRun(
  packed: PackedTexts,
  numbered: { readonly ids: Uint32Array; readonly runs: Uint32Array },
  visit: (position: number, step: number) => void,
): void {
  const { texts, starts } = packed;
  const last = new Int32Array(numbered.runs.length).fill(-1);
  for (let index = 0; index + 1 < starts.length; index += 1) {
    const end = starts[index + 1] ?? 0;
    for (let at = starts[index] ?? 0; at < end; at += 1) {
      for (let length = 1; length <= RUN_LENGTH_MAX && at + length <= end; length += 1) {
        const position = (numbered.ids[toRun(texts, at, length)] ?? 0) - 1;
        const before = last[position] ?? -1;
        if (before === index) continue;
        last[position] = index;
        visit(position, index - before);
      }
    }
  }
}

function toVarintLength(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1;
  return length;
}

interface MeasuredRuns {
  readonly runs: Uint32Array;
  readonly counts: Uint32Array;
  /** How long each list would be. */
  readonly bytes: Float64Array;
}

/** Where each list begins, the end of all, and where to write (`UNLISTED` for none). */
function placeLists(measured: MeasuredRuns, textCount: number) {
  const { runs, counts, bytes } = measured;
  const offsets = new Uint32Array(runs.length + 1);
  const cursors = new Float64Array(runs.length).fill(UNLISTED);
  let at = 0;
  runs.forEach((run, position) => {
    offsets[position] = at;
    const countMax = Math.max(LIST_COUNT_MIN, toListedShare(run) * textCount);
    if ((counts[position] ?? 0) > countMax) return;
    cursors[position] = at;
    at += bytes[position] ?? 0;
  });
  offsets[runs.length] = at;
  return { offsets, cursors };
}

/** The texts in the order in which they are to be found. */
export function buildFieldIndex(texts: readonly string[]): FieldArrays {
  const packed = packTexts(texts);
  const numbered = numberRuns(packed.texts);
  const { runs } = numbered;
  const counts = new Uint32Array(runs.length);
  const bytes = new Float64Array(runs.length);
  forEachRun(packed, numbered, (position, step) => {
    counts[position] = (counts[position] ?? 0) + 1;
    bytes[position] = (bytes[position] ?? 0) + toVarintLength(step);
  });
  const { offsets, cursors } = placeLists({ runs, counts, bytes }, texts.length);
  const lists = new Uint8Array(offsets[runs.length] ?? 0);
  forEachRun(packed, numbered, (position, step) => {
    let at = cursors[position] ?? UNLISTED;
    if (at === UNLISTED) return;
    let rest = step;
    while (rest >= 0x80) {
      lists[at] = (rest & 0x7f) | 0x80;
      at += 1;
      rest >>>= 7;
    }
    lists[at] = rest;
    cursors[position] = at + 1;
  });
  return { ...packed, runs, counts, offsets, lists };
}
