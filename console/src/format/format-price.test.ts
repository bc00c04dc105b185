// Prices, amounts and ages, as people read them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupAddress } from './format-address.ts';
import { formatAge } from './format-age.ts';
import { formatCompact, formatCompactUsd, formatPercent } from './format-amount.ts';
import { formatCost, formatPrice, formatUsd } from './format-price.ts';
import { findMagnitude, roundDecimal } from './round-decimal.ts';
import { shortenAddress } from './shorten-address.ts';

test('prices have four significant digits, never an exponent', () => {
  const cases: Readonly<Record<string, string>> = {
    '10283744.234': '10,283,744.23',
    '3002.1': '3,002.10',
    '1.05556': '1.056',
    '0.426208879329284736': '0.4262',
    '0.000142142465876172663': '0.0001421',
    '0.00002924': '0.0₄2924',
    '0.0000000000012': '0.0₁₁12',
    '0.00009999999': '0.0001',
    '0.99999': '1.000',
    '0': '0',
  };
  for (const [text, shown] of Object.entries(cases)) assert.equal(formatPrice(text), shown, text);
  assert.equal(formatPrice(null), '–');
  assert.equal(formatUsd('0.5'), '$0.5');
});

test('a fee has no more zeros than say something', () => {
  assert.equal(formatCost('0.0000000000012'), '<0.000001');
  assert.equal(formatCost('0.000001'), '0.0₅1');
  assert.equal(formatCost('0.00004513'), '0.0₄4513');
  assert.equal(formatCost('0'), '0');
  assert.equal(formatCost(null), '–');
});

test('an address is compared in groups of four', () => {
  assert.equal(
    groupAddress('0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7'),
    '0x A5A2 2995 87b6 Be0c 7ded 8d3F 1887 50d0 82Fc 2aE7',
  );
  assert.equal(groupAddress('So11111'), 'So11 111');
});

test('amounts have three digits and a unit', () => {
  const cases: Readonly<Record<string, string>> = {
    '10283744.2': '10.3M',
    '999949': '1.00M',
    '999.4': '999',
    '1000': '1.00K',
    '12.345': '12.3',
    '0.5': '0.50',
    '0.001': '<0.01',
    '1234567890123456789': '1,234,568T',
    '-1500': '-1.50K',
  };
  for (const [text, shown] of Object.entries(cases)) assert.equal(formatCompact(text), shown, text);
  assert.equal(formatCompactUsd('-1500'), '-$1.50K');
  assert.equal(formatCompactUsd('0.001'), '<$0.01');
  assert.equal(formatPercent(-2.555722), '-2.56%');
  assert.equal(formatPercent(1332.09), '1.33K%');
  assert.equal(formatPercent(-1332.09), '-1.33K%');
});

test('decimals of any length are rounded exactly', () => {
  assert.equal(
    roundDecimal('123456789012345678901234567890.125', 2),
    '123456789012345678901234567890.13',
  );
  assert.equal(roundDecimal('9.995', 2), '10.00');
  assert.equal(roundDecimal('-0.001', 2), '0.00');
  assert.equal(findMagnitude('0.005'), -2);
  assert.equal(findMagnitude('0.000'), null);
});

test('ages show their largest unit', () => {
  assert.equal(formatAge(0, 90_000), '1m');
  assert.equal(formatAge(0, 86_400_000 * 45), '1mo');
  assert.equal(formatAge(5, 0), '0s');
  assert.equal(formatAge(null, 0), '–');
});

test('addresses keep their beginning and their end', () => {
  assert.equal(shortenAddress('0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7'), '0xA5A2…2aE7');
  assert.equal(shortenAddress('So11111111111111111111111111111111111111112'), 'So11…1112');
  assert.equal(shortenAddress('short'), 'short');
});
