// Recorded pools behave as the router expects of any pool: stored and revived without loss, curves
// that guide the search, swaps that add up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skipWithoutSolana as skip } from '../../../../test/solana-fixtures.ts';
import {
  buildPoolRecord,
  createRecordedSwapPool,
  isZeroForOne,
  RECORDED_POOLS,
  readPoolAt,
  readRecordedPool,
} from '../../../../test/solana-pools.ts';
import { kindOf } from '../../../amm/pool-kinds.ts';
import type { Stretch, SwapPool } from '../../../amm/swap-pool.ts';

/** What the pieces of the curve pay for an input. */
function payByPieces(pool: SwapPool, zeroForOne: boolean, amountIn: number): number {
  const pieces: Stretch[] = [];
  const stretch = { u: 0, depth: 0 };
  const stretches = pool.stretches(zeroForOne);
  while (pieces.length < 1000 && stretches.next(stretch)) pieces.push({ ...stretch });
  let [rest, paid] = [amountIn, 0];
  pieces.forEach(({ u, depth }, index) => {
    const end = pieces[index + 1]?.u ?? Number.POSITIVE_INFINITY;
    assert.ok(end >= u, 'the pieces ascend');
    const taken = Math.min(rest, depth * (end - u));
    paid += depth * (1 / u - 1 / (u + taken / depth));
    rest -= taken;
  });
  return paid;
}

describe('a recorded pool', { skip }, () => {
  for (const folder of RECORDED_POOLS) {
    it(`${folder} is stored, and revived on another thread, without loss`, () => {
      const recorded = readRecordedPool(folder);
      const record = buildPoolRecord(readPoolAt(recorded));
      const kind = kindOf(record);
      assert.deepEqual(kind.decodeTerms(kind.encodeTerms(record.terms)), record.terms);
      assert.deepEqual(kind.decodeState(kind.encodeState(record.state)), record.state);
      const pool = createRecordedSwapPool(recorded) ?? assert.fail();
      const revived = kind.revive(structuredClone(pool.toPlain()), pool.ticks);
      for (const quote of recorded.cases.slice(0, 10)) {
        const down = isZeroForOne(recorded, quote);
        const amount = BigInt(quote.amount);
        assert.deepEqual(revived.swapIn(down, amount), pool.swapIn(down, amount));
      }
    });

    it(`${folder} has a curve whose pieces pay as much as its swaps`, () => {
      const recorded = readRecordedPool(folder);
      const pool = createRecordedSwapPool(recorded) ?? assert.fail();
      const isAdaptive = folder.includes('adaptive');
      let compared = 0;
      for (const quote of recorded.cases) {
        const down = isZeroForOne(recorded, quote);
        const { isFilled, amountIn, amountOut } = pool.swapIn(down, BigInt(quote.amount));
        // Of smaller amounts, a unit of rounding is too large a share.
        if (!isFilled || amountIn < 10_000_000n || amountOut < 10_000_000n) continue;
        const share = payByPieces(pool, down, Number(amountIn)) / Number(amountOut);
        assert.ok(share > 1 - 2e-6, `${share} of ${amountOut}`);
        // Rising fees are not in the pieces of Orca's adaptive pools.
        assert.ok(share < (isAdaptive ? 1.1 : 1 + 1e-5), `${share} of ${amountOut}`);
        compared += 1;
      }
      assert.ok(compared > 0);
    });

    it(`${folder} never takes more than it says`, () => {
      const recorded = readRecordedPool(folder);
      const pool = createRecordedSwapPool(recorded) ?? assert.fail();
      for (const down of [true, false]) {
        const most = pool.takesAtMost(down, Number.MAX_VALUE);
        const { amountIn } = pool.swapIn(down, 2n ** 62n);
        assert.ok(Number(amountIn) <= most, `${amountIn} of ${most}`);
        assert.ok(pool.takesAtMost(down, 10) > 10 || most <= 10);
      }
    });

    it(`${folder} pays less for a second swap in the same direction`, () => {
      const recorded = readRecordedPool(folder);
      const pool = createRecordedSwapPool(recorded) ?? assert.fail();
      for (const quote of recorded.cases.slice(0, 10)) {
        const down = isZeroForOne(recorded, quote);
        const { swap, after } = pool.swapAndMove(down, BigInt(quote.amount));
        if (!swap.isFilled) continue;
        const second = after.swapIn(down, BigInt(quote.amount));
        assert.ok(second.amountOut <= swap.amountOut);
      }
    });
  }
});
