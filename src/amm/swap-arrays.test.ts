// Quotes end where the arrays end that a swap is given.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BINS_PER_ARRAY, DLMM_RULES } from './bins/bin-rules.ts';
import { BinsPool } from './bins/bins-pool.ts';
import { ClmmX64Pool, RAYDIUM_ARRAY_TICKS } from './clmm-x64/clmm-x64-pool.ts';
import { findLastTick } from './swap-arrays.ts';
import { TickList } from './tick-list.ts';

function listTicks(ticks: readonly number[], net = 1n): TickList {
  return new TickList(ticks.map((tick) => ({ tick, liquidityNet: net })));
}

describe('the last tick that a swap may reach', () => {
  const find = (ticks: readonly number[], zeroForOne: boolean) =>
    findLastTick(listTicks(ticks), { tick: 25, arrayTicks: 10, zeroForOne });

  it('is that of the third array with ticks, counting that of the price', () => {
    // The array of the price has a tick, though behind it.
    assert.equal(find([28, 15, 3, -5], true), 0);
    assert.equal(find([21, 31, 95, 100], false), 99);
  });

  it('leaves out arrays without ticks', () => {
    assert.equal(find([12, -5, -6, -95, -105], true), -100);
    assert.equal(find([31, 52, 58, 71, 80], false), 79);
  });

  it('is none if a swap is given all arrays', () => {
    assert.equal(find([28, 15, 3], true), null);
    assert.equal(find([31, 52, 58, 71], false), null);
    assert.equal(find([], false), null);
  });
});

describe('a swap', () => {
  const HUGE = 10n ** 18n;

  it('in bins is filled by three arrays, and no more', () => {
    const ids = [0, 1, 2, 3].map((array) => array * BINS_PER_ARRAY + 1);
    const build = (sign: number) => {
      const rows = ids.map((id) => ({ tick: sign * id, liquidityNet: BigInt(sign) * 1000n }));
      const fee = { volatility: 0, volatilityReference: 0, indexReference: 0, updatedAt: 0 };
      return new BinsPool(
        { activeId: 0, activeX: 0n, activeY: 0n, ...fee },
        {
          ...{ binStep: 1, baseFactor: 100, basePower: 0, filterSeconds: 1, decaySeconds: 2 },
          ...{ reduction: 0, control: 0, volatilityMax: 0, nowSeconds: 0 },
          rules: DLMM_RULES,
          ticks: new TickList(rows),
        },
      );
    };
    assert.equal(build(1).swapIn(false, HUGE).amountOut, 3000n);
    // Bins below are in the arrays -1, -2, -3 and -4: the active one is empty.
    assert.equal(build(-1).swapIn(true, HUGE).amountOut, 3000n);
  });

  it('in ranges of Raydium is filled by three arrays, and no more', () => {
    const length = RAYDIUM_ARRAY_TICKS * 10;
    const build = (arrays: readonly number[]) =>
      new ClmmX64Pool(
        {
          ...{ sqrtPriceX64: 1n << 64n, liquidity: 10n ** 9n, tick: 0 },
          ...{ held0: HUGE, held1: HUGE, adaptive: null },
        },
        {
          ...{ table: 'raydium', tickSpacing: 10, nowSeconds: 0 },
          fees: { zeroForOne: 2500, oneForZero: 2500 },
          ticks: listTicks(
            arrays.map((array) => array * length + 10),
            0n,
          ),
        },
      );
    for (const [zeroForOne, sign] of [
      [true, -1],
      [false, 1],
    ] as const) {
      const three = [1, 2, 3].map((array) => array * sign);
      const whole = build(three).swapIn(zeroForOne, HUGE);
      assert.ok(whole.amountOut > 0n && !whole.isFilled);
      const more = build([...three, 4 * sign]).swapIn(zeroForOne, HUGE);
      assert.deepEqual([more.amountIn, more.amountOut], [whole.amountIn, whole.amountOut]);
    }
  });
});
