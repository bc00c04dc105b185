// Routers of exchanges on a real node: UniswapV2Router02, V3's SwapRouter and that of Algebra
// Integral are the real contracts, the others stand-ins in the exchange's wire format
// (test/contracts/routers.sol).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, type Hex } from 'viem';
import { MAKER, TEST_ADDRESSES } from '../../../../devnet/accounts.ts';
import { findPool } from '../../../../devnet/deployment.ts';
import { assertProbed } from '../../../../test/assert-router.ts';
import { openRange } from '../../../../test/devnet-liquidity.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { type RouterScene, startRouterScene } from '../../../../test/router-scene.ts';
import { RouterTrader } from '../../../../test/router-trades.ts';
import { address, poolId } from '../../../../test/test-ids.ts';
import { readBalance } from '../../../../test/trade-wallet.ts';
import { changeTrap, setTrapPool, setTraps, TRAP_ABI } from '../../../../test/trap-tokens.ts';
import type { VenueRouterKind } from '../data/deployments/evm-deployment.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { ForkFinder } from '../pools/fork-finder.ts';
import { simulateRoundTrip } from '../trading/simulate-round-trip.ts';
import { encodeVenueSwap } from './encode-venue-swap.ts';
import { probeRange } from './uniswap-v3/probe-range.ts';

/** Of each kind; `npm run drill -- --routers 100` makes more. */
const TRADE_COUNT = 3;

const PROVEN: readonly VenueRouterKind[] = ['router02', 'swapRouter', 'algebraIntegral'];
const STAND_INS: readonly VenueRouterKind[] = [
  ...(['camelot', 'solidly', 'slipstream', 'algebra', 'smart', 'pancakeStable'] as const),
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

describe('a pool of another exchange', () => {
  for (const kind of ['algebraIntegral', 'pancakeStable'] as const) {
    it(`is probed by a round trip, as a contract and as a wallet: ${kind}`, async () => {
      await assertProbed(scene, scene.routers.find((one) => one.kind === kind) ?? assert.fail());
    });
  }
});

describe('a fee is paid of the output, and the minimum is of what is left', () => {
  for (const [index, kind] of (['swapRouter', 'smart'] as const).entries()) {
    it(`through ${kind}`, async (t) => {
      const router = scene.routers.find((one) => one.kind === kind) ?? assert.fail(kind);
      assert.equal(router.paysFee, true);
      const trader = new RouterTrader(scene, router, createRandom(40 + index));
      for (const bps of [1, 33, 85, 100]) await trader.tradeWithFee(bps);
      t.diagnostic(JSON.stringify(trader.tally));
    });
  }

  it('only through routers that have calls for it', () => {
    const others = scene.routers.filter(({ kind }) => kind !== 'swapRouter' && kind !== 'smart');
    assert.ok(others.length >= 4 && others.every(({ paysFee }) => paysFee === false));
  });
});

describe('a router of ranges', () => {
  const wallet = address(TEST_ADDRESSES[4] ?? '');
  const ether = 10n ** 18n;
  const wide = { tickLower: -887_220, tickUpper: 887_220 };
  const venue = 'uniswap-v3' as const;

  /** Spends the coin on a path of tokens. */
  async function buy(kind: VenueRouterKind, tokens: readonly Hex[], amountOutMin: bigint) {
    const { chain, adapter } = scene.devnet;
    const path = [adapter.deployment.wrapped, ...tokens];
    const hops = tokens.map((token, index) => ({
      pool: { kind: 'v3' as const, feePips: 3000, tickSpacing: 60 },
      ...{ tokenIn: address(path[index] ?? ''), tokenOut: address(token) },
    }));
    const router = scene.routers.find((one) => one.kind === kind) ?? assert.fail(kind);
    const call = encodeVenueSwap(
      {
        ...{ tokenIn: ZERO_ADDRESS, tokenOut: address(tokens.at(-1) ?? ''), amountOutMin },
        swapPaths: [{ takes: 'input', amountInRaw: ether, amountOutRaw: 1n, hops }],
        ...{ outputTaxBps: 0, holdsOutput: true, recipient: wallet },
        deadlineSeconds: 4_000_000_000,
      },
      router,
    );
    const sent = { ...call, from: wallet as Hex, to: call.to as Hex, gas: 3_000_000n };
    const { status } = await chain.send(sent);
    const read = (owner: string) =>
      Promise.all(tokens.map((token) => readBalance(chain, token, address(owner))));
    const [held, kept] = [await read(wallet), await read(router.address)];
    return { isOk: status === '0x1', held, kept };
  }

  it('reverts if less of a token that nobody vouches for arrives than was sent', async () => {
    const { chain, adapter } = scene.devnet;
    const weth = adapter.deployment.wrapped as Hex;
    for (const kind of ['swapRouter', 'smart'] as const) {
      const { token } = (await setTraps(chain, ['taxesBuyers'])).taxesBuyers;
      const tokens = [weth, token] as const;
      const pool = await openRange(chain, { venue, tokens, ...wide, amountRaw: 50n * ether });
      await setTrapPool(chain, token, pool.id);
      const honest = await buy(kind, [token], (ether * 95n) / 100n);
      assert.deepEqual([honest.isOk, honest.kept], [true, [0n]], kind);
      await changeTrap(chain, token, { buyTaxBps: 1000n });
      // The pool would send 0.94, of which 0.85 arrive.
      const short = await buy(kind, [token], (ether * 91n) / 100n);
      assert.deepEqual([short.isOk, short.held], [false, honest.held], kind);
    }
  });

  it('sends the wallet what a pool in the middle did not take', async () => {
    const { chain, adapter } = scene.devnet;
    const weth = adapter.deployment.wrapped as Hex;
    for (const kind of ['swapRouter', 'smart'] as const) {
      const traps = await setTraps(chain, ['honest', 'donated']);
      const [a, b] = [traps.honest.token, traps.donated.token];
      await openRange(chain, { venue, tokens: [weth, a], ...wide, amountRaw: 50n * ether });
      const thin = { tickLower: -60, tickUpper: 60, amountRaw: ether / 100n };
      await openRange(chain, { venue, tokens: [a, b], ...thin });
      const { isOk, held, kept } = await buy(kind, [a, b], 1n);
      assert.deepEqual([isOk, kept], [true, [0n, 0n]], kind);
      assert.ok((held[0] ?? 0n) > ether / 2n && (held[1] ?? 0n) > 0n, `${kind}: ${held}`);
    }
  });
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
      [{ kind: 'same', feePips: null }, { kind: 'refused' }],
    );
  });
});
