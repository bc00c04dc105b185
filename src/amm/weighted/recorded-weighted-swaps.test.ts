// All 360 recorded swaps of Balancer's first weighted pools, to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readVenueFixture, skipWithoutVenues as skip } from '../../../test/venue-fixtures.ts';
import { WeightedPool } from './weighted-pool.ts';

interface RecordedWeightedSwap {
  readonly decimals: readonly number[];
  readonly weights: readonly string[];
  readonly balances: readonly string[];
  readonly swapFee: string;
  readonly i: number;
  readonly j: number;
  readonly amountIn: string;
  readonly amountOut: string;
}

function createPool(one: RecordedWeightedSwap, hasShortcuts: boolean): WeightedPool {
  const { i, j, decimals, weights, balances } = one;
  return new WeightedPool({
    ...{ balance0: BigInt(balances[i] ?? 0), balance1: BigInt(balances[j] ?? 0) },
    ...{ weight0: BigInt(weights[i] ?? 0), weight1: BigInt(weights[j] ?? 0) },
    ...{ decimals0: decimals[i] ?? 18, decimals1: decimals[j] ?? 18 },
    swapFee: BigInt(one.swapFee),
    hasShortcuts,
  });
}

function readSwaps(name: string): readonly RecordedWeightedSwap[] {
  return readVenueFixture(`balancer-v2-weighted/${name}.json`) as readonly RecordedWeightedSwap[];
}

function countDifferences(name: string, hasShortcuts: boolean) {
  const swaps = readSwaps(name);
  const differing = swaps.filter((one) => {
    const swap = createPool(one, hasShortcuts).swapIn(true, BigInt(one.amountIn));
    return !swap.isFilled || swap.amountOut !== BigInt(one.amountOut);
  });
  return { count: swaps.length, differing: differing.length };
}

describe('recorded swaps of weighted pools', { skip }, () => {
  it('are computed to the unit', () => {
    const none = { count: 180, differing: 0 };
    assert.deepEqual(countDifferences('swaps', false), none);
    assert.deepEqual(countDifferences('swaps-special-exponents', false), none);
    // At other weights, later pools pay the same.
    assert.deepEqual(countDifferences('swaps', true), none);
  });

  it('differ by the shortcuts of later pools at 50/50, 80/20 and 50/25', () => {
    assert.equal(countDifferences('swaps-special-exponents', true).differing, 82);
  });

  it('cost hardly more if the output is given, which the vault rounds up', () => {
    let compared = 0;
    for (const one of readSwaps('swaps').filter((_, index) => index % 6 === 0)) {
      const pool = createPool(one, false);
      const swap = pool.swapOut(true, BigInt(one.amountOut));
      const spare = BigInt(one.balances[one.i] ?? 0) / 10n ** 13n + 2n;
      if (one.amountOut === '0' || !swap.isFilled) continue;
      assert.ok(swap.amountIn <= BigInt(one.amountIn) + spare);
      assert.ok(pool.swapIn(true, swap.amountIn + spare).amountOut >= BigInt(one.amountOut));
      compared += 1;
    }
    assert.ok(compared > 20, `${compared} compared`);
  });
});
