// Random trades in stand-ins of Fluid, four.meme and Sky: the contract is asked what it pays, and
// what was built pays that, or at least its minimum.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TEST_ADDRESSES } from '../../../../devnet/accounts.ts';
import {
  type CalledVenues,
  openCalledVenues,
  sendTrade,
  toCurve,
} from '../../../../test/called-scene.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { RUN_SEED } from '../../../../test/run-seed.ts';
import { address } from '../../../../test/test-ids.ts';
import { setBalance } from '../../../../test/trade-wallet.ts';
import { startTradingScene, type TradingScene } from '../../../../test/trading-scene.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolRecord } from '../../../model/pool.ts';
import type { BuiltTransactions, ExecutableTrade } from '../../chain-transactions.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { callContracts } from '../rpc/multicall.ts';
import { EvmTransactions } from '../trading/evm-transactions.ts';
import { quotePoolsOnChain } from './quote-pools-on-chain.ts';
import { listSwapRouters } from './swap-routers.ts';

const WALLET = address(TEST_ADDRESSES[6] ?? '');
const OTHER = address(TEST_ADDRESSES[7] ?? '');
const ETHER = 10n ** 18n;
const RANDOM_COUNT = 300;
const STEP = 10n ** 9n;

let scene: TradingScene;
let venues: CalledVenues;
let transactions: EvmTransactions;

before(async () => {
  scene = await startTradingScene({
    prepare: async (chain) => {
      venues = await openCalledVenues(chain);
    },
  });
  await scene.settle();
  const { client, deployment } = scene.devnet.adapter;
  const parts = { client, chainId: deployment.chainId, rollup: null, clock: systemClock };
  transactions = new EvmTransactions({ ...parts, routers: listSwapRouters(deployment) });
});
after(() => scene.stop());

async function readPool(pool: PoolId): Promise<PoolRecord> {
  const [row] = await scene.devnet.store.readPools('devnet', [pool]);
  return row ?? assert.fail(`no pool ${pool}`);
}

interface Swap {
  readonly pool: PoolRecord;
  readonly zeroForOne: boolean;
  readonly amount: bigint;
}

function findEnds({ pool: { token0, token1 }, zeroForOne }: Omit<Swap, 'amount'>) {
  const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0];
  return { tokenIn, tokenOut };
}

async function ask({ pool, zeroForOne, amount }: Swap): Promise<bigint | null> {
  const { client, deployment } = scene.devnet.adapter;
  const at = { client, multicall3: deployment.multicall3, block: null };
  const query = { swaps: [{ pool, zeroForOne }], amounts: [amount] };
  const [quote] = await quotePoolsOnChain(query, {
    ...{ deployment, call: (calls) => callContracts(calls, at) },
  });
  return quote?.amountsOut[0] ?? null;
}

async function build(
  swap: Swap & { readonly minimum: bigint },
  owner: Address,
): Promise<BuiltTransactions> {
  const { pool, zeroForOne, amount, minimum } = swap;
  const ends = findEnds({ pool, zeroForOne });
  const { chain } = scene.devnet;
  await setBalance(chain, ZERO_ADDRESS, { owner, amountRaw: 10_000n * ETHER });
  if (ends.tokenIn !== ZERO_ADDRESS) {
    await setBalance(chain, ends.tokenIn, { owner, amountRaw: amount });
  }
  const amounts = { amountInRaw: amount, amountOutRaw: minimum };
  const trade: ExecutableTrade = {
    ...{ fixed: 'input', ...ends, ...amounts, maxAmountInRaw: amount, minAmountOutRaw: minimum },
    swapPaths: [{ takes: 'input', ...amounts, hops: [{ pool, ...ends }] }],
    ...{ outputTaxBps: 0, router: pool.venue, costUnits: 1_000_000n, isQuotedOnChain: true },
  };
  const wallet = await transactions.readWallet(owner, ends.tokenIn);
  const position = await chain.readHead();
  const built = await wallet.build({
    ...{ trade, block: { position, hash: null }, nowMs: Date.now(), lifeSeconds: 600 },
    ...{ approval: 'onchain', priority: 'medium' },
  });
  return built ?? assert.fail('the block is gone');
}

function send({ transactions: all }: BuiltTransactions, swap: Swap, owner: Address) {
  const list = all.map(({ unsigned }) => unsigned);
  return sendTrade(scene.devnet.chain, list, { owner, ...findEnds(swap) });
}

/** Of up to a hundredth of what a side has. */
function draw(pools: readonly PoolRecord[], random: () => number): Swap {
  const pool = pools[Math.floor(random() * pools.length)] ?? assert.fail();
  const zeroForOne = random() < 0.5;
  const { tokenIn } = findEnds({ pool, zeroForOne });
  const whole = tokenIn === scene.mintOf('usdc') ? 100_000n * 10n ** 6n : 30n * ETHER;
  const scale = pool.venue === 'four-meme' && tokenIn === pool.token0 ? 1_000_000n : 1n;
  const share = 10 ** (random() * 5);
  return { pool, zeroForOne, amount: (whole * scale * BigInt(Math.ceil(share))) / 10n ** 7n };
}

const seed = RUN_SEED;

describe(`${RANDOM_COUNT} random swaps that a contract was asked about (seed ${seed})`, () => {
  it('in pools of Fluid pay what was asked, but for what time changes', async () => {
    const random = createRandom(seed);
    const pools = await Promise.all(venues.fluid.map(readPool));
    for (let count = 0; count < RANDOM_COUNT; count += 1) {
      const swap = draw(pools, random);
      const asked = (await ask(swap)) ?? assert.fail('no answer');
      // Its prices move by up to a ten-thousandth.
      const minimum = asked - asked / 5_000n - 1n;
      const built = await build({ ...swap, minimum }, WALLET);
      const { spent, received, isDone } = await send(built, swap, WALLET);
      assert.ok(isDone);
      assert.equal(spent, swap.amount);
      assert.ok(received >= minimum && received <= asked + asked / 5_000n + 1n);
    }
  });

  it("in Sky's module of several coins pay what was asked, but for what time changes", async () => {
    const random = createRandom(seed + 2);
    const pools = await Promise.all(venues.pegs.map(readPool));
    for (let count = 0; count < RANDOM_COUNT; count += 1) {
      const swap = draw(pools, random);
      const asked = (await ask(swap)) ?? assert.fail('no answer');
      // The worth of a share moves by up to a ten-thousandth.
      const minimum = asked - asked / 5_000n - 1n;
      const built = await build({ ...swap, minimum }, WALLET);
      const { spent, received, isDone } = await send(built, swap, WALLET);
      assert.ok(isDone);
      assert.equal(spent, swap.amount);
      assert.ok(received >= minimum && received <= asked + asked / 5_000n + 1n);
    }
  });

  it('on curves of four.meme pay just that, or nothing happens', async (t) => {
    const random = createRandom(seed + 1);
    const [first, second] = venues.coins;
    const pools = await Promise.all([first, second].map((coin) => readPool(toCurve(coin))));
    let reverted = 0;
    for (let count = 0; count < RANDOM_COUNT; count += 1) {
      const swap = draw(pools, random);
      const { pool, zeroForOne, amount } = swap;
      const asked = await ask(swap);
      if (asked === null) continue;
      const built = await build({ ...swap, minimum: asked }, WALLET);
      const isDisturbed = random() < 0.1;
      if (isDisturbed) {
        const before = { pool, zeroForOne, amount: amount / 3n + STEP };
        const built = await build({ ...before, minimum: 1n }, OTHER);
        assert.ok((await send(built, before, OTHER)).isDone);
      }
      const { spent, received, isDone } = await send(built, swap, WALLET);
      if (isDisturbed) {
        reverted += isDone ? 0 : 1;
        assert.ok(isDone ? received >= asked : received === 0n && spent === 0n);
        continue;
      }
      assert.ok(isDone);
      assert.equal(received, asked);
      // Coins are sold in whole steps; a purchase takes what its coins cost.
      if (zeroForOne) assert.equal(spent, amount - (amount % STEP));
      else assert.ok(spent <= amount && spent * 100n >= amount * 99n);
    }
    assert.ok(reverted > 0);
    t.diagnostic(`${reverted} reverted after a trade of somebody else`);
  });
});

describe('a trade whose minimum is more than the contract pays', () => {
  it('is refused by the simulation, with the reason', async () => {
    const [coin] = venues.coins;
    for (const [id, reason] of [
      [venues.fluid[0], /FluidDexError/],
      [toCurve(coin), /less than the minimum/],
      [venues.pegs[0], /less than the minimum/],
    ] as const) {
      const swap = { pool: await readPool(id), zeroForOne: true, amount: ETHER };
      const minimum = ((await ask(swap)) ?? assert.fail()) * 2n;
      await assert.rejects(build({ ...swap, minimum }, WALLET), (error: Error) => {
        return reason.test(JSON.stringify(error) + error.message);
      });
    }
  });
});
