// Pins base62: fixed length, order preserved, nothing truncated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { parseBase62, toBase62 } from './base58.ts';

test('digits, then upper case, then lower case', () => {
  assert.equal(toBase62(0n, 3), '000');
  assert.equal(toBase62(9n, 1), '9');
  assert.equal(toBase62(10n, 1), 'A');
  assert.equal(toBase62(36n, 1), 'a');
  assert.equal(toBase62(62n, 2), '10');
  assert.equal(toBase62(2n ** 256n - 1n, 43).length, 43);
});

test('a value that does not fit is an error, not a shorter value', () => {
  assert.throws(() => toBase62(62n, 1), RangeError);
  assert.throws(() => toBase62(2n ** 256n - 1n, 42), RangeError);
});

test('encoding and decoding round-trip, and other characters are rejected', () => {
  fc.assert(
    fc.property(fc.nat(), (value) => {
      assert.equal(parseBase62(`x_${toBase62(BigInt(value), 6)}`, 2), value);
    }),
  );
  for (const text of ['_', '-', ' ', 'é', '😀', '0/', 'a:']) {
    assert.ok(Number.isNaN(parseBase62(text, 0)), text);
  }
});

test('order is kept', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 64n }),
      fc.bigInt({ min: 0n, max: 2n ** 64n }),
      (a, b) => {
        assert.equal(toBase62(a, 11) < toBase62(b, 11), a < b);
      },
    ),
  );
});
