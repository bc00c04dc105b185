// The limit that a user reviews is in the units of the token that it limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findQuoteLimit } from './find-quote-limit.ts';

const USDC = { symbol: 'USDC', decimals: 6, amount: '2.5', amountRaw: '2500000' };
const WIRE = { symbol: 'WIRE', decimals: 18, amount: '3', amountRaw: '3000000000000000000' };

test('what is received at least is in units of the output', () => {
  const bought = findQuoteLimit({
    input: USDC,
    output: { ...WIRE, minAmountRaw: `2985${'0'.repeat(15)}` },
  });
  assert.deepEqual(
    [bought.isExactOut, bought.quoted.symbol, bought.limit],
    [false, 'WIRE', '2.985'],
  );
  const sold = findQuoteLimit({ input: WIRE, output: { ...USDC, minAmountRaw: '2487500' } });
  assert.deepEqual([sold.isExactOut, sold.quoted.symbol, sold.limit], [false, 'USDC', '2.4875']);
});

test('what is paid at most for an exact output is in units of the input', () => {
  const bought = findQuoteLimit({ input: { ...USDC, maxAmountRaw: '2512500' }, output: WIRE });
  assert.deepEqual(
    [bought.isExactOut, bought.quoted.symbol, bought.limit],
    [true, 'USDC', '2.5125'],
  );
  const sold = findQuoteLimit({
    input: { ...WIRE, maxAmountRaw: `3015${'0'.repeat(15)}` },
    output: USDC,
  });
  assert.deepEqual([sold.isExactOut, sold.quoted.symbol, sold.limit], [true, 'WIRE', '3.015']);
});

test('without a minimum the limit is the quoted amount; of unknown decimals there is none', () => {
  assert.equal(findQuoteLimit({ input: WIRE, output: USDC }).limit, '2.5');
  assert.equal(findQuoteLimit({ input: USDC, output: { ...WIRE, decimals: null } }).limit, null);
});
