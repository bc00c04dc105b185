// Pins that rows are in the order of their keys, and stay where they are otherwise.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortByKey } from './sort-by-key.ts';
import { TRADE_TABLE } from './tables/trade-table.ts';

test('rows come in the order of their keys: numbers as numbers, texts by their characters', () => {
  const rows = [
    [2, 10, 'a'],
    [1, 10, 'b'],
    [1, 9, 'b'],
    [1, 10, 'a'],
    [1, -1, 'ab'],
    [1, 2 ** 50 + 1, 'a'],
    [1, 2 ** 50, 'ÿ'],
  ];
  const given = structuredClone(rows);
  assert.deepEqual(sortByKey({ ...TRADE_TABLE, keyLength: 3 }, rows), [
    [1, -1, 'ab'],
    [1, 9, 'b'],
    [1, 10, 'a'],
    [1, 10, 'b'],
    [1, 2 ** 50, 'ÿ'],
    [1, 2 ** 50 + 1, 'a'],
    [2, 10, 'a'],
  ]);
  assert.deepEqual(rows, given, 'the rows that are given stay in their order');
});

test('rows of one key stay in their order', () => {
  const rows = [1, 1, 2, 1].map((key, index) => [key, 'dcba'[index] ?? '']);
  const sorted = sortByKey({ ...TRADE_TABLE, keyLength: 1 }, rows);
  assert.equal(sorted.map(([, name]) => name).join(''), 'dcab');
});
