// A column of values as the text of a PostgreSQL array.
//
// The driver's own serialiser takes several times as long, and it dominates bulk writes.

import { toHexDigits } from '../hex-digits.ts';
import type { SqlRow, SqlValue } from '../sql.ts';
import type { ColumnType } from '../table.ts';

/** `{"0xab…","it's",NULL}`: the values of one column of the rows. */
export function toArrayLiteral(
  rows: readonly SqlRow[],
  column: { readonly position: number; readonly type: ColumnType },
  ids: ReadonlyMap<string, number>,
): string {
  const { position, type } = column;
  const toElement = type === 'hex' ? toBytesElement : toTextElement;
  let text = '{';
  // Consecutive rows usually share their chain, venue or token.
  let lastName: SqlValue = null;
  let lastId = 'NULL';
  for (let index = 0; index < rows.length; index += 1) {
    const value = rows[index]?.[position] ?? null;
    if (index > 0) text += ',';
    if (value === null) text += 'NULL';
    else if (typeof value === 'number') text += value.toString();
    else if (type === 'name') {
      if (value !== lastName) {
        lastName = value;
        lastId = ids.get(value)?.toString() ?? 'NULL';
      }
      text += lastId;
    } else text += toElement(value);
  }
  return `${text}}`;
}

/** Bytes are written as `\x` and digits, and an array escapes the backslash. */
function toBytesElement(value: string): string {
  return `"\\\\x${toHexDigits(value)}"`;
}

function toTextElement(value: string): string {
  if (value.includes('"') || value.includes('\\')) {
    return `"${value.replace(/["\\]/g, '\\$&')}"`;
  }
  return `"${value}"`;
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
