// A purchase that would go beyond the end of Meteora's curve is not filled: the program refuses it.

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
