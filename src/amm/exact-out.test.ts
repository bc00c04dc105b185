// What a pool asks for an output, against what it pays for an input: for every kind of pool.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { createRandomMarket } from '../../test/fakes/random-pools.ts';
import { CeiledProductPool } from './ceiled-product/ceiled-product-kind.ts';
import { PumpPool } from './pump/pump-kind.ts';
import { SolidlyPairPool } from './solidly-pair/solidly-pair-pool.ts';
import { StableSwapPool } from './stable-swap/stable-swap-kind.ts';
import type { SwapPool } from './swap-pool.ts';
import { WeightedPool } from './weighted/weighted-pool.ts';

type Random = () => number;

function drawReserve(random: Random): bigint {
  return BigInt(Math.floor(10 ** (9 + random() * 7)));
}

function drawMarketPool(random: Random, concentratedShare: number): SwapPool {
  const shape = { poolCount: 1, assetCount: 2, noise: 0.002, concentratedShare };
  return createRandomMarket(random, shape).pools[0]?.curve ?? assert.fail();
}

function drawSolidly(random: Random, isStable: boolean): SwapPool {
  const terms = {
    ...{ rounding: 'fee', loop: 'settled', reserveBits: 256 },
    ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
  } as never;
  const reserve = drawReserve(random);
  return new SolidlyPairPool({
    ...{ reserve0: reserve, reserve1: reserve * 2n, decimals0: 6, decimals1: 6, isStable, terms },
    fees: { zeroForOne: 3000, oneForZero: 3000 },
  });
}

const KINDS: Readonly<Record<string, (random: Random) => SwapPool>> = {
  constantProduct: (random) => drawMarketPool(random, 0),
  concentrated: (random) => drawMarketPool(random, 1),
  volatileSolidly: (random) => drawSolidly(random, false),
  stableSolidly: (random) => drawSolidly(random, true),
  ceiledProduct: (random) =>
    new CeiledProductPool({
      ...{ reserve0: drawReserve(random), reserve1: drawReserve(random) },
      fees: { zeroForOne: 2500, oneForZero: 2500 },
      terms: {
        ...{ creatorFeePips: 500, creatorFeeOn: 'token1' },
        ...{ protocolSharePips: 120_000, fundSharePips: 40_000 },
      },
    }),
  pump: (random) => {
    const [reserve0, reserve1] = [drawReserve(random), drawReserve(random)];
    const held = { held0: reserve0, held1: reserve1 };
    const fees = { lpBps: 20, protocolBps: 5, creatorBps: 5 };
    return new PumpPool({ stage: 'amm', reserve0, reserve1, ...held, ...fees });
  },
  stableSwap: (random) => {
    const balance = drawReserve(random);
    return new StableSwapPool({
      ...{ index0: 0, index1: 1, balances: [balance, balance * 2n] },
      ...{ rates: [10n ** 30n, 10n ** 30n], ampPrecise: 20_000n, fee: 4_000_000n },
      offpegMultiplier: 20n * 10n ** 10n,
    });
  },
  weighted: (random) =>
    new WeightedPool({
      ...{ balance0: drawReserve(random), balance1: drawReserve(random) },
      ...{ weight0: 8n * 10n ** 17n, weight1: 2n * 10n ** 17n, decimals0: 6, decimals1: 6 },
      ...{ swapFee: 3n * 10n ** 15n, hasShortcuts: true },
    }),
};

const COUNT = 300;
/** Its instruction for a given input rounds each fee once more. */
const PUMP_SPARE = 6n;
/** The vault rounds a power up by 1e-14, in both directions of its computation. */
const WEIGHTED_SPARE = 2_000n;

describe('swapOut', () => {
  for (const [name, drawPool] of Object.entries(KINDS)) {
    it(`of ${name}: its input pays the output, and hardly less of it would`, () => {
      const random = createRandom(7);
      let compared = 0;
      for (let count = 0; count < COUNT; count += 1) {
        const pool = drawPool(random);
        const zeroForOne = random() < 0.5;
        const spent = BigInt(Math.ceil(10 ** (random() * 9)));
        const { amountOut, isFilled } = pool.swapIn(zeroForOne, spent);
        if (!isFilled || amountOut === 0n) continue;
        const asked = pool.swapOut(zeroForOne, amountOut);
        const what = `${spent} for ${amountOut}, asked ${asked.amountIn}`;
        assert.ok(asked.isFilled, what);
        // A step of a range rounds its input up, and its fee once more.
        const rounding =
          (name === 'weighted' ? WEIGHTED_SPARE : 2n) + 2n * BigInt(asked.ticksCrossed);
        assert.ok(asked.amountIn <= spent + rounding, what);
        const spare = { pump: PUMP_SPARE, weighted: WEIGHTED_SPARE }[name] ?? 0n;
        const { amountOut: paidBack } = pool.swapIn(zeroForOne, asked.amountIn + spare);
        assert.ok(paidBack >= amountOut, what);
        const less = asked.amountIn - rounding;
        const paid = less > 0n ? pool.swapIn(zeroForOne, less).amountOut : 0n;
        assert.ok(paid <= amountOut, `${paid} for ${less}, ${what}`);
        compared += 1;
      }
      assert.ok(compared > COUNT / 3, `only ${compared} compared`);
    });
  }
});

it('pump takes no more than its program can add to the reserve', () => {
  const reserves = { reserve0: 10n ** 12n, reserve1: 10n ** 12n };
  const held = { held0: 10n ** 12n, held1: 10n ** 12n };
  const fees = { lpBps: 20, protocolBps: 5, creatorBps: 5 };
  const pool = new PumpPool({ stage: 'amm', ...reserves, ...held, ...fees });
  const most = 2n ** 64n - 1n - 10n ** 12n;
  for (const zeroForOne of [true, false]) {
    assert.equal(pool.swapIn(zeroForOne, most).isFilled, true);
    assert.equal(pool.swapIn(zeroForOne, most + 1n).isFilled, false);
  }
});
