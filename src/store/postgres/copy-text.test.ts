// How rows are written for COPY.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTable } from '../table.ts';
import { toCopyText } from './copy-text.ts';

const TABLE = defineTable('t', {
  key: { chain: 'name', owner: 'hex' },
  data: { count: 'integer', note: 'text' },
});
const IDS = new Map([['devnet', 1]]);
const [FIRST, SECOND] = ['0a'.repeat(20), '0b'.repeat(20)];

test('values are separated by tabs, and rows are in the order of their keys', () => {
  const rows = [
    ['devnet', `0x${SECOND}`, 2, 'two'],
    ['devnet', `0x${FIRST}`, -1, ''],
  ];
  const lines = [`1\t\\\\x${FIRST}\t-1\t`, `1\t\\\\x${SECOND}\t2\ttwo`];
  assert.equal(toCopyText(TABLE, rows, IDS), `${lines.join('\n')}\n`);
});

test('characters with a meaning in the format are escaped, and a null is no text', () => {
  const write = (note: string | null) =>
    toCopyText(TABLE, [['devnet', `0x${FIRST}`, null, note]], IDS).split('\\N\t')[1];
  assert.equal(write('a\tb\nc\rd\\e'), 'a\\tb\\nc\\rd\\\\e\n');
  assert.equal(write('\\N'), '\\\\N\n');
  assert.equal(write('\\.'), '\\\\.\n');
  assert.equal(toCopyText(TABLE, [['devnet', 'hi', 0, null]], IDS), '1\t\\\\x006869\t0\t\\N\n');
});
