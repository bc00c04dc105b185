// How columns are written as arrays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlRow, SqlValue } from '../sql.ts';
import { toArrayLiteral } from './array-literal.ts';

const IDS = new Map([
  ['devnet', 1],
  ['uniswap-v2', 7],
]);

function write(type: 'text' | 'name' | 'hex' | 'integer', values: readonly SqlValue[]): string {
  const rows: SqlRow[] = values.map((value) => ['other', value]);
  return toArrayLiteral(rows, { position: 1, type }, IDS);
}

test('texts are quoted, and quotes and backslashes in them are escaped', () => {
  assert.equal(write('text', ['12', '']), '{"12",""}');
  assert.equal(write('text', ['a"b', 'c\\d', "it's, {x}"]), '{"a\\"b","c\\\\d","it\'s, {x}"}');
  assert.equal(write('text', ['NULL', null, 'a"b']), '{"NULL",NULL,"a\\"b"}');
  assert.equal(write('text', []), '{}');
});

test('bytes are digits after a mark', () => {
  const digits = 'ab'.repeat(20);
  const address = `0x${digits}`;
  assert.equal(write('hex', [address, address]), `{"\\\\x${digits}","\\\\x${digits}"}`);
  assert.equal(write('hex', [null, 'hi']), '{NULL,"\\\\x006869"}');
});

test('numbers stay numbers, and names become theirs', () => {
  assert.equal(write('integer', [1, null, -2]), '{1,NULL,-2}');
  assert.equal(write('name', ['devnet', 'devnet', 'uniswap-v2', null, 'devnet']), '{1,1,7,NULL,1}');
  assert.equal(write('name', ['unknown']), '{NULL}');
});
