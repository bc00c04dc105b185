// Trades through stand-ins of Curve's router and pools on a real node, each compared with the
// maths (devnet/contracts/CurveStandIns.sol).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { CURVE_POOL_ABI } from '../../../../../devnet/other-abi.ts';
import { assertProbed, assertTrades } from '../../../../../test/assert-router.ts';
import { startCurveScene } from '../../../../../test/curve-scene.ts';
import { after, before } from '../../../../../test/root-hooks.ts';
import type { RoutedScene } from '../../../../../test/router-scene.ts';
import { readExchanges, skipWithoutVenues as skip } from '../../../../../test/venue-fixtures.ts';
import type { VenueRouter } from '../swap-routers.ts';

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
    await assertTrades(t, { scene, router, seed: 41 });
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

  it('is probed by a round trip, as a contract and as a wallet', () => assertProbed(scene, router));
});
