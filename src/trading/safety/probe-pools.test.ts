// Fees of hooks are measured on the state that they are compared with, whatever block the node runs
// a call on.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { startMisbehavingRpc } from '../../../test/fakes/misbehaving-rpc.ts';
import { PLAIN_RULES } from '../../../test/fakes/trade-costs.ts';
import { poolId } from '../../../test/test-ids.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { toSqrtPriceX96 } from '../../amm/concentrated/sqrt-price-at-tick.ts';
import { TickList } from '../../amm/tick-list.ts';
import { ChainConnections } from '../../engines/chain-connections.ts';
import type { PoolTerms } from '../../model/pool.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { createProbe } from './probe-pools.ts';

const WETH = buildFakeAddress('eeee', 5);
const TOKEN = buildFakeAddress('aaaa', 10);
const HOOK_PIPS = 3000;
const LIQUIDITY = 10n ** 24n;
const BLOCK = { position: 7, hash: `0x${'b7'.repeat(32)}` };
const ID = poolId(`0x${'d4'.repeat(32)}`);
const FOUND = { zeroForOne: HOOK_PIPS, oneForZero: HOOK_PIPS };

/** A whole range of liquidity around a tick. */
function createCurve(tick: number, feePips: number): ConcentratedPool {
  const ticks = new TickList([
    { tick: -600_000, liquidityNet: LIQUIDITY },
    { tick: 600_000, liquidityNet: -LIQUIDITY },
  ]);
  return new ConcentratedPool(
    { sqrtPriceX96: toSqrtPriceX96(tick), liquidity: LIQUIDITY, tick },
    { bitmapSpacing: 60, ticks, fees: { zeroForOne: feePips, oneForZero: feePips } },
  );
}

function createPool(tick: number): GraphPool {
  const hooks = buildFakeAddress('abcd', 1);
  const terms: PoolTerms = {
    kind: 'concentrated',
    terms: { tickSpacing: 60, custody: { kind: 'singleton', hooks } },
  };
  return {
    ...{ pool: ID, venue: 'uniswap-v4', token0: COIN, token1: TOKEN, feePips: 0 },
    ...{ vault: buildFakeAddress('dd', 1), ...terms, inexact: 'hook' },
    cost: PLAIN_RULES.findSwapCost(terms),
    bytes: PLAIN_RULES.findHopBytes(terms),
    curve: createCurve(tick, 0),
  };
}

/** What the probe's contract returns on a state; its hook takes 0.30 % of what swaps pay. */
function runProbe(tick: number, sent: bigint): string {
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  const curve = createCurve(tick, 0);
  const take = (amount: bigint) => amount - (amount * BigInt(HOOK_PIPS)) / 1_000_000n;
  const encode = (state: ConcentratedPool, amount: bigint, paid: bigint) => {
    const { sqrtPriceX96, liquidity } = state.state;
    const amounts = [amount, amount, paid, paid, 0n, 0n, sqrtPriceX96, liquidity];
    return [1n, 1n, ...amounts].map(word).join('');
  };
  const { swap, after } = curve.swapAndMove(true, sent);
  const bought = take(swap.amountOut);
  // A tenth is sold first, then the rest.
  const part = bought / 10n;
  const first = after.swapAndMove(false, part);
  const rest = first.after.swapIn(false, bought - part).amountOut;
  const lists = [
    encode(curve, sent, bought),
    encode(after, part, take(first.swap.amountOut)),
    encode(first.after, bought - part, take(rest)),
  ];
  const places = lists.map((_, at) => word(96n + 320n * BigInt(at)));
  return `0x${[...places, ...lists].join('')}`;
}

interface Run {
  /** The tick of the state that the node runs a call on; null if it does not have the state. */
  readonly runsOn: (tag: unknown, seen: number) => number | null;
  /** The tick of the state in memory. */
  readonly inMemory: number;
  readonly known?: typeof FOUND;
}

/** What the probe takes from the block it runs on. */
function buildHeader(tag: unknown) {
  return {
    ...{ number: tag === 'latest' ? '0x7' : tag, hash: `0x${'b5'.repeat(32)}` },
    ...{ parentHash: `0x${'b4'.repeat(32)}`, timestamp: '0x6ab13480', transactions: [] },
    ...{ miner: `0x${'77'.repeat(20)}`, gasLimit: '0x1c9c380', baseFeePerGas: '0x3b9aca00' },
  };
}

async function measure(t: TestContext, run: Run) {
  let seen = 0;
  const node = await startMisbehavingRpc((method, params) => {
    if (method === 'eth_chainId') return '0x1';
    if (method === 'eth_blockNumber') return '0x7';
    if (method === 'eth_getBlockByNumber') return buildHeader(params[0]);
    const tick = run.runsOn(params[1], seen);
    seen += 1;
    return tick === null ? null : runProbe(tick, 10n ** 16n);
  });
  node.misbehave(({ method, params }) => {
    if (method === 'eth_simulateV1') return { do: 'error', code: -32601, message: 'not found' };
    const isLost = method === 'eth_call' && run.runsOn(params[1], seen) === null;
    return isLost ? { do: 'error', code: -32000, message: 'header not found' } : null;
  });
  const connections = new ChainConnections({
    clock: new ManualClock(),
    log: { info: () => undefined, warn: () => undefined },
  });
  t.after(async () => {
    connections.close();
    await node.stop();
  });
  const endpoints = [node.url];
  const { nodes } = connections.connect({
    ...{ chain: 'ethereum', endpoints, devnet: null, startBlock: null, instance: null },
  });
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  graph.set(createPool(run.inMemory));
  const { position: block, hash: blockHash } = BLOCK;
  const safetyCache = new SafetyCache();
  if (run.known !== undefined) {
    const clean = { outBps: 0, inBps: 0, sellable: true };
    const sides = { token0: COIN, token1: TOKEN, side0: clean, side1: clean };
    safetyCache.set({ pool: ID, ...sides, hookFees: run.known, checkedAtMs: 0 });
  }
  const probe = createProbe({
    ...{ nodes, trusted: new Set([WETH]), coinDecimals: 18, safetyCache, clock: new ManualClock() },
    readGraph: () => ({ graph, checkpoint: { block, blockHash } as never }),
    readFees: () => null,
    readBlock: () => block,
    sleep: async () => undefined,
  });
  const outcome = await probe(ID, AbortSignal.timeout(60_000));
  assert.equal(outcome.status, 'measured', JSON.stringify(outcome));
  const hookFees = outcome.status === 'measured' ? outcome.safety.hookFees : null;
  return { hookFees, calls: node.calls.filter(({ method }) => method === 'eth_call') };
}

test('the probe runs on the block of the state in memory, though the pool has moved since', async (t) => {
  const runsOn = (tag: unknown) => (tag === 'latest' ? -540 : 0);
  const { hookFees, calls } = await measure(t, { runsOn, inMemory: 0 });
  assert.deepEqual(hookFees, FOUND);
  assert.deepEqual(calls[0]?.params[1], { blockHash: BLOCK.hash, requireCanonical: true });
});

for (const moved of [-540, 540]) {
  test(`a node that runs it on another state (tick ${moved}) shows no fee`, async (t) => {
    const { hookFees, calls } = await measure(t, { runsOn: () => moved, inMemory: 0 });
    assert.equal(hookFees, null);
    assert.equal(calls.length, 3);
    const kept = await measure(t, { runsOn: () => moved, inMemory: 0, known: FOUND });
    assert.deepEqual(kept.hookFees, FOUND);
  });
}

test('it is tried again while the node imports a block', async (t) => {
  const runsOn = (_: unknown, seen: number) => (seen === 0 ? -540 : 0);
  assert.deepEqual((await measure(t, { runsOn, inMemory: 0 })).hookFees, FOUND);
});

test('without the state of that block the newest one counts, if the pool has not moved', async (t) => {
  for (const [tick, expected] of [
    [0, FOUND],
    [60, null],
  ] as const) {
    const runsOn = (tag: unknown) => (tag === 'latest' ? tick : null);
    assert.deepEqual((await measure(t, { runsOn, inMemory: 0 })).hookFees, expected);
  }
});
