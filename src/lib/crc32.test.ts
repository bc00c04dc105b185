// Pins the checksum against zlib's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { crc32OfAscii } from './crc32.ts';

test('default: what zlib says', () => {
  assert.equal(crc32OfAscii('123456789'), 0xcbf43926);
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
      assert.equal(crc32OfAscii(text), crc32(text));
    }),
  );
});

test('behavior: a length stops short of the rest', () => {
  assert.equal(crc32OfAscii('123456789abc', 9), 0xcbf43926);
});
