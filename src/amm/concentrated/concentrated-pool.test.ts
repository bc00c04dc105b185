// Compares swaps of random pools with the contracts' loop, and with a real pool's launch.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import {
  type OraclePool,
  oraclePriceAt,
  oracleSwap,
  oracleTickAt,
} from '../../../test/oracles/contract-swap.ts';
import { TickList } from '../tick-list.ts';
import { computeDirectionFees } from './concentrated-kind.ts';
import { ConcentratedPool, readStateAfter } from './concentrated-pool.ts';
import type { ConcentratedState } from './concentrated-terms.ts';

interface Position {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
}

interface Scene {
  readonly tickSpacing: number;
  readonly feePips: number;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly positions: readonly Position[];
}

const SPACINGS = [1, 10, 60, 200] as const;
const FEES = [0, 100, 500, 3000, 10_000, 999_999] as const;

function align(tick: number, tickSpacing: number): number {
  return Math.trunc(tick / tickSpacing) * tickSpacing;
}

const anyScene: fc.Arbitrary<Scene> = fc
  .record({
    tickSpacing: fc.constantFrom(...SPACINGS),
    feePips: fc.constantFrom(...FEES),
    // Mostly near the positions, sometimes at the ends of the range.
    centre: fc.oneof(
      fc.integer({ min: -300_000, max: 300_000 }),
      fc.constantFrom(-880_000, 880_000),
    ),
    // A price exactly on a tick may belong to it or to the one below.
    below: fc.boolean(),
    offset: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 24n)),
    spans: fc.array(
      fc.record({
        from: fc.integer({ min: -9000, max: 9000 }),
        width: fc.oneof(fc.integer({ min: 1, max: 6000 }), fc.constant(2_000_000)),
        liquidity: fc.bigInt({ min: 1n, max: 2n ** 110n }),
      }),
      { maxLength: 8 },
    ),
  })
  .map(({ tickSpacing, feePips, centre, below, offset, spans }) => {
    const edge = align(887_272, tickSpacing);
    const clamp = (tick: number) => Math.min(Math.max(align(tick, tickSpacing), -edge), edge);
    const start = align(centre, tickSpacing);
    const onTick = oraclePriceAt(start);
    const sqrtPriceX96 = offset === 0n ? onTick : onTick + (onTick * offset) / 10n ** 26n;
    const found = oracleTickAt(sqrtPriceX96);
    const positions = spans.flatMap(({ from, width, liquidity }) => {
      const isFull = width > 887_272;
      const tickLower = isFull ? -edge : clamp(start + from);
      const tickUpper = isFull ? edge : clamp(start + from + width);
      return tickLower < tickUpper ? [{ tickLower, tickUpper, liquidity }] : [];
    });
    const tick = below && sqrtPriceX96 === onTick ? start - 1 : found;
    return { tickSpacing, feePips, sqrtPriceX96, tick, positions };
  });

function sumNets(positions: readonly Position[]): Map<number, bigint> {
  const nets = new Map<number, bigint>();
  for (const { tickLower, tickUpper, liquidity } of positions) {
    nets.set(tickLower, (nets.get(tickLower) ?? 0n) + liquidity);
    nets.set(tickUpper, (nets.get(tickUpper) ?? 0n) - liquidity);
  }
  return nets;
}

function buildOraclePool(scene: Scene): OraclePool {
  const { tickSpacing, sqrtPriceX96, tick, positions } = scene;
  const liquidity = positions
    .filter(({ tickLower, tickUpper }) => tickLower <= tick && tick < tickUpper)
    .reduce((sum, position) => sum + position.liquidity, 0n);
  const feePips = BigInt(scene.feePips);
  return { sqrtPriceX96, liquidity, tick, tickSpacing, feePips, nets: sumNets(positions) };
}

function buildPool(pool: OraclePool): ConcentratedPool {
  const { sqrtPriceX96, liquidity, tick, tickSpacing } = pool;
  const rows = Array.from(pool.nets, ([tick, liquidityNet]) => ({ tick, liquidityNet }));
  const fees = computeDirectionFees(Number(pool.feePips), 0);
  const ticks = new TickList(rows);
  return new ConcentratedPool(
    { sqrtPriceX96, liquidity, tick },
    { bitmapSpacing: tickSpacing, fees, ticks },
  );
}

function pickState({ sqrtPriceX96, liquidity, tick }: ConcentratedState): ConcentratedState {
  return { sqrtPriceX96, liquidity, tick };
}

const anyAmount = fc.oneof(
  fc.bigInt(1n, 1000n),
  fc
    .tuple(fc.bigInt(1n, 2n ** 64n), fc.integer({ min: 0, max: 62 }))
    .map(([m, e]) => m << BigInt(e)),
);

function assertEqualsOracle(scene: Scene, amounts: readonly bigint[], zeroForOne: boolean): void {
  const oracle = buildOraclePool(scene);
  const ours = buildPool(oracle);
  // The same pool swaps repeatedly, so that its caches are used.
  for (const amount of amounts) {
    for (const kind of ['in', 'out'] as const) {
      const expected = oracleSwap(oracle, zeroForOne, kind === 'in' ? amount : -amount);
      const got =
        kind === 'in' ? ours.swapIn(zeroForOne, amount) : ours.swapOut(zeroForOne, amount);
      const { amountIn, amountOut, ticksCrossed: crossed } = got;
      assert.deepEqual({ amountIn, amountOut, crossed, ...readStateAfter(got) }, expected);
      assert.equal(got.isFilled, (kind === 'in' ? amountIn : amountOut) === amount);
    }
  }
}

describe('ConcentratedPool', () => {
  it('equals the contracts loop: both kinds, both directions, dust to draining', () => {
    fc.assert(
      fc.property(
        anyScene,
        fc.array(anyAmount, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        assertEqualsOracle,
      ),
      { numRuns: 80 },
    );
  });

  it('consecutive swaps in both directions give the states of the contract loop', () => {
    const anySwaps = fc.array(fc.tuple(anyAmount, fc.boolean()), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(anyScene, anySwaps, (scene, swaps) => {
        let oracle = buildOraclePool(scene);
        let pool = buildPool(oracle);
        for (const [amount, down] of swaps) {
          const { sqrtPriceX96, liquidity, tick } = oracle;
          assert.deepEqual(pool.state, { sqrtPriceX96, liquidity, tick });
          const edge = oraclePriceAt(down ? -887_271 : 887_271);
          if (down ? sqrtPriceX96 < edge : sqrtPriceX96 > edge) return;
          const expected = oracleSwap(oracle, down, amount);
          const { swap: got, after } = pool.swapAndMove(down, amount);
          assert.deepEqual([got.amountIn, got.amountOut], [expected.amountIn, expected.amountOut]);
          pool = after;
          oracle = { ...oracle, ...pickState(expected) };
        }
      }),
      { numRuns: 80 },
    );
  });

  it('stops at the end of every 256-tick word, even without an initialised tick there', () => {
    const liquidity = 10n ** 18n;
    const positions = [{ tickLower: -887_220, tickUpper: 887_220, liquidity }];
    const base = { tickSpacing: 60, feePips: 3000, sqrtPriceX96: 2n ** 96n, tick: 0, positions };
    const oracle = buildOraclePool(base);
    const amount = 37n * 10n ** 18n;
    const straight = oracleSwap({ ...oracle, tickSpacing: 887_220 }, true, amount);
    const stopping = oracleSwap(oracle, true, amount);
    assert.equal(buildPool(oracle).swapIn(true, amount).amountOut, stopping.amountOut);
    assert.notEqual(stopping.amountOut, straight.amountOut);
  });

  it('crosses a stop that an exact output reaches by rounding', () => {
    const positions = [
      { tickLower: -60, tickUpper: 60, liquidity: 2n ** 120n },
      { tickLower: -887_220, tickUpper: 887_220, liquidity: 5n },
    ];
    const scene = { tickSpacing: 60, feePips: 500, sqrtPriceX96: 2n ** 96n, tick: 0, positions };
    const whole = buildPool(buildOraclePool(scene)).swapOut(true, 2n ** 200n);
    for (let less = 0n; less < 5n; less += 1n) {
      assertEqualsOracle(scene, [whole.amountOut - less], true);
    }
  });

  it('rejects a swap of zero', () => {
    const pool = buildPool(buildOraclePool({ ...emptyScene }));
    assert.throws(() => pool.swapIn(true, 0n), RangeError);
    assert.throws(() => pool.swapOut(false, -1n), RangeError);
  });

  it('an empty pool takes nothing and reports that it is not filled', () => {
    const swap = buildPool(buildOraclePool(emptyScene)).swapIn(true, 10n ** 18n);
    assert.deepEqual([swap.amountIn, swap.amountOut, swap.isFilled], [0n, 0n, false]);
  });

  it('a fee of the whole amount pays nothing', () => {
    const liquidity = 10n ** 20n;
    const nets = sumNets([{ tickLower: -60, tickUpper: 60, liquidity }]);
    const state = { sqrtPriceX96: 2n ** 96n, liquidity, tick: 0 };
    const pool = buildPool({ ...state, tickSpacing: 60, feePips: 1_000_000n, nets });
    const swap = pool.swapIn(true, 10n ** 30n);
    assert.deepEqual([swap.amountOut, swap.feeAmount, swap.isFilled], [0n, 10n ** 30n, true]);
  });
});

const emptyScene: Scene = {
  tickSpacing: 60,
  feePips: 3000,
  sqrtPriceX96: 2n ** 96n,
  tick: 0,
  positions: [],
};

describe('computeDirectionFees', () => {
  it('adds the protocol fee of each direction to the pool fee', () => {
    assert.deepEqual(computeDirectionFees(3000, 1000 | (500 << 12)), {
      zeroForOne: 3997,
      oneForZero: 3499,
    });
    assert.deepEqual(computeDirectionFees(3000, 0), { zeroForOne: 3000, oneForZero: 3000 });
  });
});

const FIXTURE = new URL(
  '../../../../shared/fixtures/univ3-ens-weth-launch/pool_0x92560C178cE069CC014138eD3C2F5221Ba71f58a.json',
  import.meta.url,
);
const skip = existsSync(FIXTURE) ? false : 'fixtures/univ3-ens-weth-launch is absent';

interface LaunchRow {
  readonly block_number: number;
  readonly log_index: number;
  readonly [field: string]: string | number;
}

function applyLiquidity(
  row: LaunchRow,
  state: ConcentratedState,
  nets: Map<number, bigint>,
): ConcentratedState {
  const delta = BigInt(row['liquidity'] ?? 0) * (row['type'] === 1 ? 1n : -1n);
  const [lower, upper] = [Number(row['tick_lower']), Number(row['tick_upper'])];
  nets.set(lower, (nets.get(lower) ?? 0n) + delta);
  nets.set(upper, (nets.get(upper) ?? 0n) - delta);
  const isActive = lower <= state.tick && state.tick < upper;
  return isActive ? { ...state, liquidity: state.liquidity + delta } : state;
}

describe('a real pool, launched in November 2021', () => {
  it('replays all of its 63 swaps to the unit', { skip }, () => {
    const file = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Record<string, LaunchRow[]>;
    const config = file['pool_config']?.[0];
    assert.ok(config);
    const rows = [...(file['liquidity_events'] ?? []), ...(file['swap_events'] ?? [])].sort(
      (a, b) => a.block_number - b.block_number || a.log_index - b.log_index,
    );
    const sqrtPriceX96 = BigInt(config['initial_sqrt_price_X96'] ?? 0);
    let state: ConcentratedState = {
      sqrtPriceX96,
      liquidity: 0n,
      tick: oracleTickAt(sqrtPriceX96),
    };
    const nets = new Map<number, bigint>();
    let replayed = 0;
    for (const row of rows) {
      if (row['type'] !== undefined) {
        state = applyLiquidity(row, state, nets);
        continue;
      }
      const amount0 = BigInt(row['amount0'] ?? 0);
      const amount1 = BigInt(row['amount1'] ?? 0);
      const specified = BigInt(row['amount_specified'] ?? 0);
      const down = amount0 > 0n;
      const pool = buildPool({ ...state, tickSpacing: 60, feePips: 3000n, nets });
      const swap = specified > 0n ? pool.swapIn(down, specified) : pool.swapOut(down, -specified);
      assert.equal(swap.amountIn, down ? amount0 : amount1);
      assert.equal(swap.amountOut, down ? -amount1 : -amount0);
      state = readStateAfter(swap);
      assert.equal(state.sqrtPriceX96, BigInt(row['sqrt_price_x96'] ?? 0));
      assert.equal(state.liquidity, BigInt(row['liquidity'] ?? 0));
      assert.equal(state.tick, Number(row['tick']));
      replayed += 1;
    }
    assert.equal(replayed, 63);
  });
});
