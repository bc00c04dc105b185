// Charts, tables and figures as a person sees them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawCandles } from './draw-candles.ts';
import { drawLine } from './draw-line.ts';
import { cutText, formatTable, measureText } from './format-table.ts';
import {
  formatAmount,
  formatCount,
  formatNumber,
  formatPct,
  formatTime,
  shorten,
} from './format-value.ts';

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

const paint = (_: string, text: string) => text;
const HOUR_MS = 3_600_000;

function candle(at: number, [open, high, low, close]: readonly [number, number, number, number]) {
  return { openTime: at * HOUR_MS, isFilled: false, open, high, low, close };
}

test('a candle has a body and wicks, and one without a trade a dash in its own column', () => {
  const rows = drawCandles(
    [
      candle(0, [2, 4, 1, 3]),
      { ...candle(1, [3, 3, 3, 3]), isFilled: true },
      candle(2, [3, 3, 1, 1]),
    ],
    { width: 40, height: 4, paint },
  ).split('\n');
  assert.deepEqual(rows, [
    '4.0000 │  ',
    '       ┃╌┃',
    '       ┃ ┃',
    '1.0000 │ ┃',
    '       01-01 00:00',
  ]);
});

test('the last candles are drawn where not all have room, and times stand below their candles', () => {
  const all = Array.from({ length: 100 }, (_, at) => candle(at, [at, at + 1, at, at + 1]));
  const rows = drawCandles(all, { width: 47, height: 3, paint }).split('\n');
  assert.ok(
    rows.every((row) => measureText(row) <= 47),
    rows.join('\n'),
  );
  assert.match(rows[0] ?? '', /^100\.00 /);
  assert.equal(rows.at(-1), '       01-03 12:00    01-04 03:00');
  assert.equal(drawCandles([], { width: 20, height: 3, paint }), '');
});

test('columns are as wide as their cells, numbers to the right', () => {
  const rows = [
    { name: 'A', price: '1' },
    { name: 'Longer', price: '22.5' },
  ];
  const table = formatTable(
    rows,
    [
      { title: 'NAME', read: ({ name }) => name },
      { title: 'PRICE', read: ({ price }) => price, isNumber: true },
    ],
    { width: 80 },
  );
  assert.equal(table, 'NAME    PRICE\nA           1\nLonger   22.5');
});

test('a table that is too wide narrows and drops columns, and puts the id below its row', () => {
  const rows = [{ name: '柴犬', note: 'a note', id: '0x1234567890' }];
  const columns = [
    { title: 'NAME', read: ({ name }: (typeof rows)[0]) => name },
    { title: 'NOTE', read: ({ note }: (typeof rows)[0]) => note, narrow: 'drop' as const },
    { title: 'ID', read: ({ id }: (typeof rows)[0]) => id, narrow: () => '0x1…' },
  ];
  assert.equal(
    formatTable(rows, columns, { width: 80 }).split('\n')[1],
    '柴犬  a note  0x1234567890',
  );
  assert.equal(formatTable(rows, columns, { width: 18 }).split('\n')[1], '柴犬  a note  0x1…');
  assert.equal(formatTable(rows, columns, { width: 12 }).split('\n')[1], '柴犬  0x1…');
  const below = { title: 'ID', read: ({ id }: (typeof rows)[0]) => id };
  const short = formatTable(rows, columns.slice(0, 2), { width: 20, below });
  assert.equal(short, 'NAME  NOTE\n柴犬  a note\n  0x1234567890');
});

test('a name that would move the cursor is shown without what moves it', () => {
  const rows = [{ name: 'A\u001b[2J\u009b1mB' }];
  const table = formatTable(rows, [{ title: 'NAME', read: ({ name }) => name }], { width: 80 });
  assert.doesNotMatch(table, /[^\P{Cc}\n]/u);
});

test('a text is measured as a terminal shows it, and cut to its columns', () => {
  assert.deepEqual(['abc', '柴犬', 'e\u0301', '🐕'].map(measureText), [3, 4, 1, 2]);
  assert.deepEqual([cutText('柴犬コイン', 6), cutText('abc', 3)], ['柴犬…', 'abc']);
});

test('amounts have their units, to the last digit', () => {
  const ether = { decimals: 18, symbol: 'ETH' };
  assert.equal(formatAmount('1234500000000000000001', ether), '1,234.500000000000000001 ETH');
  assert.equal(formatAmount('12', { decimals: null, symbol: 'X' }), '12 raw units');
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

test('what is counted has no fraction', () => {
  assert.deepEqual([0, 48, 921, 999_999, 1_500_000, null].map(formatCount), [
    ...['0', '48', '921', '999999', '1.50M', '-'],
  ]);
});
