// Every shape of route, executed on a real node: the wallet gets what the maths says, to the unit,
// and the router keeps nothing.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TEST_ADDRESSES } from '../../../../devnet/accounts.ts';
import { findPool } from '../../../../devnet/deployment.ts';
import { buildApprovals } from '../../../../devnet/swap-calldata.ts';
import type { TestReceipt } from '../../../../devnet/test-chain.ts';
import { enableV3Fee, mintPosition, openTwin } from '../../../../test/devnet-liquidity.ts';
import { createRandom } from '../../../../test/fakes/fake-chain.ts';
import { type IndexedDevnet, startIndexedDevnet } from '../../../../test/indexed-devnet.ts';
import { executeLegs, type OraclePath } from '../../../../test/oracles/exhaustive-routes.ts';
import { readBalance, setBalance } from '../../../../test/trade-wallet.ts';
import { ConcentratedPool } from '../../../amm/concentrated/concentrated-pool.ts';
import { ZERO_ADDRESS } from '../../../model/market-event.ts';
import type { GraphPool } from '../../../trading/pool-graph-pool.ts';
import { encodeSwap } from './encode-swap.ts';
import { type SwapHop, type SwapPlan, toRoutableVenues, toSwapRouter } from './swap-plan.ts';

const WALLET = TEST_ADDRESSES[3]!;
const ETHER = 10n ** 18n;

let devnet: IndexedDevnet;
let pools: GraphPool[];
let weth: string;
let gone = 0;

before(async () => {
  devnet = await startIndexedDevnet();
  weth = devnet.adapter.deployment.wrapped;
  await devnet.chain.rpc.call('anvil_setBalance', WALLET, '0xffffffffffffffffffff');
});
after(() => devnet.stop());

function tokenOf(key: string): string {
  if (key === 'eth') return ZERO_ADDRESS;
  if (key === 'weth') return weth;
  return devnet.chain.deployment.tokens.find((token) => token.key === key)!.address;
}

/** A step as written in the tables below: `v3:usdc` goes on to USDC in a V3 pool. */
function toPath(from: string, steps: string): OraclePath {
  let at = from;
  return steps.split(' ').map((step) => {
    const [kind, to] = step.split(':') as [string, string];
    const isAsset = (token: string, key: string) =>
      key === 'eth' || key === 'weth'
        ? token === ZERO_ADDRESS || token === weth
        : token === tokenOf(key);
    const pool = pools.find(
      ({ venue, token0, token1 }) =>
        venue === `uniswap-${kind}` &&
        ((isAsset(token0, at) && isAsset(token1, to)) ||
          (isAsset(token1, at) && isAsset(token0, to))),
    );
    if (pool === undefined) return assert.fail(`no ${kind} pool ${at} ${to}`);
    const zeroForOne = isAsset(pool.token0, at);
    at = to;
    return { pool, zeroForOne };
  });
}

function toHop({ pool, zeroForOne }: OraclePath[number]): SwapHop {
  const { token0, token1, venue, feePips } = pool;
  const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0];
  const kind = toRoutableVenues(devnet.adapter.deployment).get(venue);
  if (kind === 'v2') return { tokenIn, tokenOut, pool: { kind, pair: pool.pool } };
  if (kind === 'v3') return { tokenIn, tokenOut, pool: { kind, feePips } };
  assert.equal(kind, 'v4');
  const key = {
    currency0: token0,
    currency1: token1,
    fee: feePips,
    tickSpacing: pool.tickSpacing ?? 0,
    hooks: pool.hooks ?? ZERO_ADDRESS,
  };
  return { tokenIn, tokenOut, pool: { kind: 'v4', key } };
}

interface Case {
  readonly from: string;
  readonly to: string;
  readonly amountIn: bigint;
  /** The legs' steps; the input is divided evenly. */
  readonly legs: readonly string[];
}

async function refresh(): Promise<void> {
  await devnet.settle();
  pools = [...(devnet.follower.current?.graph.pools() ?? [])];
}

function toPlan({ from, to, amountIn, legs }: Case): SwapPlan & { amountOut: bigint } {
  const parts = legs.map((steps, index) => {
    const share = amountIn / BigInt(legs.length);
    const rest = amountIn - share * BigInt(legs.length);
    return { path: toPath(from, steps), amountIn: index === 0 ? share + rest : share };
  });
  const { amountOut } = executeLegs(parts) ?? assert.fail('not filled');
  return {
    tokenIn: tokenOf(from),
    tokenOut: tokenOf(to),
    amountOut,
    amountOutMin: amountOut,
    legs: parts.map((leg) => ({
      amountInRaw: leg.amountIn,
      amountOutRaw: amountOut,
      hops: leg.path.map(toHop),
    })),
    outputTaxBps: 0,
    recipient: WALLET,
    deadlineSeconds: 4_000_000_000,
  };
}

async function execute(plan: SwapPlan): Promise<TestReceipt> {
  const router = toSwapRouter(devnet.adapter.deployment) ?? assert.fail();
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

const approved = new Set<string>();

/** Much of everything, once: finding out how costs the node half a second. */
async function fund(token: string): Promise<void> {
  if (token === ZERO_ADDRESS || approved.has(token)) return;
  approved.add(token);
  await setBalance(devnet.chain, token, { owner: WALLET, amountRaw: 10n ** 30n });
  const { contracts } = devnet.chain.deployment;
  const approvals = buildApprovals({ contracts, owner: WALLET, token: token as never });
  for (const approval of approvals) await devnet.chain.send(approval);
}

/** Nothing of anybody's stays behind. */
async function assertRouterEmpty(plan: SwapPlan): Promise<void> {
  const router = devnet.chain.deployment.contracts.universalRouter;
  const touched = plan.legs.flatMap(({ hops }) =>
    hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]),
  );
  for (const token of new Set([...touched, weth, ZERO_ADDRESS])) {
    assert.equal(await readBalance(devnet.chain, token, router), 0n, `the router keeps ${token}`);
  }
}

async function assertPays(one: Case): Promise<void> {
  const { chain } = devnet;
  await fund(tokenOf(one.from));
  await refresh();
  const plan = toPlan(one);
  const before = await readBalance(chain, plan.tokenOut, WALLET);
  const spentBefore = await readBalance(chain, plan.tokenIn, WALLET);
  const receipt = await execute(plan);
  assert.equal(receipt.status, '0x1');
  const gas = await readGas(receipt);
  const toGas = (token: string) => (token === ZERO_ADDRESS ? gas : 0n);
  const received = (await readBalance(chain, plan.tokenOut, WALLET)) - before;
  assert.equal(received + toGas(plan.tokenOut), plan.amountOut);
  const spent = spentBefore - (await readBalance(chain, plan.tokenIn, WALLET));
  assert.equal(spent - toGas(plan.tokenIn), one.amountIn);
  await assertRouterEmpty(plan);
  gone += 1;
}

const USDC = 10n ** 6n;
const WBIT = 10n ** 8n;

/** From, to, amount, legs. */
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
  // The coin changes its form on the way.
  ['usdc', 'spark', 900n * USDC, 'v3:weth v4:spark'],
  ['usdc', 'spark', 900n * USDC, 'v2:weth v4:spark'],
  ['spark', 'nano', 900n * ETHER, 'v4:eth v2:nano'],
  ['spark', 'cent', 900n * ETHER, 'v4:eth v3:cent'],
  ['nano', 'spark', 10n ** 15n, 'v2:eth v4:spark'],
  // Divided.
  ['eth', 'wire', 9n * ETHER, 'v2:wire', 'v3:wire', 'v4:wire'],
  ['weth', 'wire', 9n * ETHER, 'v2:wire', 'v3:wire', 'v4:wire'],
  ['wire', 'eth', 9000n * ETHER, 'v2:eth', 'v3:eth', 'v4:eth'],
  ['wire', 'weth', 9000n * ETHER, 'v4:eth', 'v3:eth', 'v2:eth'],
  ['usdc', 'wire', 9000n * USDC, 'v3:wire', 'v3:weth v2:wire', 'v4:eth v4:wire', 'v2:weth v4:wire'],
  ['kin', 'wbit', 900n * ETHER, 'v3:wire v3:usdc v3:wbit', 'v3:wire v3:usdc v4:wbit'],
  ['wbit', 'wire', WBIT, 'v3:usdc v4:eth v3:wire', 'v4:usdc v2:weth v4:wire', 'v4:usdc v3:wire'],
];

describe('encodeSwap', () => {
  for (const [from, to, amountIn, ...legs] of CASES) {
    it(`${from} → ${to} by ${legs.join(', ')}`, () => assertPays({ from, to, amountIn, legs }));
  }
  it('has executed every shape above', () => assert.equal(gone, CASES.length));

  it('amounts from one unit on, of random size', async () => {
    const random = createRandom(11);
    for (const [from, to, amountIn, ...legs] of CASES.slice(35, 40)) {
      const amount = (amountIn * BigInt(Math.floor(random() * 1e6))) / 10n ** 6n;
      await assertPays({ from, to, amountIn: amount, legs });
    }
  });

  it('pays back nothing less than the minimum: the whole call reverts', async () => {
    for (const [from, to, amountIn, ...legs] of [CASES[0]!, CASES[8]!, CASES[35]!, CASES[37]!]) {
      await fund(tokenOf(from));
      await refresh();
      const plan = toPlan({ from, to, amountIn, legs });
      const receipt = await execute({ ...plan, amountOutMin: plan.amountOut + 1n });
      assert.equal(receipt.status, '0x0', `${from} ${to}`);
    }
  });

  it('reverts after its deadline', async () => {
    const [from, to, amountIn, ...legs] = CASES[0]!;
    await refresh();
    const plan = { ...toPlan({ from, to, amountIn, legs }), deadlineSeconds: 1_700_000_000 };
    assert.equal((await execute(plan)).status, '0x0');
  });

  it('gives back what a pool could not take', async () => {
    const { chain } = devnet;
    // Wide spacing: the way to the end of all prices leads over few ticks.
    const terms = { feePips: 200, tickSpacing: 200 };
    await enableV3Fee(chain, terms.feePips, terms.tickSpacing);
    for (const venue of ['uniswap-v3', 'uniswap-v4'] as const) {
      const base = findPool(chain.deployment, {
        token: 'wire',
        venue,
        quote: venue === 'uniswap-v3' ? 'weth' : 'eth',
      });
      await refresh();
      const curve = pools.find(({ pool }) => pool === base.id)?.curve;
      assert.ok(curve instanceof ConcentratedPool);
      const { sqrtPriceX96, tick } = curve.state;
      const twin = await openTwin(chain, base, { ...terms, sqrtPriceX96 });
      const size = { sharePpm: 500n, liquidity: 10n ** 20n };
      const tickLower = Math.floor(tick / 200) * 200;
      const span = { tickLower, tickUpper: tickLower + 200 };
      assert.equal((await mintPosition(chain, twin, { ...span, ...size })).status, '0x1');
      await refresh();
      const pool = pools.find((one) => one.pool === twin.id) ?? assert.fail();
      const zeroForOne = pool.token0 === ZERO_ADDRESS || pool.token0 === weth;
      const amountInRaw = 50n * ETHER;
      const { isFilled, amountIn } = pool.curve.swapIn(zeroForOne, amountInRaw);
      assert.equal(isFilled, false);
      const plan: SwapPlan = {
        tokenIn: ZERO_ADDRESS,
        tokenOut: tokenOf('wire'),
        amountOutMin: 0n,
        legs: [{ amountInRaw, amountOutRaw: 1n, hops: [toHop({ pool, zeroForOne })] }],
        outputTaxBps: 0,
        recipient: WALLET,
        deadlineSeconds: 4_000_000_000,
      };
      const before = await readBalance(chain, ZERO_ADDRESS, WALLET);
      const receipt = await execute(plan);
      assert.equal(receipt.status, '0x1', venue);
      const spent = before - (await readBalance(chain, ZERO_ADDRESS, WALLET));
      assert.equal(spent - (await readGas(receipt)), amountIn);
      await assertRouterEmpty(plan);
    }
  });
});
