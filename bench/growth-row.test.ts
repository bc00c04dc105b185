// The row of a growing cost: which measurements are paired, and what is reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildGrowthRow } from './growth-row.ts';

test('each repetition pairs its own first and last size', () => {
  // In the second repetition other load slowed all sizes alike.
  const row = buildGrowthRow(
    'searchGrowth',
    [
      { size: 1000, micros: [10, 30, 10] },
      { size: 2000, micros: [11, 33, 12] },
      { size: 5000, micros: [20, 60, 20] },
    ],
    { of: 'tokens', formatSize: (size) => size.toLocaleString('en'), note: 'CPU' },
  );
  assert.equal(row.ours, '10 µs at 1,000, 12 µs at 2,000, 20 µs at 5,000');
  assert.equal(row.ratio, 0.5);
  assert.equal(row.spread, 0);
  assert.equal(row.note, 'CPU; 3 repetitions, each of all sizes in turn');
  assert.deepEqual(row.growth, {
    of: 'tokens',
    unit: 'µs',
    points: [
      { size: 1000, cost: 10 },
      { size: 2000, cost: 12 },
      { size: 5000, cost: 20 },
    ],
  });
});
