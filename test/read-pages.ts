// Reads everything page by page, with a limit: a cursor that does not advance fails its test.

import assert from 'node:assert/strict';

export interface Page<Row, Cursor> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null after the last one. */
  readonly next: Cursor | null;
}

/** For tests that do not know the number of pages: more than any of them has. */
export const PAGES_MAX = 1000;

/** The rows of all pages. Fails if there are too many pages. */
export async function readPages<Row, Cursor>(
  pageCountMax: number,
  read: (after: Cursor | null) => Promise<Page<Row, Cursor>>,
): Promise<Row[]> {
  const all: Row[] = [];
  let after: Cursor | null = null;
  for (let count = 1; count <= pageCountMax; count += 1) {
    const { rows, next }: Page<Row, Cursor> = await read(after);
    all.push(...rows);
    if (next === null) return all;
    after = next;
  }
  assert.fail(`no end after ${pageCountMax} pages: the cursor does not move on`);
}
