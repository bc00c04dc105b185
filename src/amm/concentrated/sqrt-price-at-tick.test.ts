// Tick prices against the constants and values that Uniswap's own tests publish.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TICK_MAX, TICK_MIN, toSqrtPriceX96 } from './sqrt-price-at-tick.ts';

describe('toSqrtPriceX96', () => {
  it('gives the published values', () => {
    assert.equal(toSqrtPriceX96(0), 2n ** 96n);
    assert.equal(toSqrtPriceX96(TICK_MIN), 4295128739n);
    assert.equal(toSqrtPriceX96(TICK_MIN + 1), 4295343490n);
    assert.equal(toSqrtPriceX96(TICK_MAX - 1), 1461373636630004318706518188784493106690254656249n);
    assert.equal(toSqrtPriceX96(TICK_MAX), 1461446703485210103287273052203988822378723970342n);
    assert.equal(toSqrtPriceX96(50), 79426470787362580746886972461n);
    assert.equal(toSqrtPriceX96(-50), 79030349367926598376800521322n);
    assert.equal(toSqrtPriceX96(250000), 21246587762933397357449903968194344n);
    assert.equal(toSqrtPriceX96(-738203), 7409801140451n);
  });

  it('rises with the tick', () => {
    for (let tick = TICK_MIN; tick < TICK_MAX; tick += 9973) {
      assert.ok(toSqrtPriceX96(tick) < toSqrtPriceX96(tick + 1));
    }
  });

  it('rejects numbers that are not ticks', () => {
    assert.throws(() => toSqrtPriceX96(TICK_MAX + 1), RangeError);
    assert.throws(() => toSqrtPriceX96(0.5), RangeError);
  });
});
