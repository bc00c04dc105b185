// Every shape of route on a real node: the wallet gets what the maths says, the router nothing.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TEST_ADDRESSES } from '../../../../devnet/accounts.ts';
import { findPool } from '../../../../devnet/deployment.ts';
import type { TestReceipt } from '../../../../devnet/test-chain.ts';
import { enableV3Fee, mintPosition, openTwin } from '../../../../test/devnet-liquidity.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { type IndexedDevnet, startIndexedDevnet } from '../../../../test/indexed-devnet.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { type SwapCase, SwapCases } from '../../../../test/swap-cases.ts';
import { address } from '../../../../test/test-ids.ts';
import { readBalance } from '../../../../test/trade-wallet.ts';
import { ConcentratedPool } from '../../../amm/concentrated/concentrated-pool.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import { addressWord, encodeCallData, uintWord } from '../hex-data.ts';
import { ZERO_ADDRESS } from '../zero-address.ts';
import { decodeRevertReason } from './decode-revert.ts';
import { encodeApprovals } from './encode-approval.ts';
import { encodeSwap } from './encode-swap.ts';
import {
  type AccountOverride,
  buildNativeBalanceRead as buildNativeRead,
  type CallOutcome,
  CallSimulator,
  type WalletCall,
} from './simulate-calls.ts';
import { findSwapRouter, type SwapPlan, type SwapRouter } from './swap-plan.ts';
import { TokenBalanceSlots } from './token-balance-slot.ts';

const WALLET = address(TEST_ADDRESSES[3]!);
const ETHER = 10n ** 18n;

let devnet: IndexedDevnet;
let cases: SwapCases;
let weth: Address;
let router: SwapRouter;
let simulator: CallSimulator;
let slots: TokenBalanceSlots;
let gone = 0;

before(async () => {
  devnet = await startIndexedDevnet();
  const { deployment, client } = devnet.adapter;
  weth = deployment.wrapped;
  router = findSwapRouter(deployment) ?? assert.fail();
  simulator = new CallSimulator(client, systemClock);
  slots = new TokenBalanceSlots(client);
  cases = new SwapCases(devnet, WALLET);
  await cases.refresh();
});
after(() => devnet.stop());

function sumSpent({ strands }: SwapPlan): bigint {
  return strands.reduce((sum, one) => sum + (one.takes === 'input' ? one.amountInRaw : 0n), 0n);
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

/** Approves and swaps on the real contracts, after funding the wallet. */
async function rehearse(plan: SwapPlan): Promise<Rehearsed> {
  const { block, blockHash } = devnet.follower.current?.checkpoint ?? assert.fail();
  const amountRaw = sumSpent(plan);
  const { tokenIn: token, tokenOut, deadlineSeconds } = plan;
  const isNative = token === ZERO_ADDRESS;
  const need = { token, amountRaw, deadlineSeconds, mustReset: false };
  const none = { tokenRaw: 0n, permit2Raw: 0n, permit2Expiration: 0 };
  const prepared = isNative ? [] : encodeApprovals(need, none, router);
  const slot = isNative ? null : await slots.find({ token, owner: WALLET, block });
  const overrides: [Address, AccountOverride] =
    slot === null
      ? [WALLET, { balance: amountRaw }]
      : [slot.account, { slots: new Map([[slot.slot, `0x${uintWord(amountRaw)}`]]) }];
  const touched = plan.strands.flatMap(({ hops }) =>
    hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]),
  );
  const checked = [...new Set([...touched, weth, ZERO_ADDRESS])];
  const ends = [buildBalanceRead(token, WALLET), buildBalanceRead(tokenOut, WALLET)];
  const steps = [...prepared, encodeSwap(plan, router)];
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

const USDC = 10n ** 6n;
const WBIT = 10n ** 8n;

/** From, to, amount, strands. */
const CASES: readonly (readonly [string, string, bigint, ...string[]])[] = [
  // One pool, native and wrapped coin in and out.
  ['eth', 'wire', ETHER, 'v2:wire'],
  ['eth', 'wire', ETHER, 'v3:wire'],
  ['eth', 'wire', ETHER, 'v4:wire'],
  ['weth', 'wire', ETHER, 'v2:wire'],
  ['weth', 'wire', ETHER, 'v3:wire'],
  ['weth', 'wire', ETHER, 'v4:wire'],
  ['wire', 'eth', 900n * ETHER, 'v2:eth'],
  ['wire', 'eth', 900n * ETHER, 'v3:eth'],
  ['wire', 'eth', 900n * ETHER, 'v4:eth'],
  ['wire', 'weth', 900n * ETHER, 'v2:eth'],
  ['wire', 'weth', 900n * ETHER, 'v3:eth'],
  ['wire', 'weth', 900n * ETHER, 'v4:eth'],
  ['usdc', 'wire', 900n * USDC, 'v3:wire'],
  ['usdc', 'wbit', 900n * USDC, 'v4:wbit'],
  // Two and three pools of one kind.
  ['usdc', 'nano', 900n * USDC, 'v2:weth v2:nano'],
  ['eth', 'wbit', ETHER, 'v3:usdc v3:wbit'],
  ['eth', 'wbit', ETHER, 'v4:usdc v4:wbit'],
  ['wbit', 'eth', WBIT / 10n, 'v4:usdc v4:eth'],
  ['usdc', 'spark', 900n * USDC, 'v4:eth v4:spark'],
  ['spark', 'wbit', 900n * ETHER, 'v4:eth v4:usdc v4:wbit'],
  ['kin', 'wbit', 900n * ETHER, 'v3:wire v3:usdc v3:wbit'],
  // Kinds in every order.
  ['eth', 'wbit', ETHER, 'v2:usdc v3:wbit'],
  ['eth', 'wbit', ETHER, 'v2:usdc v4:wbit'],
  ['eth', 'wbit', ETHER, 'v3:usdc v4:wbit'],
  ['eth', 'wbit', ETHER, 'v4:usdc v3:wbit'],
  ['wbit', 'eth', WBIT / 10n, 'v3:usdc v2:eth'],
  ['wbit', 'eth', WBIT / 10n, 'v4:usdc v2:eth'],
  ['wbit', 'weth', WBIT / 10n, 'v4:usdc v3:weth'],
  ['kin', 'nano', 900n * ETHER, 'v3:wire v2:weth v2:nano'],
  ['nano', 'wbit', 10n ** 15n, 'v2:weth v3:usdc v4:wbit'],
  // The coin changes its form in between.
  ['usdc', 'spark', 900n * USDC, 'v3:weth v4:spark'],
  ['usdc', 'spark', 900n * USDC, 'v2:weth v4:spark'],
  ['spark', 'nano', 900n * ETHER, 'v4:eth v2:nano'],
  ['spark', 'cent', 900n * ETHER, 'v4:eth v3:cent'],
  ['nano', 'spark', 10n ** 15n, 'v2:eth v4:spark'],
  // Split.
  ['eth', 'wire', 9n * ETHER, 'v2:wire', 'v3:wire', 'v4:wire'],
  ['weth', 'wire', 9n * ETHER, 'v2:wire', 'v3:wire', 'v4:wire'],
  ['wire', 'eth', 9000n * ETHER, 'v2:eth', 'v3:eth', 'v4:eth'],
  ['wire', 'weth', 9000n * ETHER, 'v4:eth', 'v3:eth', 'v2:eth'],
  ['usdc', 'wire', 9000n * USDC, 'v3:wire', 'v3:weth v2:wire', 'v4:eth v4:wire', 'v2:weth v4:wire'],
  ['kin', 'wbit', 900n * ETHER, 'v3:wire v3:usdc v3:wbit', 'v3:wire v3:usdc v4:wbit'],
  ['wbit', 'wire', WBIT, 'v3:usdc v4:eth v3:wire', 'v4:usdc v2:weth v4:wire', 'v4:usdc v3:wire'],
  // Split and joined: each pool once, with the router in between.
  ['eth', 'wbit', ETHER, 'v3:usdc', 'usdc > v3:wbit', 'usdc >> v4:wbit'],
  ['eth', 'wbit', ETHER, 'v2:usdc', 'v3:usdc', 'v4:usdc', 'usdc >> v3:wbit'],
  ['weth', 'wbit', ETHER, 'v2:usdc', 'v3:usdc', 'v4:usdc', 'usdc > v4:wbit', 'usdc >> v3:wbit'],
  ['wbit', 'eth', WBIT, 'v3:usdc', 'v4:usdc', 'usdc > v2:eth', 'usdc > v3:eth', 'usdc >> v4:eth'],
  ['wbit', 'weth', WBIT, 'v4:usdc', 'usdc > v4:eth', 'usdc > v3:weth', 'usdc >> v2:weth'],
  ['wbit', 'wire', WBIT, 'v4:usdc', 'usdc > v3:wire', 'usdc >> v3:weth v2:wire'],
  // The native coin as an intermediate asset, in both forms.
  [
    'usdc',
    'wire',
    9000n * USDC,
    'v3:weth',
    'v4:eth',
    'eth > v2:wire',
    'eth > v4:wire',
    'eth >> v3:wire',
  ],
  [
    'usdc',
    'wire',
    9000n * USDC,
    'v3:weth',
    'v4:eth',
    'eth > v4:wire',
    'eth > v2:wire',
    'eth >> v3:wire',
  ],
  [
    'usdc',
    'wire',
    9000n * USDC,
    'v2:weth',
    'v4:eth',
    'eth > v2:wire',
    'eth > v3:wire',
    'eth >> v4:wire',
  ],
  ['usdc', 'wire', 9000n * USDC, 'v3:weth', 'weth > v2:wire', 'weth >> v3:wire'],
  ['usdc', 'wire', 9000n * USDC, 'v4:eth', 'eth > v2:wire', 'eth >> v3:wire'],
  ['usdc', 'wire', 9000n * USDC, 'v2:weth', 'v3:weth', 'eth >> v4:wire'],
  ['usdc', 'wire', 9000n * USDC, 'v3:wire', 'v2:weth', 'v4:eth', 'eth > v4:wire', 'eth >> v2:wire'],
  // All of an asset goes on, and later more of it arrives and goes on, too.
  ['usdc', 'kin', 900n * USDC, 'v3:wire', 'wire >> v3:weth', 'eth >> v2:wire', 'wire >> v3:kin'],
  // Over two intermediate assets.
  [
    'kin',
    'wbit',
    900n * ETHER,
    'v3:wire',
    'wire > v3:usdc',
    'wire >> v4:eth v4:usdc',
    'usdc > v3:wbit',
    'usdc >> v4:wbit',
  ],
  [
    'wbit',
    'wire',
    WBIT,
    'v3:usdc',
    'v4:usdc',
    'usdc > v3:weth',
    'usdc > v4:eth',
    'usdc >> v3:wire',
    'eth > v3:wire',
    'eth > v2:wire',
    'eth >> v4:wire',
  ],
];

describe('encodeSwap', () => {
  for (const [from, to, amountIn, ...strands] of CASES) {
    it(`${from} → ${to} by ${strands.join(', ')}`, () =>
      assertPays({ from, to, amountIn, strands }));
  }
  it('has executed every shape above', () => assert.equal(gone, CASES.length));

  it('amounts from one unit on, of random size', async () => {
    const random = createRandom(11);
    for (const [from, to, amountIn, ...strands] of CASES.slice(35, 40)) {
      const amount = (amountIn * BigInt(Math.floor(random() * 1e6))) / 10n ** 6n;
      await assertPays({ from, to, amountIn: amount, strands });
    }
  });

  it('pays the minimum or does nothing, whichever way it pays', async () => {
    for (const [from, to, amountIn, ...strands] of CASES) {
      const plan = cases.plan({ from, to, amountIn, strands });
      const { swap } = await rehearse({ ...plan, amountOutMin: plan.amountOut + 1n });
      assert.equal(swap.isOk, false, `${from} ${to} ${strands}`);
      assert.match(decodeRevertReason(swap.returnData), /less than the minimum/);
    }
  });

  it('if prices have moved, the largest part takes the difference', async () => {
    const parted = CASES.filter(([, , , ...strands]) => strands.some((one) => one.includes('>')));
    const plans = parted.map(([from, to, amountIn, ...strands]) =>
      cases.plan({ from, to, amountIn, strands }),
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
    const [from, to, amountIn, ...strands] = CASES[0]!;
    const plan = {
      ...cases.plan({ from, to, amountIn, strands }),
      deadlineSeconds: 1_700_000_000,
    };
    assert.match(decodeRevertReason((await rehearse(plan)).swap.returnData), /deadline has passed/);
  });

  it('a taxed token is sent once, and the minimum applies to what arrives', async () => {
    const plan = cases.plan({ from: 'eth', to: 'toll', amountIn: ETHER, strands: ['v2:toll'] });
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
      strands: ['v2:toll', 'v2:toll'],
    });
    const outs = halves.strands.map(({ amountOutRaw }) => amountOutRaw);
    const least = outs.reduce((sum, out) => sum + out - (out * 300n) / 10_000n, 0n);
    const divided = { ...halves, outputTaxBps: 300, amountOutMin: least };
    const { received: inParts } = await rehearse(divided);
    assert.equal(inParts, least);
    const tooMuch = await rehearse({ ...divided, amountOutMin: least + 1n });
    assert.equal(tooMuch.swap.isOk, false);
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
        strands: [
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
