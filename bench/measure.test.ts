// Statistics of repetitions: their median and spread.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, spread } from './measure.ts';

test('the median is the middle, or between the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
});

test('of few values the spread is half their range, of many that of the quartiles', () => {
  assert.equal(spread([8, 12]), 0.2);
  assert.equal(spread([8, 10, 10]), 0.1);
  assert.equal(spread([10, 10, 12]), 0.1);
  assert.equal(spread([1, 9, 10, 11, 100]), 0.1);
});

test('a single measurement has no spread', () => {
  assert.throws(() => spread([10]), /at least twice/);
});
