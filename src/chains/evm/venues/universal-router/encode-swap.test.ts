// Every shape of route on a real node: the wallet gets what the maths says, the router nothing.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from 'viem';
import { TEST_ADDRESSES } from '../../../../../devnet/accounts.ts';
import { findPool } from '../../../../../devnet/deployment.ts';
import type { TestReceipt } from '../../../../../devnet/test-chain.ts';
import {
  enableV3Fee,
  mintPosition,
  openRange,
  openTwin,
} from '../../../../../test/devnet-liquidity.ts';
import { createRandom } from '../../../../../test/fakes/create-random.ts';
import { type IndexedDevnet, startIndexedDevnet } from '../../../../../test/indexed-devnet.ts';
import { after, before } from '../../../../../test/root-hooks.ts';
import { type SwapCase, SwapCases } from '../../../../../test/swap-cases.ts';
import { SWAP_SHAPES } from '../../../../../test/swap-shapes.ts';
import { address } from '../../../../../test/test-ids.ts';
import { readBalance } from '../../../../../test/trade-wallet.ts';
import { changeTrap, setTrapPool, setTraps } from '../../../../../test/trap-tokens.ts';
import { ConcentratedPool } from '../../../../amm/concentrated/concentrated-pool.ts';
import { systemClock } from '../../../../lib/clock.ts';
import type { Address } from '../../../../model/ids.ts';
import { addressWord, encodeCallData, uintWord } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { decodeRevertReason } from '../../trading/decode-revert.ts';
import { encodeApprovals } from '../../trading/encode-approval.ts';
import {
  type AccountOverride,
  buildNativeBalanceRead as buildNativeRead,
  type CallOutcome,
  CallSimulator,
  type WalletCall,
} from '../../trading/simulate-calls.ts';
import { TokenBalanceSlots } from '../../trading/token-balance-slot.ts';
import type { EncodedCall, SwapPlan } from '../swap-plan.ts';
import { encodeExactOut } from './encode-exact-out.ts';
import { encodeSwap } from './encode-swap.ts';
import { findUniversalRouter, type UniversalRouter } from './universal-router.ts';

const WALLET = address(TEST_ADDRESSES[3]!);
const ETHER = 10n ** 18n;

let devnet: IndexedDevnet;
let cases: SwapCases;
let weth: Address;
let router: UniversalRouter;
let simulator: CallSimulator;
let slots: TokenBalanceSlots;
let gone = 0;

before(async () => {
  devnet = await startIndexedDevnet();
  const { deployment, client } = devnet.adapter;
  weth = deployment.wrapped;
  router = findUniversalRouter(deployment) ?? assert.fail();
  simulator = new CallSimulator(client, systemClock);
  slots = new TokenBalanceSlots(client);
  cases = new SwapCases(devnet, WALLET);
  await cases.refresh();
});
after(() => devnet.stop());

function sumSpent({ swapPaths }: SwapPlan): bigint {
  return swapPaths.reduce((sum, one) => sum + (one.takes === 'input' ? one.amountInRaw : 0n), 0n);
}

async function execute(plan: SwapPlan): Promise<TestReceipt> {
  const { to, data, value } = encodeSwap(plan, router);
  return devnet.chain.send({ from: WALLET, to, data, value, gas: 2_000_000n } as never);
}

async function readGas({ gasUsed, transactionHash }: TestReceipt): Promise<bigint> {
  const { effectiveGasPrice } = await devnet.chain.rpc.call<{ effectiveGasPrice: string }>(
    'eth_getTransactionReceipt',
    transactionHash,
  );
  return BigInt(gasUsed) * BigInt(effectiveGasPrice);
}

function buildBalanceRead(token: Address, owner: Address): WalletCall {
  if (token === ZERO_ADDRESS) return buildNativeRead(owner);
  const data = encodeCallData('0x70a08231', addressWord(address(owner.toLowerCase())));
  return { to: token, data, value: 0n, gas: 1_000_000n };
}

interface Rehearsed {
  readonly swap: CallOutcome;
  readonly received: bigint;
  readonly spent: bigint;
  /** What the router holds at the end, by token. */
  readonly kept: ReadonlyMap<string, bigint>;
}

function rehearse(plan: SwapPlan): Promise<Rehearsed> {
  return rehearseCall(plan, { call: encodeSwap(plan, router), amountRaw: sumSpent(plan) });
}

/** Approves and swaps on the real contracts, after funding the wallet. */
async function rehearseCall(
  plan: Pick<SwapPlan, 'tokenIn' | 'tokenOut' | 'deadlineSeconds' | 'swapPaths'>,
  { call, amountRaw }: { readonly call: EncodedCall; readonly amountRaw: bigint },
): Promise<Rehearsed> {
  const { block, blockHash } = devnet.follower.current?.checkpoint ?? assert.fail();
  const { tokenIn: token, tokenOut, deadlineSeconds } = plan;
  const isNative = token === ZERO_ADDRESS;
  const need = {
    token,
    amountRaw,
    deadlineSeconds,
    mustReset: false,
    approval: 'onchain' as const,
  };
  const none = { tokenRaw: 0n, permit2Raw: 0n, permit2Expiration: 0, permit2Nonce: 0 };
  const prepared = isNative ? [] : encodeApprovals(need, none, router);
  const slot = isNative ? null : await slots.find({ token, owner: WALLET, block });
  const overrides: [Address, AccountOverride] =
    slot === null
      ? [WALLET, { balance: amountRaw }]
      : [slot.account, { slots: new Map([[slot.slot, `0x${uintWord(amountRaw)}`]]) }];
  const touched = plan.swapPaths.flatMap(({ hops }) =>
    hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]),
  );
  const checked = [...new Set([...touched, weth, ZERO_ADDRESS])];
  const ends = [buildBalanceRead(token, WALLET), buildBalanceRead(tokenOut, WALLET)];
  const steps = [...prepared, call];
  const calls = steps.map(({ to, data, value }) => ({ to, data, value, gas: 3_000_000n }));
  const result = await simulator.simulate({
    wallet: WALLET,
    calls: [
      ...ends,
      ...calls,
      ...ends,
      ...checked.map((one) => buildBalanceRead(one, router.address)),
    ],
    overrides: new Map([overrides]),
    ...{ nativeRaw: 0n, gasPrice: 0n, conditions: null },
    block: { position: block, hash: blockHash },
  });
  if (result.status !== 'done') return assert.fail(result.status);
  const { outcomes } = result;
  const amounts = outcomes.map(({ returnData }) =>
    returnData.length === 66 ? BigInt(returnData) : 0n,
  );
  const after = ends.length + calls.length;
  return {
    swap: outcomes[after - 1]!,
    spent: amounts[0]! - amounts[after]!,
    received: amounts[after + 1]! - amounts[1]!,
    kept: new Map(checked.map((one, index) => [one, amounts[after + 2 + index]!])),
  };
}

async function assertPays(one: SwapCase): Promise<void> {
  const plan = cases.plan(one);
  const { swap, received, spent, kept } = await rehearse(plan);
  assert.ok(swap.isOk, decodeRevertReason(swap.returnData));
  assert.equal(received, plan.amountOut);
  assert.equal(spent, one.amountIn);
  for (const [token, amount] of kept) assert.equal(amount, 0n, `the router keeps ${token}`);
  gone += 1;
}

describe('encodeSwap', () => {
  for (const [from, to, amountIn, ...swapPaths] of SWAP_SHAPES) {
    it(`${from} → ${to} by ${swapPaths.join(', ')}`, () =>
      assertPays({ from, to, amountIn, swapPaths }));
  }
  it('has executed every shape above', () => assert.equal(gone, SWAP_SHAPES.length));

  it('amounts from one unit on, of random size', async () => {
    const random = createRandom(11);
    for (const [from, to, amountIn, ...swapPaths] of SWAP_SHAPES.slice(35, 40)) {
      const amount = (amountIn * BigInt(Math.floor(random() * 1e6))) / 10n ** 6n;
      await assertPays({ from, to, amountIn: amount, swapPaths });
    }
  });

  it('pays the minimum or does nothing, whichever way it pays', async () => {
    for (const [from, to, amountIn, ...swapPaths] of SWAP_SHAPES) {
      const plan = cases.plan({ from, to, amountIn, swapPaths });
      const { swap } = await rehearse({ ...plan, amountOutMin: plan.amountOut + 1n });
      assert.equal(swap.isOk, false, `${from} ${to} ${swapPaths}`);
      assert.match(decodeRevertReason(swap.returnData), /less than the minimum/);
    }
  });

  it('if prices have moved, the largest part takes the difference', async () => {
    const parted = SWAP_SHAPES.filter(([, , , ...swapPaths]) =>
      swapPaths.some((one) => one.includes('>')),
    );
    const plans = parted.map(([from, to, amountIn, ...swapPaths]) =>
      cases.plan({ from, to, amountIn, swapPaths }),
    );
    let moved = 0;
    for (const move of [
      { token: 'wire', venue: 'uniswap-v3', amountInRaw: ETHER },
      { token: 'usdc', venue: 'uniswap-v3', amountInRaw: 3n * ETHER },
      { token: 'usdc', venue: 'uniswap-v2', amountInRaw: 3n * ETHER },
    ] as const) {
      await devnet.chain.buy(move);
      await cases.refresh();
      for (const plan of plans) {
        const least = (plan.amountOut * 80n) / 100n;
        const { swap, spent, received, kept } = await rehearse({ ...plan, amountOutMin: least });
        assert.ok(swap.isOk, decodeRevertReason(swap.returnData));
        assert.equal(spent, sumSpent(plan));
        assert.ok(received >= least);
        if (received !== plan.amountOut) moved += 1;
        for (const [token, amount] of kept) assert.equal(amount, 0n, `the router keeps ${token}`);
      }
    }
    assert.ok(moved > parted.length, `${moved} of ${3 * parted.length} saw another price`);
  });

  it('reverts after its deadline', async () => {
    const [from, to, amountIn, ...swapPaths] = SWAP_SHAPES[0]!;
    const plan = {
      ...cases.plan({ from, to, amountIn, swapPaths }),
      deadlineSeconds: 1_700_000_000,
    };
    assert.match(decodeRevertReason((await rehearse(plan)).swap.returnData), /deadline has passed/);
  });

  it('a taxed token is sent once, and the minimum applies to what arrives', async () => {
    const plan = cases.plan({ from: 'eth', to: 'toll', amountIn: ETHER, swapPaths: ['v2:toll'] });
    const net = plan.amountOut - (plan.amountOut * 300n) / 10_000n;
    const taxed = { ...plan, outputTaxBps: 300, amountOutMin: net };
    const { swap, received } = await rehearse(taxed);
    assert.ok(swap.isOk, decodeRevertReason(swap.returnData));
    assert.equal(received, net);
    const more = await rehearse({ ...taxed, amountOutMin: net + 1n });
    assert.match(decodeRevertReason(more.swap.returnData), /less than the minimum/);
    // If split, each part is also paid to the wallet directly.
    const halves = cases.plan({
      ...{ from: 'eth', to: 'toll', amountIn: ETHER },
      swapPaths: ['v2:toll', 'v2:toll'],
    });
    const outs = halves.swapPaths.map(({ amountOutRaw }) => amountOutRaw);
    const least = outs.reduce((sum, out) => sum + out - (out * 300n) / 10_000n, 0n);
    const divided = { ...halves, outputTaxBps: 300, amountOutMin: least };
    const { received: inParts } = await rehearse(divided);
    assert.equal(inParts, least);
    const tooMuch = await rehearse({ ...divided, amountOutMin: least + 1n });
    assert.equal(tooMuch.swap.isOk, false);
  });

  it('what nobody vouches for is held: a tax that was not known reverts', async () => {
    const { chain } = devnet;
    const { v4PoolManager } = chain.deployment.contracts;
    const span = { tickLower: -887_220, tickUpper: 887_220, amountRaw: 50n * ETHER };
    for (const venue of ['uniswap-v3', 'uniswap-v4'] as const) {
      const { token } = (await setTraps(chain, ['taxesBuyers'])).taxesBuyers;
      const isV3 = venue === 'uniswap-v3';
      const coin = isV3 ? weth : ZERO_ADDRESS;
      const opened = await openRange(chain, { venue, tokens: [coin as Hex, token], ...span });
      await setTrapPool(chain, token, isV3 ? opened.id : v4PoolManager);
      await cases.refresh();
      const pool = cases.pools.find((one) => one.pool === opened.id) ?? assert.fail(venue);
      const hop = cases.buildHop({ pool, zeroForOne: pool.token0 === coin });
      const buy = (amountOutMin: bigint) =>
        rehearse({
          ...{ tokenIn: ZERO_ADDRESS, tokenOut: address(token), amountOutMin, outputTaxBps: 0 },
          swapPaths: [{ takes: 'input', amountInRaw: ETHER, amountOutRaw: 1n, hops: [hop] }],
          ...{ holdsOutput: true, recipient: WALLET, deadlineSeconds: 4_000_000_000 },
        });
      const { amountOut } = pool.curve.swapIn(pool.token0 === coin, ETHER);
      const honest = await buy(amountOut);
      assert.ok(honest.swap.isOk, decodeRevertReason(honest.swap.returnData));
      assert.equal(honest.received, amountOut);
      await changeTrap(chain, token, { buyTaxBps: 1000n });
      await cases.refresh();
      const short = await buy(amountOut);
      assert.equal(short.swap.isOk, false, `${venue}: ${short.received} of ${amountOut} arrived`);
      assert.match(decodeRevertReason(short.swap.returnData), /less than the minimum/);
      const least = amountOut - (amountOut * 1000n) / 10_000n;
      const taxed = await buy(least);
      assert.deepEqual([taxed.swap.isOk, taxed.received], [true, least]);
      for (const [kept, amount] of taxed.kept) assert.equal(amount, 0n, `the router keeps ${kept}`);
    }
  });

  it('refunds what a pool could not take', async () => {
    const { chain } = devnet;
    // Wide spacing: there are few ticks to the end of the range.
    const terms = { feePips: 200, tickSpacing: 200 };
    await enableV3Fee(chain, terms.feePips, terms.tickSpacing);
    for (const venue of ['uniswap-v3', 'uniswap-v4'] as const) {
      const base = findPool(chain.deployment, {
        token: 'wire',
        venue,
        quote: venue === 'uniswap-v3' ? 'weth' : 'eth',
      });
      await cases.refresh();
      const curve = cases.pools.find(({ pool }) => pool === base.id)?.curve;
      assert.ok(curve instanceof ConcentratedPool);
      const { sqrtPriceX96, tick } = curve.state;
      const twin = await openTwin(chain, base, { ...terms, sqrtPriceX96 });
      const size = { sharePpm: 500n, liquidity: 10n ** 20n };
      const tickLower = Math.floor(tick / 200) * 200;
      const span = { tickLower, tickUpper: tickLower + 200 };
      assert.equal((await mintPosition(chain, twin, { ...span, ...size })).status, '0x1');
      await cases.refresh();
      const pool = cases.pools.find((one) => one.pool === twin.id) ?? assert.fail();
      const zeroForOne = pool.token0 === ZERO_ADDRESS || pool.token0 === weth;
      const amountInRaw = 50n * ETHER;
      const { isFilled, amountIn } = pool.curve.swapIn(zeroForOne, amountInRaw);
      assert.equal(isFilled, false);
      const plan: SwapPlan = {
        tokenIn: ZERO_ADDRESS,
        tokenOut: address(cases.tokenOf('wire')),
        amountOutMin: 0n,
        swapPaths: [
          {
            takes: 'input',
            amountInRaw,
            amountOutRaw: 1n,
            hops: [cases.buildHop({ pool, zeroForOne })],
          },
        ],
        outputTaxBps: 0,
        recipient: WALLET,
        deadlineSeconds: 4_000_000_000,
      };
      const before = await readBalance(chain, ZERO_ADDRESS, WALLET);
      const receipt = await execute(plan);
      assert.equal(receipt.status, '0x1', venue);
      const spent = before - (await readBalance(chain, ZERO_ADDRESS, WALLET));
      assert.equal(spent - (await readGas(receipt)), amountIn);
      for (const token of [ZERO_ADDRESS, weth]) {
        assert.equal(await readBalance(chain, token, router.address), 0n);
      }
    }
  });
});

describe('encodeExactOut', () => {
  /** Without joins: each swap path goes from the input to the output through pools of its own. */
  const shapes = SWAP_SHAPES.filter(([, , , ...swapPaths]) => {
    const steps = swapPaths.flatMap((one) => one.split(' '));
    return (
      !steps.includes('>') && !steps.includes('>>') && new Set(swapPaths).size === swapPaths.length
    );
  });
  const planOutput = ([from, to, amountIn, ...swapPaths]: (typeof shapes)[number]) =>
    cases.planExactOut({ from, to, amountIn, swapPaths });
  const spend = (plan: NonNullable<ReturnType<typeof planOutput>>, amountInMax: bigint) => {
    const call = encodeExactOut({ ...plan, amountInMax }, router);
    return rehearseCall(plan, { call, amountRaw: amountInMax });
  };

  for (const shape of shapes) {
    const [from, to, , ...swapPaths] = shape;
    it(`${from} → ${to} by ${swapPaths.join(', ')}`, async () => {
      const plan = planOutput(shape);
      if (plan === null) return;
      // With nothing to spare, and with a maximum that leaves something.
      for (const amountInMax of [plan.amountIn, plan.amountIn * 2n + 7n]) {
        const { swap, received, spent, kept } = await spend(plan, amountInMax);
        assert.ok(swap.isOk, decodeRevertReason(swap.returnData));
        assert.deepEqual([received, spent], [plan.amountOut, plan.amountIn]);
        for (const [token, amount] of kept) assert.equal(amount, 0n, `the router keeps ${token}`);
      }
      const { swap } = await spend(plan, plan.amountIn - 1n);
      assert.equal(swap.isOk, false, 'one unit less is enough');
    });
  }

  it('does nothing if a token deducts from what a pool pays', async () => {
    const plan = planOutput(['eth', 'toll', ETHER, 'v2:toll']) ?? assert.fail();
    const { swap } = await spend(plan, plan.amountIn * 2n);
    assert.equal(swap.isOk, false, 'the wallet gets less than it asked for');
    assert.match(decodeRevertReason(swap.returnData), /less than the minimum/);
  });

  it('has executed most shapes', () => {
    assert.ok(shapes.filter((one) => planOutput(one) !== null).length >= 30);
  });
});
