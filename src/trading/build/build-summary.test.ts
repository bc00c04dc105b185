// What a person reads before signing is never better than what may happen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toUnits } from '../../lib/decimal.ts';
import { toCeiling } from './build-summary.ts';

test('default: fees are shown in eight digits, rounded up', () => {
  assert.equal(toCeiling(1_234_567_891_234n, 18), '0.0000012345679');
  assert.equal(toCeiling(1_234_567_800_000n, 18), '0.0000012345678');
  assert.equal(toCeiling(1_500_000_000_000_000_001n, 18), '1.5000001');
  assert.equal(toCeiling(999_999_999_999_999_999n, 18), '1');
  assert.equal(toCeiling(12_345_678_900_000_000_000_000_000_001n, 18), '12345678901');
  assert.equal(toCeiling(0n, 18), '0');
  assert.equal(toCeiling(123n, 0), '123');
});

test('behavior: whatever the amount, what is shown is not below it and next to it', () => {
  const toRaw = (text: string, decimals: number) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(decimals, '0'));
  };
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 30n), fc.integer({ min: 0, max: 24 }), (amount, decimals) => {
      const shown = toRaw(toCeiling(amount, decimals), decimals);
      assert.ok(shown >= amount, `${toUnits(amount, decimals)}`);
      assert.ok((shown - amount) * 10_000_000n <= amount, `${toUnits(amount, decimals)}`);
    }),
  );
});
