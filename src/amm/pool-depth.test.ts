// Compares depth with a bisection over exact quotes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualReservesPool } from '../../test/fakes/virtual-reserves-kind.ts';
import { fc } from '../../test/fast-check.ts';
import { bisectDepth } from '../../test/oracles/bisect-depth.ts';
import { ConcentratedPool } from './concentrated/concentrated-pool.ts';
import { toSqrtPriceX96 } from './concentrated/sqrt-price-at-tick.ts';
import { ConstantProductPool } from './constant-product/constant-product-pool.ts';
import { computeDepthTicks } from './depth-ticks.ts';
import { computeDepth } from './pool-depth.ts';
import type { SwapPool } from './swap-pool.ts';
import { TickList } from './tick-list.ts';

function assertDepth(pool: SwapPool, baseIsToken0: boolean): bigint {
  const depth = computeDepth(pool, baseIsToken0);
  assert.deepEqual(depth, bisectDepth(pool, baseIsToken0));
  return depth.reduce((sum, { bidRaw, askRaw }) => sum + bidRaw + askRaw, 0n);
}

/** The ticks of the depth's range, and the next one on each side, as the store gives them. */
function pickNear<Row extends { readonly tick: number; readonly liquidityNet: bigint }>(
  rows: readonly Row[],
  tick: number,
  base: number,
): Row[] {
  const { fromTick, toTick } = computeDepthTicks(tick, base)!;
  const filled = rows.filter(({ liquidityNet }) => liquidityNet !== 0n);
  const below = Math.max(...filled.map((row) => row.tick).filter((one) => one < fromTick));
  const above = Math.min(...filled.map((row) => row.tick).filter((one) => one > toTick));
  return filled.filter((row) => row.tick >= below && row.tick <= above);
}

const fee = fc.constantFrom(0, 100, 500, 3000, 10_000);

describe('depth', () => {
  it('of a constant-product pool is the largest swap by exact quotes', () => {
    const reserve = fc.oneof(
      fc.bigInt(1n, 1000n),
      fc.bigInt(1n, 10n ** 12n),
      fc.bigInt(10n ** 15n, 10n ** 28n),
      fc.constant(2n ** 112n - 1n),
    );
    let sum = 0n;
    fc.assert(
      fc.property(reserve, reserve, fee, fc.boolean(), (reserve0, reserve1, feePips, base) => {
        sum += assertDepth(new ConstantProductPool({ reserve0, reserve1 }, feePips), base);
      }),
      { seed: 18, numRuns: 150 },
    );
    assert.ok(sum > 0n);
  });

  it('of a concentrated pool is the largest swap by exact quotes', () => {
    const span = fc.record({
      from: fc.integer({ min: -60, max: 60 }),
      width: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(5000)),
      liquidity: fc.oneof(
        fc.bigInt(1n, 10n ** 6n),
        fc.bigInt(10n ** 10n, 10n ** 24n),
        fc.bigInt(1n, 2n ** 110n),
      ),
    });
    const scene = fc.record({
      tickSpacing: fc.constantFrom(1, 10, 60),
      centre: fc.integer({ min: -3000, max: 3000 }),
      offset: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 24n)),
      spans: fc.array(span, { maxLength: 6 }),
      feePips: fee,
      base: fc.boolean(),
    });
    let sum = 0n;
    let left = 0;
    fc.assert(
      fc.property(scene, ({ tickSpacing, centre, offset, spans, feePips, base }) => {
        const nets = new Map<number, bigint>();
        const middle = Math.floor(centre / tickSpacing);
        let liquidity = 0n;
        for (const { from, width, liquidity: added } of spans) {
          const lower = (middle + from) * tickSpacing;
          const upper = lower + width * tickSpacing;
          nets.set(lower, (nets.get(lower) ?? 0n) + added);
          nets.set(upper, (nets.get(upper) ?? 0n) - added);
          if (lower <= centre && centre < upper) liquidity += added;
        }
        const sqrtPriceX96 = toSqrtPriceX96(centre) + offset;
        fc.pre(sqrtPriceX96 < toSqrtPriceX96(centre + 1));
        const rows = Array.from(nets, ([tick, liquidityNet]) => ({ tick, liquidityNet }));
        const ticks = new TickList(rows.filter(({ liquidityNet }) => liquidityNet !== 0n));
        const fees = { zeroForOne: feePips, oneForZero: feePips };
        const state = { sqrtPriceX96, liquidity, tick: centre };
        const pool = new ConcentratedPool(state, { bitmapSpacing: tickSpacing, fees, ticks });
        sum += assertDepth(pool, base);
        const near = new TickList(pickNear(rows, centre, 1.0001));
        const part = new ConcentratedPool(state, { bitmapSpacing: tickSpacing, fees, ticks: near });
        assert.deepEqual(computeDepth(part, base), computeDepth(pool, base));
        left += rows.length - near.size;
      }),
      { seed: 18, numRuns: 200 },
    );
    assert.ok(sum > 0n);
    assert.ok(left > 0, 'every tick was near');
  });

  it('of a kind without a formula is searched by exact quotes', () => {
    const pool = new VirtualReservesPool({
      ...{ virtual0: 10n ** 20n, virtual1: 10n ** 18n, real0: 10n ** 19n, real1: 3n * 10n ** 16n },
      feePips: 3000,
    });
    assert.ok(assertDepth(pool, true) > 0n);
    assert.ok(assertDepth(pool, false) > 0n);
  });
});
