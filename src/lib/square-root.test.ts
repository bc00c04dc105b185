// Checks roots by their squares.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { computeSquareRoot } from './bigint-bounds.ts';

test('the root is the largest integer whose square is not above the value', () => {
  const check = (value: bigint) => {
    const root = computeSquareRoot(value);
    assert.ok(root * root <= value && (root + 1n) * (root + 1n) > value, String(value));
  };
  for (let value = 0n; value < 300n; value += 1n) check(value);
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 600n), check), { seed: 18, numRuns: 2000 });
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 250n), (root) => {
      check(root * root);
      check(root * root - 1n);
    }),
    { seed: 18, numRuns: 500 },
  );
  assert.throws(() => computeSquareRoot(-1n), RangeError);
});
