// All 330 recorded swaps of Curve's StableSwap NG pools of two, three and four coins, to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type RecordedExchange,
  readExchanges,
  skipWithoutVenues as skip,
} from '../../../test/venue-fixtures.ts';
import { StableSwapPool } from './stable-swap-kind.ts';

function createPool(one: RecordedExchange): StableSwapPool {
  return new StableSwapPool({
    ...{ index0: one.i, index1: one.j },
    balances: one.balances.map(BigInt),
    rates: one.rates.map(BigInt),
    ampPrecise: BigInt(one.ampPrecise),
    fee: BigInt(one.fee),
    offpegMultiplier: BigInt(one.offpegFeeMultiplier),
  });
}

describe('recorded swaps of StableSwap NG', { skip }, () => {
  const exchanges = readExchanges();

  it('are computed to the unit', () => {
    assert.equal(exchanges.length, 330);
    for (const one of exchanges) {
      const { isFilled, amountOut } = createPool(one).swapIn(true, BigInt(one.dx));
      assert.deepEqual([isFilled, amountOut], [true, BigInt(one.dy)]);
    }
  });

  it('leave the balances that the next one finds', () => {
    let count = 0;
    for (const [index, one] of exchanges.entries()) {
      const next = exchanges[index + 1];
      const { after } = createPool(one).swapAndMove(true, BigInt(one.dx));
      if (String(after.toPlain().balances) === String(next?.balances)) count += 1;
    }
    // The others are followed by another pool.
    assert.equal(count, 327);
  });

  it('are paid by the smallest input that is enough for the output', () => {
    for (const one of exchanges.filter(({ dy }, index) => index % 10 === 0 && dy !== '0')) {
      const pool = createPool(one);
      const swap = pool.swapOut(true, BigInt(one.dy));
      assert.ok(swap.isFilled && swap.amountOut >= BigInt(one.dy));
      assert.ok(swap.amountIn <= BigInt(one.dx));
      assert.ok(pool.swapIn(true, swap.amountIn - 1n).amountOut < BigInt(one.dy));
    }
  });
});
