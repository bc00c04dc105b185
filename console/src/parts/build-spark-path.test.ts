// Sparklines go through the known prices, the highest at the top.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSparkPath } from './build-spark-path.ts';

test('the line goes from the first to the last known price and leaves gaps out', () => {
  assert.equal(buildSparkPath(['1', null, '3']), 'M0.0 26.0L96.0 2.0');
  assert.equal(buildSparkPath([null, '3', '1']), 'M48.0 2.0L96.0 26.0');
});

test('a price that does not move is a line in the middle, and one price is no line', () => {
  assert.equal(buildSparkPath(['2', '2']), 'M0.0 14.0L96.0 14.0');
  assert.equal(buildSparkPath([null, '2', null]), null);
});
