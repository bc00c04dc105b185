// What is given to be signed: approvals are for exactly what is spent, the wallet receives the
// output, never less than the minimum, and nothing if the node reports a failure.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Hex } from 'viem';
import { decodeAbiParameters, decodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils';
import {
  type BuildScene,
  createBuildScene,
  PAIR_ROUTER,
  ROUTER,
  SALE,
  TOKEN,
  WALLET,
  WETH,
} from '../../../test/build-scene.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { encodeRevert, type NodeScript } from '../../../test/fakes/scripted-node.ts';
import type { FeeSchedule } from '../../amm/fee-schedule.ts';
import { SingleRangePool } from '../../amm/single-range/single-range-kind.ts';
import type { EvmTransaction } from '../../contract/schemas/transaction-schemas.ts';
import { findFamily } from '../../engines/chain-families.ts';
import type { BuildAnswer } from './build-answer.ts';

const { toShown: toShownAddress } = findFamily('devnet').addresses;

const APPROVE_ABI = parseAbi(['function approve(address spender, uint256 value)']);
const PERMIT2_ABI = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
]);
const EXECUTE_ABI = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline)',
]);
const V2_SWAP = parseAbiParameters('address, uint256, uint256, address[], bool');

const AMOUNT = BigInt(SALE.amountInRaw ?? 0);
/** Pays WETH, so that what the pool pays is what the wallet gets. */
const FOR_WETH = { quoteMint: WETH };
const DEADLINE_SECONDS = 120;

/** The node pays the priced amount, unless a test says otherwise. */
async function createScene(t: TestContext, script: Partial<NodeScript> = {}) {
  const scene = await createBuildScene(t, [createPair(1, [TOKEN, WETH], [DEEP, DEEP])], script);
  const { pricing, node } = scene;
  const priced = await pricing.price(pricing.parse({ ...SALE, ...FOR_WETH }));
  node.script.arrivingRaw = script.arrivingRaw ?? priced.amountOutRaw;
  return { ...scene, priced };
}

function listTransactions({ transactions }: BuildAnswer): EvmTransaction[] {
  return transactions.filter((one) => one.type === 'eip1559');
}

function findTransaction(answer: BuildAnswer, kind: string) {
  return listTransactions(answer).find((one) => one.kind === kind) ?? assert.fail(`no ${kind}`);
}

function decodeSwap(answer: BuildAnswer) {
  const { data, to } = findTransaction(answer, 'swap');
  assert.equal(to, toShownAddress(ROUTER.address));
  const [commands, inputs, deadline] = decodeFunctionData({
    abi: EXECUTE_ABI,
    data: data as Hex,
  }).args;
  assert.equal(commands, '0x08');
  const [recipient, amountIn, amountOutMin] = decodeAbiParameters(V2_SWAP, inputs[0] as Hex);
  return { recipient: recipient.toLowerCase(), amountIn, amountOutMin, deadline };
}

function listKinds({ transactions }: BuildAnswer): string[] {
  return transactions.map(({ kind }) => kind);
}

describe('approvals', () => {
  it('has the minimum of its block, where a fee falls with time', async (t) => {
    const start = 1_790_000_000n;
    const schedule: FeeSchedule = {
      ...{ mode: 'linear', clock: 'seconds', start, frequency: 60n, periods: 49n },
      ...{ reduction: 10_000_000n, cliff: 500_000_000n, added: 0n, rateMax: 990_000_000n },
    };
    const curve = new SingleRangePool({
      ...{ sqrtPriceX64: 1n << 64n, priceMin: 1n, priceMax: 1n << 100n, wide: DEEP << 64n },
      ...{ feeRate: 500_000_000n, feeOn: 'output', schedule },
    });
    const pool = createPair(1, [TOKEN, WETH], [DEEP, DEEP], { curve, feePips: 500_000 });
    const { pricing, chain, build, node } = await createBuildScene(t, [pool]);
    const { graph, checkpoint } = chain.readGraph() ?? assert.fail();
    const gross = new SingleRangePool({ ...curve.toPlain(), feeRate: 0n, schedule: null });
    const { amountOut: whole } = gross.swapIn(true, BigInt(SALE.amountInRaw ?? 0));
    for (const [after, feePips] of [
      [0, 500_000],
      [600, 400_000],
      [86_400, 10_000],
    ] as const) {
      graph.moveTo({ seconds: Number(start) + after, block: checkpoint.block });
      const fee = (whole * BigInt(feePips) + 999_999n) / 1_000_000n;
      const minimum = ((whole - fee) * 9950n) / 10_000n;
      const priced = await pricing.price(pricing.parse({ ...SALE, ...FOR_WETH }));
      assert.deepEqual(
        [priced.amountOutRaw, priced.minAmountOutRaw, priced.exact],
        [whole - fee, minimum, true],
      );
      assert.deepEqual(
        priced.fees.map(({ kind }) => kind),
        ['lp'],
      );
      assert.equal(priced.legs[0]?.hops[0]?.feePips, feePips);
      node.script.arrivingRaw = priced.amountOutRaw;
      const answer = await build(FOR_WETH);
      assert.deepEqual(
        [decodeSwap(answer).amountOutMin, answer.quote.exact, answer.quote.output.minAmountRaw],
        [minimum, true, minimum.toString()],
      );
    }
  });

  it('allow exactly what is spent: the token to Permit2, Permit2 to the router', async (t) => {
    const { build } = await createScene(t);
    const answer = await build(FOR_WETH);
    assert.deepEqual(listKinds(answer), ['approve', 'permit2-approve', 'swap']);
    const approve = findTransaction(answer, 'approve');
    assert.equal(approve.to, toShownAddress(TOKEN));
    const [spender, value] = decodeFunctionData({
      abi: APPROVE_ABI,
      data: approve.data as Hex,
    }).args;
    assert.deepEqual([spender.toLowerCase(), value], [ROUTER.permit2, AMOUNT]);
    const permit = findTransaction(answer, 'permit2-approve');
    assert.equal(permit.to, toShownAddress(ROUTER.permit2));
    const [token, router, amount, until] = decodeFunctionData({
      abi: PERMIT2_ABI,
      data: permit.data as Hex,
    }).args;
    assert.deepEqual([token.toLowerCase(), router.toLowerCase()], [TOKEN, ROUTER.address]);
    assert.deepEqual([amount, until], [AMOUNT, (answer.deadline ?? 0) / 1000]);
    assert.ok(listTransactions(answer).every((one) => one.value === '0'));
  });

  it('are left out only if the allowance is sufficient', async (t) => {
    const far = 4_000_000_000;
    const cases: readonly [bigint, bigint, number, string[]][] = [
      [AMOUNT, AMOUNT, far, ['swap']],
      [AMOUNT - 1n, AMOUNT, far, ['approve', 'swap']],
      [AMOUNT, AMOUNT - 1n, far, ['permit2-approve', 'swap']],
      [AMOUNT, AMOUNT, 1, ['permit2-approve', 'swap']],
    ];
    for (const [allowanceRaw, amountRaw, expiration, kinds] of cases) {
      const { build } = await createScene(t, { allowanceRaw, permit2: { amountRaw, expiration } });
      const answer = await build(FOR_WETH);
      assert.deepEqual(listKinds(answer), kinds);
      assert.equal(answer.issues.allowance === undefined, kinds.length === 1);
    }
  });

  it('of an earlier build are used while at least half of their time is left', async (t) => {
    const nowSeconds = 1_790_000_000;
    for (const [left, kinds, deadline] of [
      [DEADLINE_SECONDS - 1, ['swap'], nowSeconds + DEADLINE_SECONDS - 1],
      [DEADLINE_SECONDS / 2, ['swap'], nowSeconds + DEADLINE_SECONDS / 2],
      [DEADLINE_SECONDS / 2 - 1, ['permit2-approve', 'swap'], nowSeconds + DEADLINE_SECONDS],
    ] as const) {
      const permit2 = { amountRaw: AMOUNT, expiration: nowSeconds + left };
      const { build } = await createScene(t, { allowanceRaw: AMOUNT, permit2 });
      const answer = await build(FOR_WETH);
      assert.deepEqual([listKinds(answer), answer.deadline], [kinds, deadline * 1000]);
      assert.equal(decodeSwap(answer).deadline, BigInt(deadline));
    }
  });

  it('are no reason against an exact router where the coin is spent', async (t) => {
    const routers = [ROUTER, PAIR_ROUTER];
    const pools = [createPair(1, [TOKEN, WETH], [DEEP, DEEP])];
    const { build, chain } = await createBuildScene(t, pools, { outcomeOf: null }, [], routers);
    Object.assign(chain, { trusted: new Set([TOKEN, WETH]) });
    const output: object = { amountInRaw: undefined, amountOutRaw: `${AMOUNT}` };
    for (const approval of ['onchain', 'permit'] as const) {
      const answer = await build({ ...output, side: 'buy', approval });
      assert.deepEqual(listKinds(answer), ['swap'], approval);
      const { to } = findTransaction(answer, 'swap');
      assert.equal(to, toShownAddress(PAIR_ROUTER.address), approval);
    }
    // Of a token it takes an approval of its own, and no permit.
    for (const [approval, spender] of [
      ['onchain', PAIR_ROUTER.address],
      ['permit', ROUTER.permit2],
    ] as const) {
      const answer = await build({ ...output, ...FOR_WETH, approval });
      const { data } = findTransaction(answer, 'approve');
      const [allowed] = decodeFunctionData({ abi: APPROVE_ABI, data: data as Hex }).args;
      assert.equal(allowed.toLowerCase(), spender, approval);
    }
  });

  it('begin with a reset if the token requires that', async (t) => {
    const { build } = await createScene(t, {
      allowanceRaw: 5n,
      outcomeOf: ({ data }, index) => {
        const isChange = index === 0 && !/0{64}$/.test(data);
        return isChange
          ? { isOk: false, returnData: encodeRevert('from zero only') }
          : { isOk: true, returnData: '0x' };
      },
    });
    const answer = await build(FOR_WETH);
    assert.deepEqual(listKinds(answer), ['approve-reset', 'approve', 'permit2-approve', 'swap']);
  });
});

describe('the swap', () => {
  it('pays the wallet that asked, at least the minimum, until the deadline', async (t) => {
    const { build, priced, clock } = await createScene(t);
    const answer = await build(FOR_WETH);
    const { recipient, amountIn, amountOutMin, deadline } = decodeSwap(answer);
    assert.equal(recipient, WALLET);
    assert.equal(amountIn, AMOUNT);
    assert.equal(amountOutMin, priced.minAmountOutRaw);
    assert.equal(answer.quote.output.minAmountRaw, priced.minAmountOutRaw.toString());
    assert.equal(deadline, BigInt(clock.nowMs() / 1000 + DEADLINE_SECONDS));
    assert.equal(answer.recipient, toShownAddress(WALLET));
    assert.ok(answer.transactions.every(({ from }) => from === toShownAddress(WALLET)));
    assert.deepEqual(
      listTransactions(answer).map(({ nonce }) => nonce),
      [5, 6, 7],
    );
  });

  it('keeps the higher minimum of an earlier quote', async (t) => {
    const { build, pricing, priced } = await createScene(t);
    const minAmountOutRaw = priced.minAmountOutRaw + 1n;
    const { quoteId } = pricing.sealAnswer({ ...priced, minAmountOutRaw });
    assert.equal(decodeSwap(await build({ ...FOR_WETH, quoteId })).amountOutMin, minAmountOutRaw);
  });

  it('sends the native coin as value if that is spent, and approves nothing', async (t) => {
    const scene = await createScene(t, { nativeRaw: 10n ** 19n });
    const request = { ...SALE, side: 'buy' as const };
    const { amountOutRaw } = await scene.pricing.price(scene.pricing.parse(request));
    scene.node.script.arrivingRaw = amountOutRaw;
    const answer = await scene.build({ side: 'buy' });
    assert.deepEqual(listKinds(answer), ['swap']);
    assert.equal(listTransactions(answer)[0]?.value, SALE.amountInRaw);
  });
});

describe('a rehearsal', () => {
  const rejects = (scene: Pick<BuildScene, 'build'>, detail: RegExp) =>
    assert.rejects(scene.build(FOR_WETH), (error: { code: string; message: string }) => {
      assert.equal(error.code, 'SIMULATION_REVERTED');
      assert.match(error.message, detail);
      return true;
    });

  it('runs all transactions in order, from the wallet, between two looks at its balance', async (t) => {
    const { build, node } = await createScene(t);
    const answer = await build(FOR_WETH);
    const [calls = []] = node.simulations;
    assert.deepEqual(
      calls.slice(1, -1).map(({ data }) => data),
      listTransactions(answer).map(({ data }) => data),
    );
    assert.ok(calls.slice(1, -1).every(({ from }) => from === WALLET));
    assert.equal(calls[0]?.data, calls.at(-1)?.data);
    assert.equal(answer.simulation.status, 'ok');
    assert.equal(answer.simulation.amountOutRaw, node.script.arrivingRaw.toString());
    assert.equal(answer.simulation.gasUsed, '300000');
    assert.ok(listTransactions(answer).every(({ gas }) => gas === '150000'));
  });

  for (const [index, kind] of ['approve', 'permit2-approve', 'swap'].entries()) {
    it(`that fails at ${kind} gives nothing to sign, and the reason`, async (t) => {
      const scene = await createScene(t, {
        outcomeOf: (_, at) =>
          at === index
            ? { isOk: false, returnData: encodeRevert('no luck') }
            : { isOk: true, returnData: '0x' },
      });
      await rejects(scene, new RegExp(`${kind}.*no luck`));
    });
  }

  it('that brings less than the minimum gives nothing to sign, though nothing failed', async (t) => {
    const scene = await createScene(t);
    const { minAmountOutRaw } = scene.priced;
    scene.node.script.arrivingRaw = minAmountOutRaw - 1n;
    await rejects(scene, new RegExp(`receive ${minAmountOutRaw - 1n}, less than the minimum`));
    scene.node.script.arrivingRaw = minAmountOutRaw;
    const answer = await scene.build(FOR_WETH);
    assert.equal(answer.simulation.amountOutRaw, minAmountOutRaw.toString());
  });

  it('that brings less than an exact price ends exactness, and is logged', async (t) => {
    const scene = await createScene(t);
    assert.equal((await scene.build(FOR_WETH)).quote.exact, true);
    assert.deepEqual(scene.errors, []);
    scene.node.script.arrivingRaw -= 1n;
    assert.equal((await scene.build(FOR_WETH)).quote.exact, false);
    assert.deepEqual(scene.errors, ['an exact price was not exact']);
  });

  it('that contradicts the price is repeated, and counts only if confirmed', async (t) => {
    const failures: unknown[] = [];
    const scene = await createScene(t);
    const { node, chain } = scene;
    Object.assign(chain, { noteFailure: (failure: unknown) => failures.push(failure) });
    const right = node.script.arrivingRaw;
    /** Makes the node use the state of the next block, this many times. */
    const runLate = (times: number, late: () => { isOk: boolean; arrivingRaw: bigint }) => {
      const before = node.simulations.length;
      node.script.outcomeOf = () => {
        const isLate = node.simulations.length - before <= times;
        const { isOk, arrivingRaw } = isLate ? late() : { isOk: true, arrivingRaw: right };
        node.script.arrivingRaw = arrivingRaw;
        return { isOk, returnData: isOk ? '0x' : encodeRevert('too little') };
      };
    };
    for (const late of [
      { isOk: true, arrivingRaw: right - 1n },
      { isOk: true, arrivingRaw: right + 1n },
      { isOk: true, arrivingRaw: 0n },
      { isOk: false, arrivingRaw: 0n },
    ]) {
      runLate(1, () => late);
      const { quote, simulation } = await scene.build(FOR_WETH);
      assert.deepEqual([quote.exact, simulation.amountOutRaw], [true, String(right)]);
    }
    assert.deepEqual([scene.errors, failures], [[], []]);
    runLate(2, () => ({ isOk: true, arrivingRaw: right - 1n }));
    assert.equal((await scene.build(FOR_WETH)).quote.exact, false);
    runLate(4, () => ({ isOk: false, arrivingRaw: 0n }));
    await rejects(scene, /too little/);
    assert.deepEqual([scene.errors.length, failures.length], [1, 3]);
  });

  it('that fails is priced again once', async (t) => {
    const { build, node, priced } = await createScene(t);
    // Both looks at the first price, as a pool that moved between price and simulation.
    node.script.outcomeOf = () => {
      const isOk = node.simulations.length > 2;
      return { isOk, returnData: isOk ? '0x' : encodeRevert('too little') };
    };
    const { simulation, quote } = await build(FOR_WETH);
    assert.deepEqual([simulation.status, node.simulations.length], ['ok', 3]);
    assert.equal(quote.output.minAmountRaw, String(priced.minAmountOutRaw));
  });

  it('for a given output may take 2 bps more than a price that is not exact', async (t) => {
    const unchecked = { inexact: 'unchecked', unchecked: 'feeUnchecked' } as const;
    const amount = { amountInRaw: undefined, amountOutRaw: String(AMOUNT) };
    const trade: object = { ...FOR_WETH, ...amount };
    for (const [isExact, moreBps, failureCount] of [
      ...[[true, 0n, 0] as const, [true, 1n, 1] as const],
      ...[[false, 2n, 0] as const, [false, 3n, 1] as const],
    ]) {
      const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP], isExact ? {} : unchecked);
      const { pricing, node, chain, build } = await createBuildScene(t, [pair]);
      const failures: unknown[] = [];
      Object.assign(chain, { noteFailure: (failure: unknown) => failures.push(failure) });
      const priced = await pricing.price(pricing.parse({ ...SALE, ...trade }));
      assert.equal(priced.exact, isExact);
      const taken = (priced.amountInRaw * (10_000n + moreBps)) / 10_000n;
      const { heldRaw } = node.script;
      // The balances of the output are the first reading and this, those of the input the others.
      node.script.outcomeOf = ({ to, data }) => {
        if (!data.startsWith('0x70a08231')) return { isOk: true, returnData: '0x' };
        const balance = heldRaw + (to === TOKEN ? taken : priced.amountOutRaw);
        return { isOk: true, returnData: `0x${balance.toString(16).padStart(64, '0')}` };
      };
      const { simulation } = await build(trade);
      assert.equal(simulation.status, 'ok');
      assert.equal(failures.length, failureCount, `${isExact} ${moreBps}`);
    }
  });

  it('is on the head of the node, and no price of an older block is exact', async (t) => {
    const { build, node } = await createScene(t);
    const { block } = node.script;
    node.script.block = { ...block, number: block.number + 1, hash: `0x${'b2'.repeat(32)}` };
    const answer = await build(FOR_WETH);
    assert.deepEqual([answer.quote.state.block, answer.quote.exact], [block.number, false]);
    assert.equal(answer.simulation.block, block.number + 1);
  });

  it('on a block that is gone is retried, and then the caller must wait', async (t) => {
    const scene = await createScene(t);
    const { block } = scene.node.script;
    scene.node.script.block = { ...block, hash: `0x${'b2'.repeat(32)}` };
    await assert.rejects(scene.build(FOR_WETH), { code: 'NOT_READY', retryAfterSeconds: 1 });
  });

  it('is skipped, and reported as skipped, if the node cannot simulate', async (t) => {
    const { build } = await createScene(t, { outcomeOf: null });
    const answer = await build(FOR_WETH);
    assert.deepEqual([answer.simulation.status, answer.simulation.amountOutRaw], ['skipped', null]);
  });
});

describe('limits', () => {
  const unchecked = { inexact: 'unchecked', unchecked: 'feeUnchecked' } as const;
  /** A model that sees half of what is paid. */
  async function createPayingTwice(t: TestContext, options: object = unchecked) {
    const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP], options);
    const scene = await createBuildScene(t, [pair]);
    const priced = await scene.pricing.price(scene.pricing.parse({ ...SALE, ...FOR_WETH }));
    const paidRaw = priced.amountOutRaw * 2n;
    scene.node.script.arrivingRaw = paidRaw;
    return { ...scene, priced, paidRaw, minimum: (paidRaw * 9950n) / 10_000n };
  }

  for (const [name, options] of [
    ['inexact', unchecked],
    ['exact', {}],
  ] as const) {
    it(`follow a simulation that pays more than an ${name} price, and the summary says so`, async (t) => {
      const { build, priced, paidRaw, minimum, node } = await createPayingTwice(t, options);
      assert.equal(priced.exact, name === 'exact');
      const answer = await build(FOR_WETH);
      assert.equal(decodeSwap(answer).amountOutMin, minimum);
      assert.equal(node.simulations.at(-1)?.at(-2)?.data, findTransaction(answer, 'swap').data);
      const { output, exact } = answer.quote;
      assert.deepEqual([output.amountRaw, output.minAmountRaw], [`${paidRaw}`, `${minimum}`]);
      assert.equal(exact, false);
      assert.match(
        answer.summary.join('\n'),
        /^You receive about 1\.9.*\nAt least 1\.9.*\nThe simulation paid more than the 0\.9/m,
      );
    });
  }

  it('stay those of the price if the simulation pays less within the slippage', async (t) => {
    const { build, priced, node } = await createPayingTwice(t);
    node.script.arrivingRaw = priced.minAmountOutRaw;
    const answer = await build(FOR_WETH);
    assert.equal(decodeSwap(answer).amountOutMin, priced.minAmountOutRaw);
    assert.equal(answer.quote.output.amountRaw, String(priced.amountOutRaw));
  });

  it('of a quote that followed a simulation bind the next build, which must pay as much', async (t) => {
    const { build, node, minimum, paidRaw } = await createPayingTwice(t);
    const { quoteId } = (await build(FOR_WETH)).quote;
    const answer = await build({ ...FOR_WETH, quoteId });
    assert.equal(decodeSwap(answer).amountOutMin, minimum);
    node.script.arrivingRaw = minimum - 1n;
    await assert.rejects(build({ ...FOR_WETH, quoteId }), { code: 'PRICE_MOVED' });
    node.script.arrivingRaw = paidRaw;
    node.script.outcomeOf = null;
    await assert.rejects(build({ ...FOR_WETH, quoteId }), { code: 'PRICE_MOVED' });
  });

  it('of the input follow a simulation that takes less for a given output', async (t) => {
    const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP], unchecked);
    const { pricing, node, build } = await createBuildScene(t, [pair]);
    const amount = { amountInRaw: undefined, amountOutRaw: String(AMOUNT) };
    const trade: object = { ...FOR_WETH, ...amount };
    const priced = await pricing.price(pricing.parse({ ...SALE, ...trade }));
    const taken = priced.amountInRaw / 2n;
    const { heldRaw } = node.script;
    // The balances of the output are the first reading and this, those of the input the others.
    node.script.outcomeOf = ({ to, data }) => {
      if (!data.startsWith('0x70a08231')) return { isOk: true, returnData: '0x' };
      const balance = heldRaw + (to === TOKEN ? taken : AMOUNT);
      return { isOk: true, returnData: `0x${balance.toString(16).padStart(64, '0')}` };
    };
    const answer = await build(trade);
    const maximum = (taken * 10_050n) / 10_000n;
    const { input } = answer.quote;
    assert.deepEqual([input.amountRaw, input.maxAmountRaw], [`${taken}`, `${maximum}`]);
    const approve = findTransaction(answer, 'approve');
    const [, value] = decodeFunctionData({ abi: APPROVE_ABI, data: approve.data as Hex }).args;
    assert.equal(value, maximum);
    assert.match(answer.summary.join('\n'), /The simulation took less than/);
  });
});

describe('a trade that needs more gas than a transaction may use', () => {
  const POOL_COUNT = 24;
  const GAS_MAX = '0x1000000';

  /** A node on which a swap in more pools than some runs out of gas. */
  async function createHeavy(t: TestContext, poolCountMax: number) {
    const pools = Array.from({ length: POOL_COUNT }, (_, index) =>
      createPair(index + 1, [TOKEN, WETH]),
    );
    const scene = await createBuildScene(t, pools, {
      balanceRaw: DEEP * 100n,
      outcomeOf: ({ to, data }) => {
        if (to !== ROUTER.address) return { isOk: true, returnData: '0x' };
        const [commands] = decodeFunctionData({ abi: EXECUTE_ABI, data: data as Hex }).args;
        const count = commands.slice(2).match(/08/g)?.length ?? 0;
        return count > poolCountMax
          ? { isOk: false, returnData: '0x', gasUsed: GAS_MAX }
          : { isOk: true, returnData: '0x' };
      },
    });
    const trade = { ...FOR_WETH, amountInRaw: (DEEP * 10n).toString() };
    const priced = await scene.pricing.price(scene.pricing.parse({ ...SALE, ...trade }));
    assert.equal(priced.swapPaths.length, POOL_COUNT);
    scene.node.script.arrivingRaw = priced.amountOutRaw;
    return { ...scene, trade };
  }

  it('is built with fewer pools', async (t) => {
    const { build, trade, node } = await createHeavy(t, 7);
    const { quote } = await build(trade);
    assert.ok(quote.route.length > 1 && quote.route.length <= 7, `${quote.route.length}`);
    const swaps = node.simulations.map((calls) => calls.at(-2)?.data.length ?? 0);
    assert.ok((swaps.at(-1) ?? 0) < (swaps[0] ?? 0));
  });

  it('is refused with the reason if fewer do not help, after a few tries', async (t) => {
    const { build, trade, node } = await createHeavy(t, 0);
    await assert.rejects(build(trade), {
      code: 'SIMULATION_REVERTED',
      message: /needs more gas than one may use/,
    });
    // Each with the gas of the model, then with all that a transaction may use.
    assert.ok(node.simulations.length <= 8, `${node.simulations.length}`);
  });

  it('keeps to the minimum of its quote', async (t) => {
    const { build, trade, pricing } = await createHeavy(t, 7);
    const exact = { ...trade, slippageBps: 0 };
    const { quoteId } = pricing.sealAnswer(
      await pricing.price(pricing.parse({ ...SALE, ...exact })),
    );
    await assert.rejects(build({ ...exact, quoteId }), { code: 'PRICE_MOVED' });
  });
});

describe('what the wallet lacks', () => {
  it('is reported with the balance and the required amount', async (t) => {
    const short = { balanceRaw: AMOUNT - 1n, nativeRaw: 3n, outcomeOf: null };
    const { build } = await createScene(t, short);
    const { issues } = await build(FOR_WETH);
    assert.deepEqual(issues.balance, {
      mint: toShownAddress(TOKEN),
      requiredRaw: AMOUNT.toString(),
      actualRaw: (AMOUNT - 1n).toString(),
    });
    assert.equal(issues.nativeForFees?.actualRaw, '3');
    assert.equal(issues.allowance?.requiredRaw, AMOUNT.toString());
  });
});
