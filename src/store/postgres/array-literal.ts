// A column of values as the text of a PostgreSQL array.
//
// The driver's own serialiser takes several times as long, and it dominates bulk writes.

import { toHexDigits } from '../hex-digits.ts';
import type { SqlRow, SqlValue } from '../sql.ts';
import type { ColumnType } from '../table.ts';

/** Bytes are written as `\x` and digits, and an array escapes the backslash. */
const BYTES_START = '\\\\x';

/** `{"0xab…","it's",NULL}`: the values of one column of the rows. */
export function toArrayLiteral(
  rows: readonly SqlRow[],
  column: { readonly position: number; readonly type: ColumnType },
  ids: ReadonlyMap<string, number>,
): string {
  const { position, type } = column;
  if (type === 'name') return joinNames(rows, position, ids);
  const isBytes = type === 'hex';
  const texts: string[] = [];
  for (const row of rows) {
    const value = row[position];
    if (typeof value !== 'string') return joinMixed(rows, position, isBytes);
    texts.push(isBytes ? toHexDigits(value) : escapeText(value));
  }
  // Most columns have neither nulls nor numbers: joined, no text is made for each element.
  if (texts.length === 0) return '{}';
  const start = isBytes ? `"${BYTES_START}` : '"';
  return `{${start}${texts.join(`",${start}`)}"}`;
}

function joinMixed(rows: readonly SqlRow[], position: number, isBytes: boolean): string {
  const elements = rows.map((row) => {
    const value = row[position] ?? null;
    if (value === null) return 'NULL';
    if (typeof value === 'number') return value;
    return isBytes ? `"${BYTES_START}${toHexDigits(value)}"` : `"${escapeText(value)}"`;
  });
  return `{${elements.join(',')}}`;
}

function joinNames(
  rows: readonly SqlRow[],
  position: number,
  ids: ReadonlyMap<string, number>,
): string {
  // Consecutive rows usually share their chain, venue or token.
  let last: SqlValue = null;
  let lastId: number | 'NULL' = 'NULL';
  const elements = rows.map((row) => {
    const name = row[position] ?? null;
    if (name !== last) {
      last = name;
      lastId = (typeof name === 'string' ? ids.get(name) : name) ?? 'NULL';
    }
    return lastId;
  });
  return `{${elements.join(',')}}`;
}

function escapeText(value: string): string {
  const isPlain = !value.includes('"') && !value.includes('\\');
  return isPlain ? value : value.replace(/["\\]/g, '\\$&');
}

/** A value outside of an array. */
export function toParameter(
  value: SqlValue,
  type: ColumnType | undefined,
  ids: ReadonlyMap<string, number>,
): SqlValue {
  if (typeof value !== 'string') return value;
  if (type === 'name') return ids.get(value) ?? null;
  return type === 'hex' ? `\\x${toHexDigits(value)}` : value;
}
