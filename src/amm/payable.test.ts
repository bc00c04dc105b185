// Compares depth with what a swap would pay, and checks that it cannot be inflated.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { address, poolId } from '../../test/test-ids.ts';
import { concentratedKind } from './concentrated/concentrated-kind.ts';
import { toSqrtPriceX96 } from './concentrated/sqrt-price-at-tick.ts';
import { constantProductKind } from './constant-product/constant-product-kind.ts';
import type { PoolTicks } from './pool-kind.ts';

const E18 = 10n ** 18n;

interface Position {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

type Base = 'token0' | 'token1';
type Payable = (base: Base) => bigint;

const NO_TICKS: PoolTicks = { get: () => undefined, change: () => true, order: [] };

function sumTicks(positions: readonly Position[]): PoolTicks {
  const ticks = new Map<number, { liquidityGross: bigint; liquidityNet: bigint }>();
  const add = (tick: number, gross: bigint, net: bigint): void => {
    const { liquidityGross, liquidityNet } = ticks.get(tick) ?? EMPTY_TICK;
    ticks.set(tick, { liquidityGross: liquidityGross + gross, liquidityNet: liquidityNet + net });
  };
  for (const { lower, upper, liquidity } of positions) {
    add(lower, liquidity, liquidity);
    add(upper, liquidity, -liquidity);
  }
  const order = [...ticks.keys()].sort((a, b) => a - b);
  return { ...NO_TICKS, get: (tick) => ticks.get(tick), order };
}

const EMPTY_TICK = { liquidityGross: 0n, liquidityNet: 0n };

const ANY_POOL = {
  ...{ pool: poolId('0xpool'), venue: 'test', feePips: 0, vault: address('0xpool') },
  ...{ token0: address('0x0'), token1: address('0x1') },
  ...{ createdBlock: 1, createdAtMs: 1, complete: true, lastSwapAtMs: null, liquidityUsdE18: null },
};

function ofPair(reserve0: bigint | null, reserve1: bigint | null): Payable {
  const state = { reserve0, reserve1 };
  const pool = { ...ANY_POOL, kind: 'constantProduct', terms: null, state } as const;
  return (base) => constantProductKind.payableRaw(pool, base, NO_TICKS);
}

function ofRange(
  price: { readonly tick: number; readonly liquidity: bigint } | null,
  positions: readonly Position[],
  complete = true,
): Payable {
  const sqrtPriceX96 = price === null ? null : toSqrtPriceX96(price.tick);
  const { tick = null, liquidity = null } = price ?? {};
  const state = { ...concentratedKind.stateAtStart, sqrtPriceX96, tick, liquidity };
  const terms = { tickSpacing: 1, custody: { kind: 'own' } } as const;
  const pool = { ...ANY_POOL, kind: 'concentrated', complete, terms, state } as const;
  return (base) => concentratedKind.payableRaw(pool, base, sumTicks(positions));
}

function makeConcentrated(tick: number, positions: readonly Position[]): Payable {
  const active = positions.filter(({ lower, upper }) => lower <= tick && tick < upper);
  const liquidity = active.reduce((sum, one) => sum + one.liquidity, 0n);
  return ofRange({ tick, liquidity }, positions);
}

/** The sum over single positions must equal the walk over the band. */
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

describe('payableRaw', () => {
  it('of a constant-product pool is what it pays until the price is two per cent lower', () => {
    const payable = ofPair(500n * E18, 1000n * E18);
    const depth = payable('token0');
    // x·y is constant, so with y' = y − depth the price falls by (y'/y)².
    const left = 1 - Number(depth) / 1e21;
    assert.ok(Math.abs(left ** 2 - 0.98) < 1e-12);
    assert.equal(payable('token1'), depth / 2n);
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
          const depth = Number(makeConcentrated(tick, positions)(down ? 'token0' : 'token1'));
          const expected = sumPositions(tick, positions, down);
          assert.ok(Math.abs(depth - expected) <= expected * 1e-6 + 20, `${depth} ${expected}`);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is small for much liquidity in a single tick', () => {
    const honest = ofPair(1000n * E18, 1000n * E18);
    // About a tenth of a coin, so concentrated that the virtual reserves are two thousand.
    const dressed = makeConcentrated(0, [{ lower: -1, upper: 1, liquidity: 2000n * E18 }]);
    assert.ok(dressed('token0') * 50n < honest('token0'));
  });

  it('of an incomplete pool takes the active liquidity for the whole band', () => {
    const partial = ofRange({ tick: 0, liquidity: 1000n * E18 }, [], false);
    const difference = partial('token0') - ofPair(1000n * E18, 1000n * E18)('token0');
    assert.ok(difference <= 1n && difference >= -1n);
  });

  it('is zero without a price', () => {
    assert.equal(ofPair(null, null)('token0'), 0n);
    assert.equal(ofPair(0n, 0n)('token0'), 0n);
    assert.equal(ofRange(null, [])('token0'), 0n);
  });
});
