// Thirty days of 3,780 swaps, a thousandth of a chain of 44 a second. docs/store.md has what each
// table took. `row-retention.test.ts` has both engines, with fewer swaps a day.

import { test } from 'node:test';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { assertFlatForThirtyDays } from '../../../test/retention-days.ts';

test('thirty busy days keep rows and disk flat', (t) =>
  assertFlatForThirtyDays(t, { createPlace: createSqlitePlace, times: 36 }));
