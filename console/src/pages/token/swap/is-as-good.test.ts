// A trade that is built again is signed only if it keeps the limit that was reviewed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAsGood } from './is-as-good.ts';

const paying = (minAmountRaw: string) => ({ quote: { input: {}, output: { minAmountRaw } } });
const costing = (maxAmountRaw: string) => ({ quote: { input: { maxAmountRaw }, output: {} } });

test('the same or a higher minimum is as good, a lower one is not', () => {
  assert.ok(isAsGood(paying('1000'), paying('1000')));
  assert.ok(isAsGood(paying('999999999999999999999'), paying('1000000000000000000000')));
  assert.ok(!isAsGood(paying('1000'), paying('999')));
  // As numbers these two would be equal.
  assert.ok(!isAsGood(paying('9007199254740993'), paying('9007199254740992')));
});

test('the same or a lower maximum is as good, a higher one is not', () => {
  assert.ok(isAsGood(costing('1000'), costing('1000')));
  assert.ok(isAsGood(costing('1000000000000000000000'), costing('999999999999999999999')));
  assert.ok(!isAsGood(costing('1000'), costing('1001')));
  assert.ok(!isAsGood(costing('9007199254740992'), costing('9007199254740993')));
});

test('a trade with the other kind of limit is not as good', () => {
  assert.ok(!isAsGood(costing('1000'), paying('1000')));
  assert.ok(!isAsGood(paying('1000'), costing('1000')));
});
