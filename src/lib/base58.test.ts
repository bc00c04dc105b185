// Pins base58 against known pairs, and that reading undoes writing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { decodeBase58, encodeBase58 } from './base58.ts';

test('known pairs', () => {
  const pairs: [string, string][] = [
    ['', ''],
    ['00', '1'],
    ['61', '2g'],
    ['626262', 'a3gV'],
    ['516b6fcd0f', 'ABnLTmg'],
    ['00000000000000000000', '1111111111'],
    ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
  ];
  for (const [hex, text] of pairs) {
    assert.equal(encodeBase58(Buffer.from(hex, 'hex')), text);
    assert.equal(Buffer.from(decodeBase58(text)!).toString('hex'), hex);
  }
});

test('encoding and decoding round-trip', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      assert.deepEqual(new Uint8Array(decodeBase58(encodeBase58(bytes))!), bytes);
    }),
  );
});

test('invalid or far too long text is null', () => {
  for (const text of ['0', 'O', 'I', 'l', 'a b', 'é', '😀', '+', '1'.repeat(129)]) {
    assert.equal(decodeBase58(text), null, text);
  }
});
