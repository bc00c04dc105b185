// Facts of a token's safety are shown with their units.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFact } from './describe-fact.ts';

const describe = (code: string, value: string | number | boolean | null) => {
  const { name, text } = describeFact({ code, value }, 18);
  return `${name}: ${text}`;
};

test('the end of a code says how its value is shown', () => {
  assert.equal(describe('BUY_TAX_BPS', 30), 'Buy tax: 0.30%');
  assert.equal(describe('TOP10_PCT', 74.511949), 'Top10: 74.51%');
  assert.equal(describe('LIQUIDITY_USD', '6321419.13864829101'), 'Liquidity: $6.32M');
  assert.equal(describe('FIRST_SEEN_AT', 1760000024000), 'First seen: 2025-10-09 08:53');
  assert.equal(describe('SUPPLY_RAW', `1${'0'.repeat(26)}`), 'Supply: 100M');
});

test('a code without a unit, or one that is new, is shown as it is', () => {
  assert.equal(describe('POOLS_CHECKED', 5), 'Pools checked: 5');
  assert.equal(describe('PROXY', false), 'Proxy: No');
  assert.equal(describe('OWNER', null), 'Owner: –');
  assert.equal(describe('SELL_TAX_BPS', null), 'Sell tax: –');
  assert.equal(describe('LATER_FACT', 'text'), 'Later fact: text');
});
