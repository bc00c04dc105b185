// Concentrated pools before and after adoption, their stored terms and their fees.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolRecordOf } from '../../model/pool.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import { computeLpFee, concentratedKind } from './concentrated-kind.ts';
import { addPosition } from './position-amounts.ts';
import { toSqrtPriceX96 } from './sqrt-price-at-tick.ts';

interface Position {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidityDelta: bigint;
}

interface Scene {
  readonly tickSpacing: number;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly positions: readonly Position[];
}

const anyScene: fc.Arbitrary<Scene> = fc
  .record({
    tickSpacing: fc.constantFrom(1, 10, 60, 200),
    tick: fc.integer({ min: -100_000, max: 100_000 }),
    isOnTick: fc.boolean(),
    spans: fc.array(
      fc.record({
        from: fc.integer({ min: -40, max: 40 }),
        width: fc.integer({ min: 1, max: 60 }),
        liquidityDelta: fc.bigInt({ min: 10n ** 6n, max: 2n ** 100n }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ tickSpacing, tick, isOnTick, spans }) => {
    const [low, high] = [toSqrtPriceX96(tick), toSqrtPriceX96(tick + 1)];
    const start = Math.floor(tick / tickSpacing);
    const positions = spans.map(({ from, width, liquidityDelta }) => ({
      tickLower: (start + from) * tickSpacing,
      tickUpper: (start + from + width) * tickSpacing,
      liquidityDelta,
    }));
    return { tickSpacing, tick, sqrtPriceX96: isOnTick ? low : (low + high) / 2n, positions };
  });

function toTicks(positions: readonly Position[]) {
  const ticks = new Map<number, { liquidityGross: bigint; liquidityNet: bigint }>();
  const add = (tick: number, gross: bigint, net: bigint) => {
    const { liquidityGross = 0n, liquidityNet = 0n } = ticks.get(tick) ?? {};
    ticks.set(tick, { liquidityGross: liquidityGross + gross, liquidityNet: liquidityNet + net });
  };
  for (const { tickLower, tickUpper, liquidityDelta } of positions) {
    add(tickLower, liquidityDelta, liquidityDelta);
    add(tickUpper, liquidityDelta, -liquidityDelta);
  }
  return Array.from(ticks, ([tick, liquidity]) => ({ tick, ...liquidity }));
}

function toState({ sqrtPriceX96, tick, positions }: Scene) {
  const liquidity = positions
    .filter(({ tickLower, tickUpper }) => tickLower <= tick && tick < tickUpper)
    .reduce((sum, { liquidityDelta }) => sum + liquidityDelta, 0n);
  return { sqrtPriceX96, tick, liquidity, protocolFee: 0 };
}

function createPool(scene: Scene, complete: boolean) {
  const pool = poolId('0xpool');
  const vault = address('0xpool');
  const state = { ...toState(scene), amount0: null, amount1: null };
  const row: PoolRecordOf<'concentrated'> = {
    ...{
      pool,
      kind: 'concentrated',
      venue: 'uniswap-v3',
      token0: address('0xa'),
      token1: address('0xb'),
    },
    ...{ feePips: 3000, vault, createdBlock: 1, createdAtMs: 1, complete, state },
    terms: { tickSpacing: scene.tickSpacing, custody: { kind: 'own' } },
    ...{ lastSwapAtMs: null, liquidityUsdE18: null },
  };
  const ticks = toTicks(scene.positions).map((tick) => ({ pool, ...tick }));
  return concentratedKind.createSwapPool(row, ticks, undefined);
}

describe('a pool whose ticks are not known', () => {
  it('swaps like the complete pool up to the next possible tick, and no further', () => {
    const anyAmount = fc
      .tuple(fc.bigInt(1n, 2n ** 32n), fc.integer({ min: 0, max: 70 }))
      .map(([mantissa, exponent]) => mantissa << BigInt(exponent));
    const property = fc.property(anyScene, anyAmount, fc.boolean(), (scene, amount, zeroForOne) => {
      const [partial, whole] = [createPool(scene, false), createPool(scene, true)];
      if (partial === null || whole === null) return;
      for (const swapName of ['swapIn', 'swapOut'] as const) {
        const got: SwapOutcome = partial[swapName](zeroForOne, amount);
        const { amountIn, amountOut } = got;
        if (amountIn === 0n) continue;
        const expected: SwapOutcome = whole.swapIn(zeroForOne, amountIn);
        assert.equal(amountOut <= expected.amountOut, true, 'it pays no more than there is');
        if (got.isFilled && swapName === 'swapIn') assert.equal(amountOut, expected.amountOut);
        assert.ok(Number(amountIn) <= partial.takesAtMost(zeroForOne, Number.MAX_VALUE));
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe('assembleState', () => {
  it('sums the amounts of all positions', () => {
    const property = fc.property(anyScene, (scene) => {
      const known = toState(scene);
      const got = concentratedKind.assembleState(known, toTicks(scene.positions)) ?? assert.fail();
      let sum: { amount0: bigint | null; amount1: bigint | null } = { amount0: 0n, amount1: 0n };
      for (const position of scene.positions) sum = addPosition(sum, known, position);
      for (const name of ['amount0', 'amount1'] as const) {
        const [mine, expected] = [got[name] ?? assert.fail(), sum[name] ?? assert.fail()];
        const difference = expected - mine;
        // One rounds up for each position, the other down for each stretch between two ticks.
        assert.ok(difference >= 0n && difference <= 40n, `${name}: ${mine} and ${expected}`);
      }
      assert.deepEqual(
        { ...got, amount0: null, amount1: null },
        { ...known, amount0: null, amount1: null },
      );
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('rejects a missing tick, a changed tick and another liquidity', () => {
    const property = fc.property(anyScene, fc.nat(), (scene, pick) => {
      const known = toState(scene);
      const ticks = toTicks(scene.positions).filter(({ liquidityNet }) => liquidityNet !== 0n);
      const index = pick % Math.max(1, ticks.length);
      const assemble = (rows: typeof ticks, liquidity = known.liquidity) =>
        concentratedKind.assembleState({ ...known, liquidity }, rows);
      if (ticks.length === 0) return;
      assert.notEqual(assemble(ticks), null);
      assert.equal(assemble(ticks.toSpliced(index, 1)), null);
      const changed = ticks.map((row, at) =>
        at === index ? { ...row, liquidityNet: row.liquidityNet + 1n } : row,
      );
      assert.equal(assemble(changed), null);
      assert.equal(assemble(ticks, known.liquidity + 1n), null);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('needs the price', () => {
    assert.equal(concentratedKind.assembleState({ liquidity: 0n, tick: 0 }, []), null);
  });
});

describe('terms', () => {
  it('are stored as spacing, custody and hooks', () => {
    const hooks = address(`0x${'ab'.repeat(20)}`);
    const texts = [
      [{ tickSpacing: 60, custody: { kind: 'own' } }, '60,0,'],
      [{ tickSpacing: 1, custody: { kind: 'singleton', hooks: null } }, '1,1,'],
      [{ tickSpacing: 1, custody: { kind: 'singleton', hooks } }, `1,1,${hooks}`],
    ] as const;
    for (const [terms, text] of texts) {
      assert.equal(concentratedKind.encodeTerms(terms), text);
      assert.deepEqual(concentratedKind.decodeTerms(text), terms);
    }
  });
});

describe('computeLpFee', () => {
  it('subtracts the protocol fee from the fee of a V4 swap, for any two fees', () => {
    for (const protocol of [0, 1, 250, 999, 1000]) {
      for (let lp = 0; lp <= 1_000_000; lp += 997) {
        const paid = protocol + lp - Math.floor((protocol * lp) / 1_000_000);
        const found = computeLpFee(paid, protocol);
        assert.equal(protocol + found - Math.floor((protocol * found) / 1_000_000), paid);
      }
    }
  });
});
