// A column of values as the text of a PostgreSQL array.
//
// The driver's own serialiser takes several times as long, and it dominates bulk writes.

import type { SqlRow, SqlValue } from '../sql.ts';

/** `{"0xab…","it's",NULL}`: the values of one column of the rows. */
export function toArrayLiteral(rows: readonly SqlRow[], column: number): string {
  let text = '{';
  for (let index = 0; index < rows.length; index += 1) {
    if (index > 0) text += ',';
    text += toElement(rows[index]?.[column] ?? null);
  }
  return `${text}}`;
}

function toElement(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return value.toString();
  if (value.includes('"') || value.includes('\\')) {
    return `"${value.replace(/["\\]/g, '\\$&')}"`;
  }
  return `"${value}"`;
}
