// Every id comes back from its digits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { parseHexDigits, toHexDigits } from './hex-digits.ts';

test('an address and a hash are their own digits', () => {
  for (const length of [40, 64]) {
    const digits = 'ab'.repeat(length / 2);
    assert.equal(toHexDigits(`0x${digits}`), digits);
    assert.equal(parseHexDigits(digits), `0x${digits}`);
  }
});

test('any other text comes back as it was, whatever its length', () => {
  const texts = [
    ...['', '0x', '0xab', 'é', `0x${'AB'.repeat(20)}`, `0x${'zz'.repeat(32)}`],
    ...Array.from({ length: 70 }, (_, length) => 'x'.repeat(length)),
  ];
  for (const text of texts) assert.equal(parseHexDigits(toHexDigits(text)), text);
  const anyText = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
  fc.assert(
    fc.property(anyText, (text) => parseHexDigits(toHexDigits(text)) === text.toWellFormed()),
    { seed: 5 },
  );
});

test('text with U+0000 is refused', () => {
  assert.throws(() => toHexDigits('a\0b'), TypeError);
});
