// Depth against what a swap would pay, and against dressing up a pool.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toSqrtPriceX96 } from '../amm/concentrated/sqrt-price-at-tick.ts';
import type { MarketView } from '../chains/quote-rule.ts';
import type { PoolEntry, TickEntry } from './market-state.ts';
import { toDepthRaw } from './pool-depth.ts';

const E18 = 10n ** 18n;

function toView(baseIsToken0: boolean): MarketView {
  return { base: '0xbase', quote: '0xquote', baseIsToken0, baseRank: 0, quoteRank: 1 };
}

interface Position {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

function makePool(
  fields: Partial<PoolEntry['row']>,
  positions: readonly Position[] = [],
): PoolEntry {
  const ticks = new Map<number, TickEntry>();
  const add = (tick: number, gross: bigint, net: bigint): void => {
    const entry = ticks.get(tick) ?? {
      row: { pool: '0xpool', tick, liquidityGross: 0n, liquidityNet: 0n },
      imagedBlock: -1,
    };
    entry.row.liquidityGross += gross;
    entry.row.liquidityNet += net;
    ticks.set(tick, entry);
  };
  for (const { lower, upper, liquidity } of positions) {
    add(lower, liquidity, liquidity);
    add(upper, liquidity, -liquidity);
  }
  const row = {
    pool: '0xpool',
    complete: true,
    reserve0: null,
    reserve1: null,
    sqrtPriceX96: null,
    liquidity: null,
    tick: null,
    ...fields,
  } as PoolEntry['row'];
  return { row, views: [], imagedBlock: -1, ticks, tickOrder: null };
}

function makeConcentrated(tick: number, positions: readonly Position[]): PoolEntry {
  const active = positions.filter(({ lower, upper }) => lower <= tick && tick < upper);
  return makePool(
    {
      sqrtPriceX96: toSqrtPriceX96(tick),
      tick,
      liquidity: active.reduce((sum, { liquidity }) => sum + liquidity, 0n),
    },
    positions,
  );
}

/** What each position alone would pay over the band: the sum must be what the walk finds. */
function sumPositions(tick: number, positions: readonly Position[], down: boolean): number {
  const price = 1.0001 ** (tick / 2);
  const end = down ? price * Math.sqrt(0.98) : price / Math.sqrt(0.98);
  return positions.reduce((sum, { lower, upper, liquidity }) => {
    const from = Math.max(1.0001 ** (lower / 2), Math.min(price, end));
    const to = Math.min(1.0001 ** (upper / 2), Math.max(price, end));
    if (to <= from) return sum;
    return sum + Number(liquidity) * (down ? to - from : 1 / from - 1 / to);
  }, 0);
}

describe('toDepthRaw', () => {
  it('of a constant-product pool is what it pays until the price is two per cent lower', () => {
    const pool = makePool({ reserve0: 500n * E18, reserve1: 1000n * E18 });
    const depth = toDepthRaw(pool, toView(true));
    // x·y stays, so with y' = y − depth the price falls by (y'/y)².
    const left = 1 - Number(depth) / 1e21;
    assert.ok(Math.abs(left ** 2 - 0.98) < 1e-12);
    assert.equal(toDepthRaw(pool, toView(false)), depth / 2n);
  });

  it('of a concentrated pool is the sum of what its positions pay within the band', () => {
    const position = fc
      .tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: 1, max: 40 }))
      .chain(([start, length]) =>
        fc.bigInt(10n ** 12n, 10n ** 20n).map((liquidity) => ({
          lower: start * 10,
          upper: (start + length) * 10,
          liquidity,
        })),
      );
    fc.assert(
      fc.property(
        fc.array(position, { maxLength: 8 }),
        fc.integer({ min: -700, max: 700 }),
        fc.boolean(),
        (positions, tick, down) => {
          const depth = Number(toDepthRaw(makeConcentrated(tick, positions), toView(down)));
          const expected = sumPositions(tick, positions, down);
          assert.ok(Math.abs(depth - expected) <= expected * 1e-6 + 20, `${depth} ${expected}`);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not impressed by much liquidity in a single tick', () => {
    const honest = makePool({ reserve0: 1000n * E18, reserve1: 1000n * E18 });
    // About a tenth of a coin, laid so thin that the virtual reserves are two thousand.
    const dressed = makeConcentrated(0, [{ lower: -1, upper: 1, liquidity: 2000n * E18 }]);
    const depth = toDepthRaw(dressed, toView(true));
    assert.ok(depth * 50n < toDepthRaw(honest, toView(true)));
  });

  it('of an incomplete pool takes the active liquidity for the whole band', () => {
    const pool = makePool({
      complete: false,
      sqrtPriceX96: toSqrtPriceX96(0),
      tick: 0,
      liquidity: 1000n * E18,
    });
    const asConstantProduct = makePool({ reserve0: 1000n * E18, reserve1: 1000n * E18 });
    const depth = toDepthRaw(pool, toView(true));
    const difference = depth - toDepthRaw(asConstantProduct, toView(true));
    assert.ok(difference <= 1n && difference >= -1n);
  });

  it('is nothing where there is no price', () => {
    assert.equal(toDepthRaw(makePool({}), toView(true)), 0n);
    assert.equal(toDepthRaw(makePool({ reserve0: 0n, reserve1: 0n }), toView(true)), 0n);
  });
});
