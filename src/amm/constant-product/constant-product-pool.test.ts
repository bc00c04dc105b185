// Compares constant-product swaps with the routers' formulas, and checks the invariant.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { ConstantProductPool } from './constant-product-pool.ts';

const anyReserve = fc
  .tuple(fc.bigInt(1n, 2n ** 48n), fc.integer({ min: 0, max: 60 }))
  .map(([mantissa, shift]) => mantissa << BigInt(shift));
const anyAmount = fc
  .tuple(fc.bigInt(1n, 2n ** 40n), fc.integer({ min: 0, max: 62 }))
  .map(([mantissa, shift]) => mantissa << BigInt(shift));

/** The fees of forks: 0.3 %, 0.25 %, 0.2 %, 0.05 %, none. */
const FORKS = [
  { feePips: 3000, kept: 997n, of: 1000n },
  { feePips: 2500, kept: 9975n, of: 10_000n },
  { feePips: 2000, kept: 998n, of: 1000n },
  { feePips: 500, kept: 9995n, of: 10_000n },
  { feePips: 0, kept: 1n, of: 1n },
] as const;

const UINT112_MAX = 2n ** 112n - 1n;

describe('ConstantProductPool', () => {
  it('equals the routers getAmountOut for each way a fork writes its fee', () => {
    fc.assert(
      fc.property(
        anyReserve,
        anyReserve,
        anyAmount,
        fc.constantFrom(...FORKS),
        (reserve0, reserve1, amountIn, { feePips, kept, of }) => {
          fc.pre(reserve0 + amountIn <= UINT112_MAX);
          const withFee = amountIn * kept;
          const expected = (withFee * reserve1) / (reserve0 * of + withFee);
          const swap = new ConstantProductPool({ reserve0, reserve1 }, feePips).swapIn(
            true,
            amountIn,
          );
          assert.equal(swap.amountOut, expected);
          assert.deepEqual(swap.after, {
            reserve0: reserve0 + amountIn,
            reserve1: reserve1 - expected,
          });
          assert.equal(swap.isFilled, true);
        },
      ),
    );
  });

  it('equals the routers getAmountIn, and one unit less does not buy as much', () => {
    fc.assert(
      fc.property(
        anyReserve,
        anyReserve,
        anyAmount,
        fc.constantFrom(...FORKS),
        (reserve0, reserve1, amountOut, { feePips, kept, of }) => {
          fc.pre(amountOut < reserve0);
          const expected = (reserve1 * amountOut * of) / ((reserve0 - amountOut) * kept) + 1n;
          fc.pre(reserve1 + expected <= UINT112_MAX);
          const pool = new ConstantProductPool({ reserve0, reserve1 }, feePips);
          const swap = pool.swapOut(false, amountOut);
          assert.equal(swap.amountIn, expected);
          assert.ok(pool.swapIn(false, expected).amountOut >= amountOut);
          // The contract's `+ 1` may be one too many, never two.
          if (expected > 2n) assert.ok(pool.swapIn(false, expected - 2n).amountOut < amountOut);
        },
      ),
    );
  });

  it('never lets the product fall', () => {
    fc.assert(
      fc.property(
        anyReserve,
        anyReserve,
        anyAmount,
        fc.boolean(),
        (reserve0, reserve1, amount, down) => {
          const { after } = new ConstantProductPool({ reserve0, reserve1 }, 3000).swapIn(
            down,
            amount,
          );
          assert.ok(after.reserve0 * after.reserve1 >= reserve0 * reserve1);
        },
      ),
    );
  });

  it('takes nothing if the reserves would overflow', () => {
    const pool = new ConstantProductPool({ reserve0: 10n, reserve1: 10n ** 30n }, 3000);
    assert.equal(pool.swapIn(true, UINT112_MAX - 10n).isFilled, true);
    const refused = pool.swapIn(true, UINT112_MAX - 9n);
    assert.deepEqual([refused.isFilled, refused.amountIn, refused.amountOut], [false, 0n, 0n]);
  });

  it('an empty pair takes nothing, and no pair sells its whole reserve', () => {
    const empty = new ConstantProductPool({ reserve0: 0n, reserve1: 0n }, 3000);
    assert.equal(empty.swapIn(true, 1n).isFilled, false);
    const pool = new ConstantProductPool({ reserve0: 1000n, reserve1: 1000n }, 3000);
    assert.equal(pool.swapOut(true, 1000n).isFilled, false);
    assert.equal(pool.swapOut(true, 999n).isFilled, true);
  });

  it('reports the fee that is part of the input', () => {
    const pool = new ConstantProductPool({ reserve0: 10n ** 24n, reserve1: 10n ** 24n }, 3000);
    assert.equal(pool.swapIn(true, 1_000_000n).feeAmount, 3000n);
  });
});
