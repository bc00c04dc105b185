// What is spent for a given output by a router that is only told what to spend.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { TaxedRoute } from './find-trade-route.ts';
import { type RouteHop, swapWhole } from './route-swaps.ts';
import { spendReserve } from './spend-reserve.ts';

const A = buildFakeAddress('aa', 1);
const B = buildFakeAddress('aa', 2);
const C = buildFakeAddress('aa', 3);
const NEEDED = DEEP / 1000n;

function createFound(last: GraphPool): TaxedRoute {
  const pools = [createPair(1, [A, B]), last];
  const hops: RouteHop[] = [];
  for (const pool of pools) {
    const amountIn = hops.at(-1)?.amountOut ?? NEEDED;
    hops.push(swapWhole({ pool, zeroForOne: true }, amountIn) ?? assert.fail());
  }
  const amounts = { amountIn: NEEDED, amountOut: hops.at(-1)?.amountOut ?? 0n };
  const swapPaths = [{ takes: 'input' as const, ...amounts, hops }];
  const route = { ...amounts, swapPaths, legs: [{ ...amounts, hops }], cost: 0n, exact: true };
  const { amountOut } = amounts;
  return { route, taxes: { inBps: 0, outBps: 0 }, router: 'r', amountOut, isInputGiven: true };
}

const FOUND = createFound(createPair(2, [B, C]));

function payFor(amountIn: bigint): bigint {
  const pools = FOUND.route.swapPaths[0]?.hops ?? [];
  return pools.reduce((amount, { pool }) => pool.curve.swapIn(true, amount).amountOut, amountIn);
}

describe('spendReserve', () => {
  it('spends the slippage, too, and pays what that buys', () => {
    const { route, amountOut } = spendReserve(FOUND, { slippageBps: 100 });
    const spent = (NEEDED * 101n) / 100n;
    assert.deepEqual([route.amountIn, route.amountOut], [spent, payFor(spent)]);
    assert.ok(amountOut === payFor(spent) && amountOut > FOUND.amountOut);
    for (const { hops, ...part } of [...route.swapPaths, ...route.legs]) {
      assert.deepEqual([part.amountIn, part.amountOut], [spent, amountOut]);
      assert.deepEqual([hops[0]?.amountIn, hops.at(-1)?.amountOut], [spent, amountOut]);
      assert.equal(hops[0]?.amountOut, hops[1]?.amountIn);
    }
  });

  it('spends no more than a quote has promised, unless that is too little', () => {
    const spend = (amountInMax: bigint) =>
      spendReserve(FOUND, { slippageBps: 100, amountInMax }).route.amountIn;
    const wanted = (NEEDED * 101n) / 100n;
    assert.deepEqual([NEEDED * 2n, wanted - 1n, NEEDED, NEEDED - 1n].map(spend), [
      wanted,
      wanted - 1n,
      NEEDED,
      wanted,
    ]);
  });

  /** The second pool is full but for what is needed, and a little more. */
  function createFull(more: bigint): TaxedRoute {
    const room = (FOUND.route.swapPaths[0]?.hops[0]?.amountOut ?? 0n) + more;
    return createFound(createPair(2, [B, C], [2n ** 112n - 1n - room, 2n ** 111n]));
  }

  it('spends no reserve that the pools cannot take', () => {
    const found = createFull(1n);
    assert.equal(spendReserve(found, { slippageBps: 100 }), found);
  });

  it('spends the part of the reserve that the pools can take', () => {
    const found = createFull(NEEDED / 200n);
    const { route } = spendReserve(found, { slippageBps: 100 });
    const more = route.amountIn - NEEDED;
    assert.ok(more > NEEDED / 210n && more < NEEDED / 190n, `${more}`);
    assert.ok(route.amountOut > found.amountOut);
    const last = route.swapPaths[0]?.hops.at(-1) ?? assert.fail();
    assert.equal(last.pool.curve.swapIn(true, last.amountIn).isFilled, true);
  });
});
