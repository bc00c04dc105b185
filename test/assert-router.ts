// What is asserted of every router with pools of its own: trades, and the round trip of a probe.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { simulateRoundTrip } from '../src/chains/evm/trading/simulate-round-trip.ts';
import type { VenueRouter } from '../src/chains/evm/venues/swap-routers.ts';
import { createRandom } from './fakes/create-random.ts';
import type { RoutedScene } from './router-scene.ts';
import { RouterTrader } from './router-trades.ts';

/** `npm run drill -- --routers 100 --router <name>` makes more. */
const TRADE_COUNT = 12;

export async function assertTrades(
  t: TestContext,
  of: { readonly scene: RoutedScene; readonly router: VenueRouter; readonly seed: number },
): Promise<void> {
  const trader = new RouterTrader(of.scene, of.router, createRandom(of.seed));
  for (let count = 0; count < TRADE_COUNT; count += 1) {
    await trader.trade(count % 2 === 0 ? 'in' : 'out');
  }
  await trader.refuse();
  t.diagnostic(JSON.stringify(trader.tally));
  assert.ok(trader.tally.hopsMax >= 2, 'no path was tried');
  assert.ok(trader.tally.nativeIn > 0 && trader.tally.nativeOut > 0, 'no coin was tried');
}

/** In the pool of WIRE and the wrapped coin. */
export async function assertProbed(scene: RoutedScene, router: VenueRouter): Promise<void> {
  const { client, deployment } = scene.devnet.adapter;
  const graph = await scene.readGraph(router);
  const [wire, weth] = [scene.tokenOf('wire'), scene.tokenOf('weth')];
  const isOf = (token: string) => token === wire || token === weth;
  const pool =
    [...graph.pools()].find(({ token0, token1 }) => isOf(token0) && isOf(token1)) ??
    assert.fail('no pool of WIRE');
  const hop = { pool, zeroForOne: pool.token0 === weth };
  const trip = { hops: [hop], amountIn: 10n ** 16n, fees: null, minBlock: 0, block: null };
  const views = await simulateRoundTrip(client, { trip, deployment }, AbortSignal.timeout(60_000));
  const expected = pool.curve.swapIn(hop.zeroForOne, trip.amountIn).amountOut;
  for (const view of [views?.asContract, views?.asWallet]) {
    const { there = null, back = null } = view ?? {};
    assert.ok(there?.isDone && back?.isDone);
    assert.deepEqual([there.arrived, there.received], [trip.amountIn, expected]);
  }
}
