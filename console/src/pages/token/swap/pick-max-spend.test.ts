// The most that can be spent leaves what the network may cost.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickMaxSpend } from './pick-max-spend.ts';

test('all of a balance becomes what is left after twice the cost, once', () => {
  const balanceRaw = '1000000000000000000';
  const spend = pickMaxSpend({ balanceRaw, amountRaw: balanceRaw, costRaw: '21000' });
  assert.equal(spend, '999999999999958000');
  assert.equal(pickMaxSpend({ balanceRaw, amountRaw: spend ?? '', costRaw: '30000' }), null);
});

test('a balance below the cost stays as it is: the review says what is missing', () => {
  assert.equal(pickMaxSpend({ balanceRaw: '10', amountRaw: '10', costRaw: '5' }), null);
});
