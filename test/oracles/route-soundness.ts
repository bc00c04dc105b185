// Checks a route by executing it again with other code.

import assert from 'node:assert/strict';
import type { BestRoute } from '../../src/trading/routing/route.ts';
import type { RouteHop } from '../../src/trading/routing/route-swaps.ts';
import { executeSwapPaths } from './exhaustive-routes.ts';

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n);
}

/** At least this fraction of a split asset is left to the last swap. */
const SLACK_PART = 200n;

/** The input of each pool. */
function sumPoolAmounts(parts: readonly { readonly hops: readonly RouteHop[] }[]) {
  const hops = parts.flatMap((part) => part.hops);
  const pools = Map.groupBy(hops, ({ pool }) => pool.pool);
  return new Map([...pools].map(([id, of]) => [id, sum(of.map((hop) => hop.amountIn))]));
}

/** A route is sound: it spends everything, is connected, and pays its amount when executed. */
export function assertSound(found: BestRoute, amountIn: bigint): void {
  assert.equal(found.amountIn, amountIn);
  assert.equal(sum(found.legs.map((leg) => leg.amountIn)), amountIn);
  assert.equal(sum(found.legs.map((leg) => leg.amountOut)), found.amountOut);
  for (const leg of found.legs) {
    let amount = leg.amountIn;
    for (const hop of leg.hops) {
      assert.equal(hop.amountIn, amount);
      amount = hop.amountOut;
    }
    assert.equal(amount, leg.amountOut);
  }
  const inputs = found.swapPaths.filter(({ takes }) => takes === 'input');
  assert.equal(sum(inputs.map((swapPath) => swapPath.amountIn)), amountIn);
  assert.equal(executeSwapPaths(found.swapPaths).amountOut, found.amountOut);
  assert.deepEqual(sumPoolAmounts(found.legs), sumPoolAmounts(found.swapPaths));
  assertSlack(found);
}

/** Enough of every split asset is left for the swap that takes the rest, in case less arrives. */
function assertSlack({ swapPaths }: BestRoute): void {
  const arrived = new Map<string, bigint>();
  const held = new Map<string, bigint>();
  const add = (sums: Map<string, bigint>, token: string, amount: bigint) =>
    sums.set(token, (sums.get(token) ?? 0n) + amount);
  for (const { takes, hops, amountIn, amountOut } of swapPaths) {
    const [start = '', end = ''] = [hops[0]?.tokenIn, hops.at(-1)?.tokenOut];
    if (takes !== 'input') add(held, start, -amountIn);
    const [left, all] = [held.get(start) ?? 0n, arrived.get(start) ?? 0n];
    if (takes === 'part') assert.ok(left * SLACK_PART >= all, `${left} of ${all} ${start} left`);
    if (takes === 'rest') assert.equal(left, 0n);
    if (takes === 'rest') arrived.delete(start);
    add(held, end, amountOut);
    add(arrived, end, amountOut);
  }
}
