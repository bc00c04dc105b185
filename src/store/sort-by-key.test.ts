// Pins that rows are in the order of their keys, whatever the keys are made of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { sortByKey } from './sort-by-key.ts';
import type { SqlRow, SqlValue } from './sql.ts';
import { TRADE_TABLE } from './tables/trade-table.ts';

const TABLE = { ...TRADE_TABLE, keyLength: 3 };

function compare(a: SqlRow, b: SqlRow): number {
  for (let position = 0; position < 3; position += 1) {
    const [left, right] = [a[position] as string, b[position] as string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

test('rows come in the order of their keys', () => {
  const random = createRandom(11);
  const below = (max: number) => Math.floor(random() * max);
  const values: readonly (() => SqlValue)[] = [
    () => 1,
    () => below(3),
    () => below(1e6),
    () => below(1e6) - 5e5,
    () => 2 ** 50 + below(9),
    () => random(),
    () => below(50).toString(16).padStart(2, '0'),
    () => `0000${below(2e9).toString(16).padStart(8, '0')}`,
    () => ['', 'a', 'aé', '\u4e01a', '\u4e00b', 'abcdefgh', 'abcdefgi', 'ÿb', 'ÿa'][below(9)]!,
  ];
  const pick = () => values[below(values.length)]!;
  for (let round = 0; round < 600; round += 1) {
    const columns = [pick(), pick(), pick()];
    const rows = Array.from({ length: below(90) }, (_, index) => [
      ...columns.map((next) => next()),
      index,
    ]);
    assert.deepEqual(sortByKey(TABLE, rows), rows.toSorted(compare));
  }
});

test('no row is lost whose number is as large as a rank may be', () => {
  const count = 1000;
  const most = Math.floor(Math.floor(2 ** 53 / count) / 256 ** 2);
  for (const number of [most - 2, most - 1, most, most + 1]) {
    const rows = Array.from({ length: count }, (_, index) => [
      ...[1, number + (index % 2), `zz${index}`],
    ]);
    assert.deepEqual(sortByKey(TABLE, rows), rows.toSorted(compare));
  }
});

test('rows of one key stay in their order', () => {
  const rows = [1, 1, 2, 1].map((key, index) => [key, 'dcba'[index]!]);
  const sorted = sortByKey({ ...TABLE, keyLength: 1 }, rows);
  assert.deepEqual(sorted.map(([, name]) => name).join(''), 'dcab');
  const same = [
    [1, 'b'],
    [1, 'a'],
  ];
  assert.deepEqual(sortByKey({ ...TABLE, keyLength: 1 }, same), same);
});

test('the rows that are given stay in their order', () => {
  const rows = [[2], [1]];
  assert.deepEqual(sortByKey({ ...TABLE, keyLength: 1 }, rows), [[1], [2]]);
  assert.deepEqual(rows, [[2], [1]]);
});
