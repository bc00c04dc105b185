// Amounts that are offered are round, and never more than there is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickCoinAmounts, pickParts } from './pick-quick-amounts.ts';

const listAmounts = (priceUsd: string | null) =>
  pickCoinAmounts(priceUsd).map(({ amount }) => amount);

test('a coin is offered in one digit, for about 25, 100 and 500 USD', () => {
  assert.deepEqual(listAmounts('3021.39546024764719'), ['0.008', '0.03', '0.2']);
  assert.deepEqual(listAmounts('150'), ['0.2', '0.7', '3']);
  assert.deepEqual(listAmounts('0.5'), ['50', '200', '1000']);
  assert.deepEqual(listAmounts(null), ['0.1', '0.5', '1']);
});

test('parts of a balance are rounded down', () => {
  assert.deepEqual(pickParts('1000001', 6), [
    { text: '25%', amount: '0.25' },
    { text: '50%', amount: '0.5' },
    { text: '75%', amount: '0.75' },
  ]);
  assert.equal(pickParts('3', 0)[0]?.amount, '0');
});
