// Rows near the screen are rendered, however long the list is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeRowWindow } from './compute-row-window.ts';

const view = { height: 560, rowHeight: 56, count: 5000 };

test('a list at its start, in the middle and at its end', () => {
  assert.deepEqual(computeRowWindow({ ...view, top: 200 }), { from: 0, to: 18, seen: 0 });
  assert.deepEqual(computeRowWindow({ ...view, top: -56 * 1000 }), {
    from: 988,
    to: 1022,
    seen: 1000,
  });
  assert.deepEqual(computeRowWindow({ ...view, top: -56 * 4995 }), {
    from: 4983,
    to: 5000,
    seen: 4995,
  });
});

test('a list that became shorter than where the screen was has no row before its end', () => {
  assert.deepEqual(computeRowWindow({ ...view, count: 3, top: -56 * 1000 }), {
    from: 3,
    to: 3,
    seen: 3,
  });
  assert.deepEqual(computeRowWindow({ ...view, count: 0, top: 0 }), { from: 0, to: 0, seen: 0 });
});
