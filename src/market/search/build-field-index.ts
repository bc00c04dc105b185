// Builds the arrays of a field index: the texts, their byte runs, and the lists of texts per run.

import {
  type FieldArrays,
  packRun,
  pickListedShare,
  RUN_LENGTH_MAX,
  RUN_SPACE,
  TEXT_END,
  TEXT_START,
} from './field-index.ts';

/** Lists up to this length are always kept. */
const LIST_COUNT_MIN = 64;

/** Marks a run without a list. */
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

/** Numbers the runs that occur, in ascending order; 0 means none. */
function numberRuns(texts: Uint8Array): { readonly ids: Uint32Array; readonly runs: Uint32Array } {
  const ids = new Uint32Array(RUN_SPACE);
  let count = 0;
  for (let at = 0; at < texts.length; at += 1) {
    for (let length = 1; length <= RUN_LENGTH_MAX; length += 1) {
      // A run across two texts is never searched for, and costs only a number.
      const run = packRun(texts, at, length);
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

/** The state of the runs while the lists are built. */
interface RunDrafts {
  readonly counts: Uint32Array;
  /** The length of each list in bytes. */
  readonly bytes: Float64Array;
  /** The write position of each list; `UNLISTED` if there is none. */
  readonly cursors: Float64Array;
}

/**
 * Iterates over the runs of all texts, each once per text: first to measure the lists, then to
 * write them. One function does both, because it dominates the build time.
 */
function passRuns(
  packed: PackedTexts,
  ids: Uint32Array,
  drafts: RunDrafts,
  lists: Uint8Array | null,
): void {
  const { texts, starts } = packed;
  const { counts, bytes, cursors } = drafts;
  const last = new Int32Array(counts.length).fill(-1);
  for (let index = 0; index + 1 < starts.length; index += 1) {
    const end = starts[index + 1] ?? 0;
    for (let at = starts[index] ?? 0; at < end; at += 1) {
      const lengthMax = Math.min(RUN_LENGTH_MAX, end - at);
      for (let length = 1; length <= lengthMax; length += 1) {
        const position = (ids[packRun(texts, at, length)] ?? 0) - 1;
        const before = last[position] ?? -1;
        if (before === index) continue;
        last[position] = index;
        if (lists === null) {
          counts[position] = (counts[position] ?? 0) + 1;
          bytes[position] = (bytes[position] ?? 0) + computeVarintLength(index - before);
        } else if ((cursors[position] ?? UNLISTED) !== UNLISTED) {
          cursors[position] = writeVarint(lists, cursors[position] ?? 0, index - before);
        }
      }
    }
  }
}

/** Returns the next write position. */
function writeVarint(target: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest >= 0x80) {
    target[at] = (rest & 0x7f) | 0x80;
    at += 1;
    rest >>>= 7;
  }
  target[at] = rest;
  return at + 1;
}

function computeVarintLength(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1;
  return length;
}

/** Assigns a position to every list that is kept; returns the offsets, including the end. */
function placeLists(runs: Uint32Array, drafts: RunDrafts, textCount: number): Uint32Array {
  const { counts, bytes, cursors } = drafts;
  const offsets = new Uint32Array(runs.length + 1);
  let at = 0;
  runs.forEach((run, position) => {
    offsets[position] = at;
    const countMax = Math.max(LIST_COUNT_MIN, pickListedShare(run) * textCount);
    const isListed = (counts[position] ?? 0) <= countMax;
    cursors[position] = isListed ? at : UNLISTED;
    if (isListed) at += bytes[position] ?? 0;
  });
  offsets[runs.length] = at;
  return offsets;
}

/** The texts must be in result order. */
export function buildFieldIndex(texts: readonly string[]): FieldArrays {
  const packed = packTexts(texts);
  const { ids, runs } = numberRuns(packed.texts);
  const drafts: RunDrafts = {
    counts: new Uint32Array(runs.length),
    bytes: new Float64Array(runs.length),
    cursors: new Float64Array(runs.length),
  };
  passRuns(packed, ids, drafts, null);
  const offsets = placeLists(runs, drafts, texts.length);
  const lists = new Uint8Array(offsets[runs.length] ?? 0);
  passRuns(packed, ids, drafts, lists);
  return { ...packed, runs, counts: drafts.counts, offsets, lists };
}
