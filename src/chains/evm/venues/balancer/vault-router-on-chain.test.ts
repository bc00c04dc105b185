// Trades through Balancer's real vault, which npm has, each compared with the maths.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProbed, assertTrades } from '../../../../../test/assert-router.ts';
import { after, before } from '../../../../../test/root-hooks.ts';
import type { RoutedScene } from '../../../../../test/router-scene.ts';
import { startVaultScene } from '../../../../../test/vault-scene.ts';
import type { VenueRouter } from '../swap-routers.ts';

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
    await assertTrades(t, { scene, router, seed: 31 });
  });

  it('knows which rows share a pool', async () => {
    const graph = await scene.readGraph(router);
    const shared = [...graph.pools()].flatMap((pool) => pool.shared ?? []);
    assert.equal(shared.length, 6);
    assert.equal(new Set(shared).size, 2);
  });
});

describe('a pool of the vault', () => {
  it('is probed by a round trip, as a contract and as a wallet', () => assertProbed(scene, router));
});
