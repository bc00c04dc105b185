// Rows as the text that COPY reads: a line for each, its values separated by tabs.

import { toHexDigits } from '../hex-digits.ts';
import { sortByKey } from '../sort-by-key.ts';
import type { SqlRow, SqlValue } from '../sql.ts';
import { findEncodedPositions, type Table } from '../table.ts';

const NULL = '\\N';
/** Bytes are written as `\x` and digits, and the format escapes the backslash. */
const BYTES_START = '\\\\x';
const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** In key order, as rows of one page are then written together. */
export function toCopyText(
  table: Table,
  rows: readonly SqlRow[],
  ids: ReadonlyMap<string, number>,
): string {
  let text = '';
  for (const row of sortByKey(table, encodeRows(table, rows, ids))) text += `${row.join('\t')}\n`;
  return text;
}

/** The values as they are written. */
function encodeRows(
  table: Table,
  rows: readonly SqlRow[],
  ids: ReadonlyMap<string, number>,
): SqlValue[][] {
  const { names, hexes, texts } = findEncodedPositions(table.types);
  return rows.map((row) => {
    const values = row.map((value) => value ?? NULL);
    for (const position of names) {
      const name = row[position];
      if (typeof name === 'string') values[position] = ids.get(name) ?? NULL;
    }
    for (const position of hexes) {
      const id = row[position];
      if (typeof id === 'string') values[position] = BYTES_START + toHexDigits(id);
    }
    for (const position of texts) {
      const text = row[position];
      if (typeof text === 'string' && SPECIAL.test(text)) values[position] = escapeText(text);
    }
    return values;
  });
}

function escapeText(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
