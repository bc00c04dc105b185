// A quote against the market's price.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeAgainstMarketBps } from './quote-answer.ts';

const compare = (
  executionPrice: string | null,
  token: string | null,
  quote: string | null,
  side: 'buy' | 'sell',
) => computeAgainstMarketBps({ executionPrice, marketUsd: { token, quote } }, side);

test('a buyer who pays more than the market is worse off, a seller who gets more is better off', () => {
  // 0.001 ETH of 3,000 USD are 3 USD for a token of 2.97 USD.
  assert.equal(compare('0.001', '2.97', '3000', 'buy'), 101.01);
  assert.equal(compare('0.001', '2.97', '3000', 'sell'), -101.01);
  assert.equal(compare('0.001', '3', '3000', 'buy'), 0);
  assert.equal(compare('0.00099', '3', '3000', 'sell'), 100);
});

test('without a price of both it is not known', () => {
  assert.equal(compare(null, '1', '1', 'buy'), null);
  assert.equal(compare('1', null, '1', 'buy'), null);
  assert.equal(compare('1', '1', null, 'buy'), null);
  assert.equal(compare('1', '0', '1', 'buy'), null);
});
