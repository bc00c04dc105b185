// Searches inputs from good and bad estimates, and compares them with all inputs tried in turn.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findInputNear } from './input-near.ts';

const LARGEST = 1000n;

/** Pays two thirds of the input, rounded down; takes at most `LARGEST`. */
function swapIn(amountIn: bigint) {
  const isFilled = amountIn <= LARGEST;
  const amountOut = isFilled ? (amountIn * 2n) / 3n : 0n;
  return { amountIn, amountOut, feeAmount: 0n, isFilled, ticksCrossed: 0 };
}

function tryAll(amountOut: bigint): bigint | null {
  for (let amountIn = 1n; amountIn <= LARGEST; amountIn += 1n) {
    if (swapIn(amountIn).amountOut >= amountOut) return amountIn;
  }
  return null;
}

describe('findInputNear', () => {
  it('finds the smallest input that pays enough, whatever the estimate', () => {
    for (const amountOut of [1n, 2n, 3n, 333n, 665n, 666n]) {
      for (const guess of [-5n, 0n, 1n, 2n, 500n, 998n, 999n, 1000n, 1001n, 5000n]) {
        const swap = findInputNear(guess, amountOut, swapIn);
        assert.deepEqual([swap.isFilled, swap.amountIn], [true, tryAll(amountOut)]);
      }
    }
  });

  it('is not filled if no input pays enough', () => {
    for (const guess of [1n, 900n, 1000n, 5000n]) {
      assert.equal(findInputNear(guess, 667n, swapIn).isFilled, false);
    }
    const full = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };
    assert.equal(findInputNear(5n, 1n, () => full).isFilled, false);
  });
});
