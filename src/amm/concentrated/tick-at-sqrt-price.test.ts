// Ticks of prices, at and around every kind of boundary.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { oraclePriceAt } from '../../../test/oracles/contract-swap.ts';
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  TICK_MAX,
  TICK_MIN,
  toSqrtPriceX96,
} from './sqrt-price-at-tick.ts';
import { toTick } from './tick-at-sqrt-price.ts';

const anyTick = fc.integer({ min: TICK_MIN + 1, max: TICK_MAX - 1 });

describe('toTick', () => {
  it('finds each tick from its own price and from one unit beside it', () => {
    fc.assert(
      fc.property(anyTick, (tick) => {
        const price = toSqrtPriceX96(tick);
        assert.equal(price, oraclePriceAt(tick));
        assert.equal(toTick(price), tick);
        assert.equal(toTick(price - 1n), tick - 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('knows the ends of the range', () => {
    assert.equal(toTick(SQRT_PRICE_X96_MIN), TICK_MIN);
    assert.equal(toTick(SQRT_PRICE_X96_MAX - 1n), TICK_MAX - 1);
    assert.throws(() => toTick(SQRT_PRICE_X96_MIN - 1n), RangeError);
    assert.throws(() => toTick(SQRT_PRICE_X96_MAX), RangeError);
  });
});
