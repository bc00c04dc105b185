// Meteora's curve: a purchase beyond its end is not filled, because the program refuses it; a given
// output is paid to the unit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlainSegments, SegmentsPool } from './segments-pool.ts';

const PRICE = 1n << 64n;
const CURVE: PlainSegments = {
  ...{ sqrtPriceX64: PRICE, priceStart: PRICE, feeRate: 0n, feeOn: 'quote' },
  // The last segment goes on beyond what ends the curve.
  segments: [{ priceEnd: PRICE * 100n, wide: 1_000_000_000n << 64n }],
  room: 1000n,
};

test('a purchase up to the end is filled, one unit more is not', () => {
  const pool = new SegmentsPool(CURVE);
  assert.equal(pool.swapIn(false, 1000n).isFilled, true);
  assert.equal(pool.swapIn(false, 1001n).isFilled, false);
});

test('what was bought before takes of the room', () => {
  const { after } = new SegmentsPool(CURVE).swapAndMove(false, 600n);
  assert.equal(after.swapIn(false, 400n).isFilled, true);
  assert.equal(after.swapIn(false, 401n).isFilled, false);
});

test('a fee of the input is not paid into the curve', () => {
  const pool = new SegmentsPool({ ...CURVE, feeRate: 10_000_000n });
  assert.equal(pool.swapIn(false, 1010n).isFilled, true);
});

test('a given output is paid to the unit, even if the smallest input buys more', () => {
  const pool = new SegmentsPool({ ...CURVE, sqrtPriceX64: PRICE / 10n, priceStart: PRICE / 100n });
  assert.ok(pool.swapIn(false, 1n).amountOut > 50n);
  const { amountIn, amountOut, isFilled } = pool.swapOut(false, 50n);
  assert.deepEqual([amountIn, amountOut, isFilled], [1n, 50n, true]);
});
