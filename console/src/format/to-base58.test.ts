// Base58 by the vectors of its draft standard.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBase58 } from './to-base58.ts';

const encodeText = (text: string) => toBase58(new TextEncoder().encode(text));

test('bytes are written in base58, each zero in front as a digit of its own', () => {
  assert.equal(encodeText(''), '');
  assert.equal(encodeText('Hello World!'), '2NEpo7TZRRrLZSi2U');
  assert.equal(
    encodeText('The quick brown fox jumps over the lazy dog.'),
    'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
  );
  assert.equal(toBase58(Uint8Array.of(0, 0, 0x28, 0x7f, 0xb4, 0xcd)), '11233QC4');
  assert.equal(toBase58(Uint8Array.of(0, 0)), '11');
});
