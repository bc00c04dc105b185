// Amounts that people type are exact to the last unit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUnits, parseUnits } from './token-units.ts';

test('raw units are shown without zeros at the end', () => {
  assert.equal(formatUnits('1500000', 6), '1.5');
  assert.equal(formatUnits('1', 18), '0.000000000000000001');
  assert.equal(formatUnits('2000000', 6), '2');
  assert.equal(formatUnits('7', 0), '7');
  assert.equal(formatUnits(null, 6), null);
  assert.equal(formatUnits('7', null), null);
});

test('typed amounts become raw units, and nothing else does', () => {
  assert.equal(parseUnits('1.5', 6), '1500000');
  assert.equal(parseUnits(' 1,5 ', 6), '1500000');
  assert.equal(parseUnits('1,50', 6), '1500000');
  assert.equal(parseUnits('1.500', 6), '1500000');
  assert.equal(parseUnits('.5', 6), '500000');
  assert.equal(parseUnits('123456789012345678901', 18), '123456789012345678901000000000000000000');
  for (const text of ['', '.', '0', '0.0', '-1', '1e5', '0x1', '1.2.3', '1.2345678', 'abc']) {
    assert.equal(parseUnits(text, 6), null, text);
  }
  for (const text of ['1,500', ' 1,500 ', ',500', '1,500,000', '1,500.5']) {
    assert.equal(parseUnits(text, 6), null, text);
  }
});
