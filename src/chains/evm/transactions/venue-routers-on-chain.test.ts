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
import { address, poolId } from '../../../../test/test-ids.ts';
import { readBalance } from '../../../../test/trade-wallet.ts';
import { setTraps, TRAP_ABI } from '../../../../test/trap-tokens.ts';
import type { VenueRouterKind } from '../evm-deployment.ts';
import { ForkFinder } from '../pools/fork-finder.ts';
import { probeRange } from '../probe/probe-range.ts';
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
  for (let count = 0; count < TRADE_COUNT; count += 1) await trader.trade('in');
  for (let count = 0; count < TRADE_COUNT; count += 1) await trader.trade('out');
  await trader.refuse();
  return trader;
}

describe('a trade spends and pays what the maths says, and the router keeps nothing', () => {
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

describe('a pool of a factory that nobody listed', () => {
  const createFinder = () => {
    const { client, deployment } = scene.devnet.adapter;
    return new ForkFinder(client, { ...deployment, v2: [], v3: [], multicall3: null });
  };
  const findId = (venue: 'uniswap-v2' | 'uniswap-v3') =>
    poolId(findPool(scene.devnet.chain.deployment, { token: 'wire', venue }).id);

  it('is accepted as a pair with the fee that its own code charges', async () => {
    const judgement = await createFinder().judge(findId('uniswap-v2'), AbortSignal.timeout(60_000));
    assert.ok(judgement.kind === 'accepted');
    const { venue, feePips } = judgement.description;
    const { v2Factory } = scene.devnet.chain.deployment.contracts;
    assert.deepEqual([venue, feePips], [`v2-like:${v2Factory.toLowerCase()}`, 3000]);
  });

  it('is accepted as a pool of V3 if it swaps as our maths says on its ticks', async () => {
    const finder = createFinder();
    const judgement = await finder.judge(findId('uniswap-v3'), AbortSignal.timeout(60_000));
    assert.ok(judgement.kind === 'accepted');
    const { venue, kind, feePips, terms } = judgement.description;
    const { v3Factory } = scene.devnet.chain.deployment.contracts;
    assert.deepEqual([venue, kind], [`v3-like:${v3Factory.toLowerCase()}`, 'concentrated']);
    assert.deepEqual([feePips, terms], [3000, { tickSpacing: 60, custody: { kind: 'own' } }]);
  });

  it('is refused, the second time for good, if its liquidity is not that of its ticks', async () => {
    const { chain } = scene.devnet;
    const pool = findId('uniswap-v3');
    const slot = `0x${'4'.padStart(64, '0')}`;
    const before = await chain.rpc.call<Hex>('eth_getStorageAt', pool, slot, 'latest');
    const lying = `0x${(BigInt(before) / 3n).toString(16).padStart(64, '0')}`;
    await chain.rpc.call('anvil_setStorageAt', pool, slot, lying);
    await chain.mine();
    const finder = createFinder();
    try {
      const kinds: string[] = [];
      for (let count = 0; count < 2; count += 1) {
        kinds.push((await finder.judge(pool, AbortSignal.timeout(60_000))).kind);
        await chain.mine();
      }
      assert.deepEqual(kinds, ['notNow', 'refused']);
    } finally {
      await chain.rpc.call('anvil_setStorageAt', pool, slot, before);
      await chain.mine();
    }
  });

  it('is refused if it swaps otherwise than its getters tell', async () => {
    const { client } = scene.devnet.adapter;
    const { chain, follower } = scene.devnet;
    await scene.devnet.settle();
    const { graph, checkpoint } = follower.current ?? assert.fail();
    const { pool, token0, token1, vault, curve } =
      graph.get(findId('uniswap-v3')) ?? assert.fail('no pool');
    const [balance0, balance1] = [
      await readBalance(chain, token0, vault),
      await readBalance(chain, token1, vault),
    ];
    const range = { pool: address(pool), token0, token1, balance0, balance1 };
    const signal = AbortSignal.timeout(60_000);
    const judge = (told: typeof curve) =>
      probeRange({ ...range, curve: told }, { client, block: checkpoint.block, signal });
    const other = curve.withFees({ zeroForOne: 3000, oneForZero: 2999 });
    assert.deepEqual(
      [await judge(curve), await judge(other)],
      [{ kind: 'same' }, { kind: 'refused' }],
    );
  });
});
