// Trades through Balancer's real vault, which npm has, each compared with the maths.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from 'viem';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import type { RoutedScene } from '../../../../test/router-scene.ts';
import { RouterTrader } from '../../../../test/router-trades.ts';
import { startVaultScene } from '../../../../test/vault-scene.ts';
import { simulateRoundTrip } from '../probe/simulate-round-trip.ts';
import type { VenueRouter } from './swap-routers.ts';

/** `npm run drill -- --routers 100 --router balancer-v2` makes more. */
const TRADE_COUNT = 12;

let scene: RoutedScene;
let router: VenueRouter;

before(async () => {
  scene = await startVaultScene();
  [router = assert.fail('no router')] = scene.routers;
});
after(() => scene.stop());

describe("Balancer's vault as a router", () => {
  it('takes and pays what the maths says, to the unit, over one to three pools', async (t) => {
    assert.equal(router.isProven, true);
    const trader = new RouterTrader(scene, router, createRandom(31));
    for (let count = 0; count < TRADE_COUNT; count += 1) {
      await trader.trade(count % 2 === 0 ? 'in' : 'out');
    }
    await trader.refuse();
    t.diagnostic(JSON.stringify(trader.tally));
    assert.ok(trader.tally.hopsMax >= 2, 'no batch was tried');
    assert.ok(trader.tally.nativeIn > 0 && trader.tally.nativeOut > 0, 'no coin was tried');
  });

  it('knows which rows share a pool', async () => {
    const graph = await scene.readGraph(router);
    const shared = [...graph.pools()].flatMap((pool) => pool.shared ?? []);
    assert.equal(shared.length, 6);
    assert.equal(new Set(shared).size, 2);
  });
});

describe('a pool of the vault', () => {
  it('is probed by a round trip, as a contract and as a wallet', async () => {
    const { client, deployment } = scene.devnet.adapter;
    const graph = await scene.readGraph(router);
    const [wire, weth] = [scene.tokenOf('wire'), scene.tokenOf('weth')] as [Hex, Hex];
    const pool =
      [...graph.pools()].find((one) =>
        [one.token0, one.token1].every((t) => t === wire || t === weth),
      ) ?? assert.fail('no pool of WIRE');
    const hop = { pool, zeroForOne: pool.token0 === weth };
    const trip = { hops: [hop], amountIn: 10n ** 16n, fees: null, minBlock: 0, block: null };
    const views = await simulateRoundTrip(
      client,
      { trip, deployment },
      AbortSignal.timeout(60_000),
    );
    const expected = pool.curve.swapIn(hop.zeroForOne, trip.amountIn).amountOut;
    for (const view of [views?.asContract, views?.asWallet]) {
      const { there = null, back = null } = view ?? {};
      assert.ok(there?.isDone && back?.isDone);
      assert.deepEqual([there.arrived, there.received], [trip.amountIn, expected]);
    }
  });
});
