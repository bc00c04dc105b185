// Thirty days of 3,780 swaps, a thousandth of a chain of 44 a second. docs/store.md has what each
// table took.

import { test } from 'node:test';
import { createPostgresPlace, createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { assertFlatForThirtyDays } from '../../../test/retention-days.ts';

for (const [engine, createPlace] of [
  ['sqlite', createSqlitePlace],
  ['postgres', createPostgresPlace],
] as const) {
  test(`thirty busy days keep rows and disk flat on ${engine}`, (t) =>
    assertFlatForThirtyDays(t, { createPlace, times: 36 }));
}
