// Trades through stand-ins of Liquidity Book's router and pairs on a real node, each compared with
// the maths; and a pair that gets a hook.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, type Hex } from 'viem';
import { assertProbed, assertTrades } from '../../../../../test/assert-router.ts';
import { BOOK_PAIR_ABI } from '../../../../../test/book-abi.ts';
import { startBookScene } from '../../../../../test/book-scene.ts';
import { after, before } from '../../../../../test/root-hooks.ts';
import { act, type RoutedScene } from '../../../../../test/router-scene.ts';
import type { VenueRouter } from '../swap-routers.ts';

const BEFORE_SWAP = 1n << 160n;
const BEFORE_MINT = 1n << 164n;

let scene: RoutedScene;
let router: VenueRouter;

before(async () => {
  scene = await startBookScene();
  [router = assert.fail('no router')] = scene.routers;
});
after(() => scene.stop());

describe("Liquidity Book's router", () => {
  it('takes and pays what the maths says, to the unit, over one to three pairs', async (t) => {
    assert.equal(router.isProven, false);
    await assertTrades(t, { scene, router, seed: 43 });
  });
});

describe('a pair of Liquidity Book', () => {
  it('is probed by a round trip, as a contract and as a wallet', () => assertProbed(scene, router));

  it('is not quoted while a hook is called in its swaps', async () => {
    const { chain, follower, settle } = scene.devnet;
    const graph = await scene.readGraph(router);
    const [pair = assert.fail('no pair')] = graph.pools();
    const setHooks = async (hooks: bigint) => {
      const args = [`0x${(hooks + 1n).toString(16).padStart(64, '0')}` as Hex] as const;
      const data = encodeFunctionData({ abi: BOOK_PAIR_ABI, functionName: 'setHooks', args });
      await act(chain, { to: pair.vault as Hex, data });
      await settle();
      return follower.current?.graph.get(pair.pool) !== undefined;
    };
    assert.deepEqual(
      [await setHooks(BEFORE_MINT), await setHooks(BEFORE_SWAP), await setHooks(BEFORE_MINT)],
      [true, false, true],
    );
  });
});
