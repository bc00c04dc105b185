// Instruction data in base58, compared with the library that reads short texts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { fc } from '../../../../test/fast-check.ts';
import { decodeBase58Data, encodeBase58Data } from './base58-data.ts';

test('any bytes are written as the library does, and read back, leading zeros included', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.integer({ min: 0, max: 3 }),
      (bytes, zeros) => {
        const whole = Buffer.concat([Buffer.alloc(zeros), bytes]);
        const text = base58.encode(whole);
        assert.deepEqual(decodeBase58Data(text), whole);
        assert.equal(encodeBase58Data(whole), text);
      },
    ),
    { seed: 1 },
  );
});

test('other characters and endless texts are refused', () => {
  for (const text of ['0', 'l', 'I', 'O', 'a b', 'é', '\u{1F600}', '1'.repeat(5000)]) {
    assert.equal(decodeBase58Data(text), null, text.slice(0, 10));
  }
  assert.equal(decodeBase58Data('')?.length, 0);
});
