// Pins how metadata is decoded: strings, bytes32, and anything else that contracts return.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeAbiParameters, stringToHex } from 'viem';
import { fc } from '../../../../test/fast-check.ts';
import { address } from '../../../../test/test-ids.ts';
import { decodeText, readTokenMetadata } from './read-token-metadata.ts';

const encodeText = (text: string) => encodeAbiParameters([{ type: 'string' }], [text]);

test('a string and a bytes32', () => {
  assert.equal(decodeText(encodeText('Wrapped Ether')), 'Wrapped Ether');
  assert.equal(decodeText(stringToHex('MKR', { size: 32 })), 'MKR');
});

test('any string comes back cleaned, and nothing makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      const decoded = decodeText(encodeText(text));
      return decoded === null || decoded.length > 0;
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      decodeText(`0x${Buffer.from(bytes).toString('hex')}`);
    }),
  );
});

test('malformed, empty and missing answers are null', () => {
  const lies = [
    null,
    '0x',
    '0x00',
    `0x${'0'.repeat(64)}`,
    `0x${'f'.repeat(64)}${'f'.repeat(64)}`,
    `0x${'20'.padStart(64, '0')}${'f'.repeat(64)}`,
    `0x${'20'.padStart(64, '0')}${'40'.padStart(64, '0')}${'0'.repeat(64)}`,
    `0x${'21'.padStart(64, '0')}${'0'.repeat(128)}`,
    encodeText('\u202e\u0000'),
  ];
  for (const lie of lies) assert.equal(decodeText(lie), null);
});

test('decimals beyond a byte, or of another shape, are null', async () => {
  const token = address(`0x${'1'.repeat(40)}`);
  const read = async (decimals: string | null) => {
    const [metadata] = await readTokenMetadata([token], async () => [null, null, decimals]);
    return metadata?.decimals;
  };
  const word = (hex: string) => `0x${hex.padStart(64, '0')}`;
  assert.equal(await read(word('12')), 18);
  assert.equal(await read(word('ff')), 255);
  assert.equal(await read(word('0')), 0);
  for (const lie of [word('100'), `0x${'f'.repeat(64)}`, '0x', '0x12', null, encodeText('18')]) {
    assert.equal(await read(lie), null);
  }
});
