// Routers of exchanges on a real node: UniswapV2Router02 and V3's SwapRouter are the real
// contracts, the others stand-ins in the exchange's wire format (test/contracts/routers.sol).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, type Hex } from 'viem';
import { MAKER } from '../../../../devnet/accounts.ts';
import { findPool } from '../../../../devnet/deployment.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { type RouterScene, startRouterScene } from '../../../../test/router-scene.ts';
import { RouterTrader } from '../../../../test/router-trades.ts';
import { poolId } from '../../../../test/test-ids.ts';
import { setTraps, TRAP_ABI } from '../../../../test/trap-tokens.ts';
import type { VenueRouterKind } from '../evm-deployment.ts';
import { ForkFinder } from '../pools/fork-finder.ts';
import { simulateRoundTrip } from '../probe/simulate-round-trip.ts';

/** Of each kind; `npm run drill -- --routers 100` makes more. */
const TRADE_COUNT = 3;

const PROVEN: readonly VenueRouterKind[] = ['router02', 'swapRouter'];
const STAND_INS: readonly VenueRouterKind[] = [
  ...(['camelot', 'solidly', 'slipstream', 'algebra', 'smart'] as const),
];

let scene: RouterScene;

before(async () => {
  scene = await startRouterScene();
});
after(() => scene.stop());

async function trade(kind: VenueRouterKind, seed: number): Promise<RouterTrader> {
  const router = scene.routers.find((one) => one.kind === kind) ?? assert.fail(kind);
  assert.equal(router.isProven, PROVEN.includes(kind));
  const trader = new RouterTrader(scene, router, createRandom(seed));
  for (let count = 0; count < TRADE_COUNT; count += 1) await trader.trade();
  await trader.refuse();
  return trader;
}

describe('a trade pays what the maths says, to the unit, and the router keeps nothing', () => {
  for (const [index, kind] of PROVEN.entries()) {
    it(`through the real contract of ${kind}`, async (t) => {
      t.diagnostic(JSON.stringify((await trade(kind, 10 + index)).tally));
    });
  }

  for (const [index, kind] of STAND_INS.entries()) {
    it(`through a stand-in of ${kind}`, async (t) => {
      t.diagnostic(JSON.stringify((await trade(kind, 20 + index)).tally));
    });
  }
});

describe('a pair that says itself what it pays', () => {
  it('is probed: an honest token is sold again, a honeypot is found', async () => {
    const { devnet } = scene;
    const { client, deployment } = devnet.adapter;
    const traps = await setTraps(devnet.chain, ['honest', 'walletsStuck']);
    const isSold = async (token: Hex) => {
      const pool = await scene.openPair(token);
      const args = [pool.pool as Hex] as const;
      const data = encodeFunctionData({ abi: TRAP_ABI, functionName: 'setPool', args });
      await devnet.chain.send({ from: MAKER, to: token, data, gas: 200_000n });
      const hop = { pool, zeroForOne: pool.token0 === deployment.wrapped };
      const trip = { hops: [hop], amountIn: 10n ** 16n, fees: null, minBlock: 0, block: null };
      const views = await simulateRoundTrip(
        client,
        { trip, deployment },
        AbortSignal.timeout(60_000),
      );
      const { there = null, back = null } = views?.asWallet ?? {};
      assert.ok(there?.isDone);
      assert.equal(there.received, pool.curve.swapIn(hop.zeroForOne, trip.amountIn).amountOut);
      return back?.isDone ?? false;
    };
    assert.equal(await isSold(traps.honest.token), true);
    assert.equal(await isSold(traps.walletsStuck.token), false);
  });
});

describe('a pair of a factory that nobody listed', () => {
  it('is accepted with the fee that its own code charges', async () => {
    const { client } = scene.devnet.adapter;
    const { chain } = scene.devnet;
    const finder = new ForkFinder(client, { v2: [], v3: [], multicall3: null });
    const { id } = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v2' });
    const judge = (pool: string) => finder.judge(poolId(pool), AbortSignal.timeout(60_000));
    const judgement = await judge(id);
    assert.ok(judgement.kind === 'pair');
    const { venue, feePips } = judgement.description;
    const { v2Factory } = chain.deployment.contracts;
    assert.deepEqual([venue, feePips], [`v2-like:${v2Factory.toLowerCase()}`, 3000]);
    const other = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v3' });
    assert.equal((await judge(other.id)).kind, 'refused');
  });
});
