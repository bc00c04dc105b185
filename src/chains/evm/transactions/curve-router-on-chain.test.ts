// Trades through stand-ins of Curve's router and pools on a real node, each compared with the
// maths (test/contracts/curve.sol).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { CURVE_POOL_ABI, startCurveScene } from '../../../../test/curve-scene.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import type { RoutedScene } from '../../../../test/router-scene.ts';
import { RouterTrader } from '../../../../test/router-trades.ts';
import { readExchanges, skipWithoutVenues as skip } from '../../../../test/venue-fixtures.ts';
import { simulateRoundTrip } from '../probe/simulate-round-trip.ts';
import type { VenueRouter } from './swap-routers.ts';

/** `npm run drill -- --routers 100 --router curve` makes more. */
const TRADE_COUNT = 12;
/** Of the recorded swaps, every so many are tried. */
const RECORDED_STEP = 11;

let scene: RoutedScene;
let router: VenueRouter;

before(async () => {
  scene = await startCurveScene();
  [router = assert.fail('no router')] = scene.routers;
});
after(() => scene.stop());

describe("Curve's router", () => {
  it('takes and pays what the maths says, to the unit, over one to three pools', async (t) => {
    assert.equal(router.isProven, false);
    const trader = new RouterTrader(scene, router, createRandom(41));
    for (let count = 0; count < TRADE_COUNT; count += 1) {
      await trader.trade(count % 2 === 0 ? 'in' : 'out');
    }
    await trader.refuse();
    t.diagnostic(JSON.stringify(trader.tally));
    assert.ok(trader.tally.hopsMax >= 2, 'no path was tried');
    assert.ok(trader.tally.nativeIn > 0 && trader.tally.nativeOut > 0, 'no coin was tried');
  });
});

describe('a stable pool of Curve', () => {
  it('has a stand-in that pays what the real one paid', { skip }, async () => {
    const { chain } = scene.devnet;
    const graph = await scene.readGraph(router);
    const [pool = assert.fail()] = graph.pools();
    const recorded = readExchanges().filter((_, index) => index % RECORDED_STEP === 0);
    for (const one of recorded) {
      const at = {
        ...{ held: one.balances.map(BigInt), rates: one.rates.map(BigInt) },
        ...{ amp: BigInt(one.ampPrecise), fee: BigInt(one.fee) },
        offpeg: BigInt(one.offpegFeeMultiplier),
      };
      const args = [at, BigInt(one.i), BigInt(one.j), BigInt(one.dx)] as const;
      const call = { abi: CURVE_POOL_ABI, functionName: 'compute' } as const;
      const data = encodeFunctionData({ ...call, args });
      const answer = await chain.rpc.call<Hex>('eth_call', { to: pool.vault, data }, 'latest');
      assert.equal(decodeFunctionResult({ ...call, data: answer })[0], BigInt(one.dy));
    }
    assert.ok(recorded.length >= 30);
  });

  it('is probed by a round trip, as a contract and as a wallet', async () => {
    const { client, deployment } = scene.devnet.adapter;
    const graph = await scene.readGraph(router);
    const [wire, weth] = [scene.tokenOf('wire'), scene.tokenOf('weth')];
    const isOf = (token: string) => token === wire || token === weth;
    const pool =
      [...graph.pools()].find(({ token0, token1 }) => isOf(token0) && isOf(token1)) ??
      assert.fail('no pool of WIRE');
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
