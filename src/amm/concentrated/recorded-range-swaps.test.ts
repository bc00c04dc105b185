// All 1,200 recorded swaps of V3-like pools that differ in their bitmap and in their fee, to the
// unit: PancakeSwap V3, Slipstream, Algebra V1 and 1.9.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readVenueFixture, skipWithoutVenues as skip } from '../../../test/venue-fixtures.ts';
import { TickList } from '../tick-list.ts';
import { ConcentratedPool } from './concentrated-pool.ts';

interface RecordedRange {
  readonly tickSpacing: number;
  readonly bitmapSpacing: number;
  readonly ticks: readonly (readonly [number, string])[];
  readonly swaps: readonly {
    readonly sqrtPriceX96: string;
    readonly tick: number;
    readonly liquidity: string;
    readonly feePips: number;
    readonly zeroForOne: boolean;
    readonly amountIn: string;
    readonly paidIn: string;
    readonly amountOut: string;
    readonly sqrtPriceX96After: string;
    readonly tickAfter: number;
    readonly liquidityAfter: string;
  }[];
}

const FOLDERS = ['pancake-v3', 'slipstream', 'algebra-v1', 'algebra-directional'];

function countDifferences(folder: string, pickSpacing: (recorded: RecordedRange) => number) {
  const recorded = readVenueFixture(`${folder}/swaps.json`) as RecordedRange;
  const bitmapSpacing = pickSpacing(recorded);
  const ticks = new TickList(
    recorded.ticks.map(([tick, net]) => ({ tick, liquidityNet: BigInt(net) })),
  );
  let [count, differing] = [0, 0];
  for (const one of recorded.swaps) {
    const sqrtPriceX96 = BigInt(one.sqrtPriceX96);
    const start = { sqrtPriceX96, tick: one.tick, liquidity: BigInt(one.liquidity) };
    const fees = { zeroForOne: one.feePips, oneForZero: one.feePips };
    const pool = new ConcentratedPool(start, { bitmapSpacing, fees, ticks });
    const { swap, after } = pool.swapAndMove(one.zeroForOne, BigInt(one.amountIn));
    const { state } = after;
    const computed = [swap.amountIn, swap.amountOut, state.sqrtPriceX96, state.liquidity];
    const expected = [one.paidIn, one.amountOut, one.sqrtPriceX96After, one.liquidityAfter];
    const isEqual = expected.every((text, index) => BigInt(text) === computed[index]);
    if (!isEqual || state.tick !== one.tickAfter) differing += 1;
    count += 1;
  }
  return { count, differing };
}

describe('recorded swaps of V3-like pools', { skip }, () => {
  for (const folder of FOLDERS) {
    it(`of ${folder} are computed to the unit`, () => {
      const found = countDifferences(folder, ({ bitmapSpacing }) => bitmapSpacing);
      assert.deepEqual(found, { count: 300, differing: 0 });
    });
  }

  it('of Algebra 1.9 differ if the bitmap is taken to be as coarse as the positions', () => {
    const found = countDifferences('algebra-directional', ({ tickSpacing }) => tickSpacing);
    assert.deepEqual(found, { count: 300, differing: 91 });
  });
});
