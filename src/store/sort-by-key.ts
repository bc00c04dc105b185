// Rows in the order of their keys, in which engines find, split and log pages half as often.

import type { SqlRow } from './sql.ts';
import type { Table } from './table.ts';

/** Integers up to here are exact. */
const EXACT_MAX = 2 ** 53;
const CHAR_RANKS = 256;
/** Of two characters of a text behind a number, such as a token's owner. */
const NEXT_RANKS = CHAR_RANKS ** 2;

/** More rows of one rank are sorted by V8. */
const RUN_MAX = 16;

/** The values of a key by which rows differ. */
interface KeyPart {
  readonly start: number;
  readonly end: number;
}

type CompareRows = (a: SqlRow, b: SqlRow) => number;

/** The first characters of a text as a number below `ranks`, no greater for a smaller text. */
function rankText(text: string, ranks: number): number {
  let rank = 0;
  let end = text.length;
  let used = CHAR_RANKS;
  for (let index = 0; used <= ranks; index += 1, used *= CHAR_RANKS) {
    const code = index < end ? text.charCodeAt(index) : 0;
    // All others have the same rank, so nothing behind them may count.
    if (code >= CHAR_RANKS - 1) end = index;
    rank = rank * CHAR_RANKS + Math.min(code, CHAR_RANKS - 1);
  }
  return rank;
}

/**
 * A whole number below `ranks` that is no greater for a smaller key, by its values at these
 * positions. Null if there is none: for a number that is too large, or negative.
 */
function rankKey(row: SqlRow, at: KeyPart, ranks: number): number | null {
  const value = row[at.start];
  if (typeof value === 'string') return rankText(value, ranks);
  const isRanked = typeof value === 'number' && Number.isInteger(value) && value >= 0;
  if (!isRanked || value >= Math.floor(ranks / NEXT_RANKS)) return null;
  const next = at.start + 1 < at.end ? row[at.start + 1] : undefined;
  return value * NEXT_RANKS + (typeof next === 'string' ? rankText(next, NEXT_RANKS) : 0);
}

/**
 * For each row the rank of this part of its key, times their count, plus its index: V8
 * sorts numbers without a call for each comparison. Null if a row has no rank.
 */
function rankRows(rows: readonly SqlRow[], at: KeyPart): Float64Array | null {
  const count = rows.length;
  const ranks = Math.floor(EXACT_MAX / count);
  const order = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const row = rows[index];
    const rank = row === undefined ? null : rankKey(row, at, ranks);
    if (rank === null) return null;
    order[index] = rank * count + index;
  }
  return order.sort();
}

/** Sorts a short run of rows in place; a long one is rare. */
function sortRun(rows: SqlRow[], start: number, end: number, compare: CompareRows): void {
  if (end - start > RUN_MAX) {
    const run = rows.slice(start, end).sort(compare);
    for (const [index, row] of run.entries()) rows[start + index] = row;
    return;
  }
  for (let next = start + 1; next < end; next += 1) {
    const row = rows[next];
    let at = next;
    for (; row && at > start; at -= 1) {
      const before = rows[at - 1];
      if (before === undefined || compare(before, row) <= 0) break;
      rows[at] = before;
    }
    if (row) rows[at] = row;
  }
}

/**
 * The rows sorted. Names must be numbers already; keys contain no nulls, and a column's values all
 * have one type.
 */
export function sortByKey(table: Table, rows: readonly SqlRow[]): SqlRow[] {
  const { keyLength } = table;
  const [first] = rows;
  if (first === undefined) return [];
  // Most calls have one value in the first columns: the chain, and often the token.
  let start = 0;
  while (start < keyLength && rows.every((row) => row[start] === first[start])) start += 1;
  if (start === keyLength) return [...rows];
  const order = rankRows(rows, { start, end: keyLength });
  // Numbers of one rank are equal.
  const compared = order !== null && typeof first[start] === 'number' ? start + 1 : start;
  const compare: CompareRows = (a, b) => {
    for (let position = compared; position < keyLength; position += 1) {
      const left = a[position] as string | number;
      const right = b[position] as string | number;
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
  if (order === null) return rows.toSorted(compare);
  const count = rows.length;
  const rankAt = (at: number) => Math.floor((order[at] ?? 0) / count);
  const sorted = Array.from(order, (place) => rows[place % count] ?? first);
  let from = 0;
  for (let at = 1; at <= count; at += 1) {
    if (at < count && rankAt(at) === rankAt(from)) continue;
    if (at - from > 1) sortRun(sorted, from, at, compare);
    from = at;
  }
  return sorted;
}
