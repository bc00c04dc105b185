// Thirty days of 3,780 swaps, a thousandth of a chain of 44 a second. docs/store.md has what each
// table took. PostgreSQL has fewer swaps a day, like SQLite in `row-retention.test.ts`.

import { test } from 'node:test';
import { createPostgresPlace, createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { assertFlatForThirtyDays } from '../../../test/retention-days.ts';

test('thirty busy days keep rows and disk flat', (t) =>
  assertFlatForThirtyDays(t, { createPlace: createSqlitePlace, times: 36 }));

test('thirty days keep rows and disk flat on PostgreSQL, and all that is kept right', (t) =>
  assertFlatForThirtyDays(t, { createPlace: createPostgresPlace }));
