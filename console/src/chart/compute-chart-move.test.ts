// Keys move over the chart: from candle to candle, by pages, to its ends, nearer and farther.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeChartMove, isChartKey } from './compute-chart-move.ts';

const VIEW = { range: { from: 60, to: 104 }, chosen: null, count: 100 };

test('the first arrow looks at the newest candle that is shown, the next one at its neighbour', () => {
  const first = computeChartMove('ArrowLeft', VIEW);
  assert.deepEqual(first, { chosen: 99, range: { from: 60, to: 104 } });
  const second = computeChartMove('ArrowLeft', { ...VIEW, ...first });
  assert.equal(second.chosen, 98);
  assert.equal(
    computeChartMove('ArrowRight', { ...VIEW, ...first }).chosen,
    99,
    'there is no more',
  );
});

test('a candle beyond the screen is brought onto it, and none is before the first', () => {
  const left = computeChartMove('ArrowLeft', { ...VIEW, chosen: 60 });
  assert.deepEqual(left, { chosen: 59, range: { from: 59, to: 103 } });
  const right = computeChartMove('ArrowRight', {
    range: { from: 10, to: 20 },
    chosen: 19,
    count: 100,
  });
  assert.deepEqual(right, { chosen: 20, range: { from: 11, to: 21 } });
  assert.equal(computeChartMove('ArrowLeft', { ...VIEW, chosen: 0 }).chosen, 0);
});

test('Home and End go to the ends and keep the length, pages move most of it', () => {
  assert.deepEqual(computeChartMove('Home', VIEW), { chosen: 0, range: { from: 0, to: 44 } });
  assert.deepEqual(computeChartMove('End', { ...VIEW, range: { from: 0, to: 44 } }), {
    chosen: 99,
    range: { from: 60, to: 104 },
  });
  const { range } = computeChartMove('PageUp', VIEW);
  assert.deepEqual(range, { from: 25, to: 69 });
  assert.deepEqual(computeChartMove('PageDown', { ...VIEW, range }).range, VIEW.range);
});

test('plus and minus keep what is looked at in its place, and plus has an end', () => {
  const at = { range: { from: 0, to: 60 }, chosen: 30, count: 100 };
  assert.deepEqual(computeChartMove('+', at).range, { from: 10, to: 50 });
  assert.deepEqual(computeChartMove('-', at).range, { from: -15, to: 75 });
  const near = computeChartMove('=', { ...at, range: { from: 25, to: 36 } }).range;
  assert.equal(Math.round(near.to - near.from), 10);
});

test('other keys are left to the page', () => {
  assert.ok(isChartKey('+') && isChartKey('PageUp'));
  assert.ok(!isChartKey('/') && !isChartKey('Tab') && !isChartKey('g'));
});
