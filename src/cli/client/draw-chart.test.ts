// Charts, tables and figures as a person sees them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawChart, drawLine } from './draw-chart.ts';
import { formatTable } from './format-table.ts';
import { formatNumber, formatPct, formatTime, shorten } from './format-value.ts';

test('a line rises and falls with its values, and the lowest is still visible', () => {
  assert.equal(drawLine([0, 1, 2, 3, 4, 5, 6, 7], 8), '▁▂▃▄▅▆▇█');
  assert.equal(drawLine([7, 0], 8), '█▁');
  assert.equal(drawLine([5, 5, 5], 8), '▄▄▄');
});

test('more values than columns are thinned out, and the last one stays', () => {
  const values = Array.from({ length: 100 }, (_, index) => (index === 99 ? 1000 : index));
  const line = drawLine(values, 10);
  assert.equal(line.length, 10);
  assert.equal(line.at(-1), '█');
});

test('a chart has its highest and lowest price beside it and fits its width', () => {
  const rows = drawChart([1, 2, 3, 2, 1], { width: 20, height: 3 }).split('\n');
  assert.equal(rows.length, 3);
  assert.match(rows[0] ?? '', /^3\.0000 /);
  assert.match(rows[2] ?? '', /^1\.0000 ▁███▁$/);
  assert.ok(rows.every((row) => row.length <= 20));
  assert.equal(drawChart([], { width: 20, height: 3 }), '');
});

test('columns are as wide as their cells, numbers to the right', () => {
  const rows = [
    { name: 'A', price: '1' },
    { name: 'Longer', price: '22.5' },
  ];
  const table = formatTable(rows, [
    { title: 'NAME', read: ({ name }) => name },
    { title: 'PRICE', read: ({ price }) => price, isNumber: true },
  ]);
  assert.equal(table, 'NAME    PRICE\nA           1\nLonger   22.5');
});

test('figures have about five digits and no exponent', () => {
  const shown = ['0.426208879', '65012.3', '3000.12345', '0.00000000042', '6283550.6', '2e12', '0'];
  assert.deepEqual(shown.map(formatNumber), [
    ...['0.42621', '65012', '3000.1', '0.00000000042000', '6.28M', '2.00T', '0'],
  ]);
  assert.equal(formatNumber(null), '-');
  assert.deepEqual([formatPct(1.0556), formatPct(-3), formatPct(null)], ['+1.06%', '-3.00%', '-']);
  assert.equal(formatTime(1_794_818_233_000), '2026-11-16 08:37:13');
  assert.equal(shorten('0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2'), '0x39d0…3df2');
});
