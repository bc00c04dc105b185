// Undo images from before migration 6 become rows of the current table.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { POOLS_BEFORE_KINDS } from '../../test/conformance/pools-before-kinds.ts';
import { upgradePoolImage } from './legacy-pool-image.ts';
import { toPoolRecord, toPoolRow } from './tables/pool-table.ts';

for (const [name, { row, record }] of Object.entries(POOLS_BEFORE_KINDS)) {
  it(`reads the image of a ${name} as the pool that it was`, () => {
    assert.deepEqual(toPoolRecord(upgradePoolImage(row)), record);
    assert.deepEqual(upgradePoolImage(row), toPoolRow('devnet', record));
  });
}

it('reads columns that an even older image lacks as unknown', () => {
  const { row, record } = POOLS_BEFORE_KINDS.pair;
  assert.deepEqual(toPoolRecord(upgradePoolImage(row.slice(0, 19))), {
    ...record,
    liquidityUsdE18: null,
  });
});
