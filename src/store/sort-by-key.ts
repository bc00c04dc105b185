// Rows in the order of their keys, in which engines find, split and log pages half as often.

import type { SqlValue } from './sql.ts';
import type { Table } from './table.ts';

/**
 * Sorts rows in place. Names must be numbers already; keys contain no nulls, and a column's values
 * all have one type.
 */
export function sortByKey(table: Table, rows: SqlValue[][]): SqlValue[][] {
  const [first] = rows;
  if (first === undefined) return rows;
  // Most calls have one value in the first columns: the chain, and often the token.
  let start = 0;
  while (start < table.keyLength && rows.every((row) => row[start] === first[start])) start += 1;
  return rows.sort((a, b) => {
    for (let position = start; position < table.keyLength; position += 1) {
      const left = a[position] as string | number;
      const right = b[position] as string | number;
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
}
