// Rows in the order of their keys, in which engines find, split and log pages half as often.

import type { SqlRow } from './sql.ts';
import type { Table } from './table.ts';

/**
 * The rows sorted. Names must be numbers already; keys contain no nulls, and a column's values all
 * have one type.
 */
export function sortByKey({ keyLength }: Table, rows: readonly SqlRow[]): SqlRow[] {
  return rows.toSorted((a, b) => {
    for (let position = 0; position < keyLength; position += 1) {
      const left = a[position] as string | number;
      const right = b[position] as string | number;
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
}
