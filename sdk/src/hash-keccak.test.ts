// Keccak-256 against viem's, for every length around the size of a block.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex, keccak256 } from 'viem';
import { hashKeccak } from './hash-keccak.ts';

test('the hash equals that of viem for 0 to 300 bytes', () => {
  for (let length = 0; length <= 300; length += 1) {
    const hex = bytesToHex(Uint8Array.from({ length }, (_, at) => (at * 31 + length * 7) % 256));
    assert.equal(hashKeccak(hex), keccak256(hex), `${length} bytes`);
  }
});
