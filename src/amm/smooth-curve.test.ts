// Compares the pieces of smooth curves with the exact swaps of their pools.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SolidlyPairPool, type SolidlyTerms } from './solidly-pair/solidly-pair-pool.ts';
import { StableSwapPool } from './stable-swap/stable-swap-kind.ts';
import type { SwapPool } from './swap-pool.ts';
import { WeightedPool } from './weighted/weighted-pool.ts';

/** What the pieces pay for an input. */
function payByPieces(pool: SwapPool, zeroForOne: boolean, amountIn: number): number {
  const stretches = pool.stretches(zeroForOne);
  const [stretch, next] = [
    { u: 0, depth: 0 },
    { u: 0, depth: 0 },
  ];
  let [left, paid] = [amountIn, 0];
  let isThere = stretches.next(stretch);
  while (isThere && left > 0) {
    isThere = stretches.next(next);
    const whole = isThere ? (next.u - stretch.u) * stretch.depth : Number.POSITIVE_INFINITY;
    const end = left < whole ? stretch.u + left / stretch.depth : next.u;
    paid += stretch.depth * (1 / stretch.u - 1 / end);
    left -= Math.min(left, whole);
    Object.assign(stretch, next);
  }
  return paid;
}

const TERMS: SolidlyTerms = {
  ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
  ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
};

function createStablePair(reserve0: bigint, reserve1: bigint): SolidlyPairPool {
  const fees = { zeroForOne: 500, oneForZero: 500 };
  const pair = { reserve0, reserve1, decimals0: 6, decimals1: 18, isStable: true, fees };
  return new SolidlyPairPool({ ...pair, terms: TERMS });
}

const STABLE_SWAP = {
  ...{ index0: 0, index1: 2, rates: [10n ** 30n, 10n ** 30n, 10n ** 18n] },
  ...{ ampPrecise: 20_000n, fee: 4_000_000n, offpegMultiplier: 0n },
};

const WEIGHTED = {
  ...{ weight0: 8n * 10n ** 17n, weight1: 2n * 10n ** 17n, decimals0: 6, decimals1: 18 },
  ...{ balance0: 10n ** 12n, balance1: 10n ** 24n, swapFee: 3n * 10n ** 15n, hasShortcuts: true },
};

const POOLS: Readonly<Record<string, SwapPool>> = {
  'a StableSwap pool': new StableSwapPool({
    ...STABLE_SWAP,
    balances: [10n ** 12n, 3n * 10n ** 12n, 10n ** 24n],
  }),
  'a weighted pool': new WeightedPool(WEIGHTED),
  'a balanced stable pair': createStablePair(10n ** 12n, 10n ** 24n),
  'a stable pair out of balance': createStablePair(9n * 10n ** 12n, 10n ** 23n),
};

describe('the pieces of a smooth curve', () => {
  for (const [name, pool] of Object.entries(POOLS)) {
    it(`pay more than ${name}, or a millionth less, and little more`, () => {
      for (const zeroForOne of [true, false]) {
        const scale = zeroForOne ? 10n ** 12n : 10n ** 24n;
        for (const permille of [1n, 10n, 50n, 200n, 500n, 900n, 1500n, 4000n]) {
          const swap = pool.swapIn(zeroForOne, (scale * permille) / 1000n);
          const { amountIn, amountOut } = swap;
          if (!swap.isFilled) continue;
          const share = payByPieces(pool, zeroForOne, Number(amountIn)) / Number(amountOut);
          assert.ok(share > 1 - 1e-6 && share < 1.02, `${zeroForOne} ${permille}: ${share}`);
        }
      }
    });
  }
});
