// A quote is valid until it expires, for its own trade, and only ever raises the minimum.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { buildFees, createBuildScene, SALE, TOKEN, WETH } from '../../../test/build-scene.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { address } from '../../../test/test-ids.ts';
import type { TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import { NO_LIMITS } from '../routing/route-limits.ts';
import { assertFits } from './build-terms.ts';

const REQUEST: TradeRequest = {
  chain: 'devnet',
  mint: address(`0x${'11'.repeat(20)}`),
  side: 'buy',
  quoteMint: address(`0x${'00'.repeat(20)}`),
  fixed: 'input',
  amountRaw: 1000n,
  slippageBps: 50,
  priority: 'medium',
};
const TERMS: QuoteTerms = {
  ...{ request: REQUEST, limitRaw: 990n, outPerUnit: null, permit: null },
  expiresAtMs: 5000,
};

describe('assertFits', () => {
  it('accepts the same trade until it expires, exclusively', () => {
    assert.doesNotThrow(() => assertFits(TERMS, { ...REQUEST }, 4999));
    assert.throws(() => assertFits(TERMS, REQUEST, 5000), { code: 'QUOTE_EXPIRED', status: 409 });
  });

  it('names every field that differs', () => {
    const others: readonly (readonly [string, Partial<TradeRequest>])[] = [
      ['chain', { chain: 'base' }],
      ['mint', { mint: address(`0x${'22'.repeat(20)}`) }],
      ['side', { side: 'sell' }],
      ['quoteMint', { quoteMint: address(`0x${'22'.repeat(20)}`) }],
      ['amountInRaw', { amountRaw: 1001n }],
      ['amountOutRaw', { fixed: 'output' }],
      ['slippageBps', { slippageBps: 51 }],
      ['venues', { limits: { ...NO_LIMITS, venues: ['uniswap-v3'] } }],
      ['excludeVenues', { limits: { ...NO_LIMITS, excludeVenues: ['uniswap-v3'] } }],
      ['directOnly', { limits: { ...NO_LIMITS, directOnly: true } }],
    ];
    for (const [path, other] of others) {
      assert.throws(() => assertFits(TERMS, { ...REQUEST, ...other }, 0), {
        code: 'QUOTE_MISMATCH',
        errors: [{ path, message: 'differs from the quote' }],
      });
    }
  });
});

describe('a build with a quote', () => {
  const SELL = { quoteMint: WETH, slippageBps: 0 };
  /** With these a second pool costs more than it gains; with the scene's own it does not. */
  const HIGH_FEES = buildFees(10n ** 9n);

  async function createScene(t: TestContext) {
    const pools = [1, 2].map((number) => createPair(number, [TOKEN, WETH]));
    const scene = await createBuildScene(t, pools);
    const price = () => scene.pricing.price(scene.pricing.parse({ ...SALE, ...SELL }));
    const quote = async () => scene.pricing.sealAnswer(await price());
    /** The node pays the expected amount. */
    const build = (quoteId: string, arrivingRaw: string) => {
      scene.node.script.arrivingRaw = BigInt(arrivingRaw);
      return scene.build({ ...SELL, quoteId });
    };
    const setReserve = (number: number, reserve1: bigint) =>
      scene.chain.readGraph()?.graph.set(createPair(number, [TOKEN, WETH], [DEEP, reserve1]));
    return { ...scene, price, quote, build, setReserve };
  }

  it('keeps the quoted route, even if network fees have changed', async (t) => {
    const scene = await createScene(t);
    for (const [then, later] of [
      [scene.fees.current, HIGH_FEES],
      [HIGH_FEES, scene.fees.current],
      [null, HIGH_FEES],
      [HIGH_FEES, null],
    ] as const) {
      scene.fees.current = then;
      const quoted = await scene.quote();
      scene.fees.current = later;
      const { quote } = await scene.build(quoted.quoteId, quoted.output.amountRaw);
      assert.deepEqual([quote.route, quote.exact], [quoted.route, true]);
      assert.equal(quote.output.minAmountRaw, quoted.output.amountRaw);
    }
    // Without a quote, the other fees do lead to another route.
    const routes = [];
    for (const fees of [buildFees(7n), HIGH_FEES]) {
      scene.fees.current = fees;
      routes.push((await scene.quote()).route.length);
    }
    assert.deepEqual(routes, [2, 1]);
  });

  it('uses more gas before it rejects; only trades that no route pays are rejected', async (t) => {
    const scene = await createScene(t);
    scene.fees.current = HIGH_FEES;
    scene.setReserve(2, DEEP - 1n);
    const quoted = await scene.quote();
    assert.equal(quoted.route.length, 1);
    // Each pool pays less now than the first one did, but both together pay enough.
    for (const number of [1, 2]) scene.setReserve(number, DEEP - DEEP / 10n ** 7n);
    assert.ok((await scene.price()).amountOutRaw < BigInt(quoted.output.amountRaw));
    scene.fees.current = buildFees(7n);
    const { amountOutRaw } = await scene.price();
    assert.ok(amountOutRaw > BigInt(quoted.output.amountRaw));
    scene.fees.current = HIGH_FEES;
    const { quote } = await scene.build(quoted.quoteId, String(amountOutRaw));
    assert.deepEqual([quote.route.length, quote.output.amountRaw], [2, String(amountOutRaw)]);
    for (const number of [1, 2]) scene.setReserve(number, DEEP - DEEP / 10n ** 6n);
    const refused = scene.build(quoted.quoteId, quoted.output.amountRaw);
    await assert.rejects(refused, { code: 'PRICE_MOVED', status: 409 });
  });

  it('keeps the higher of the two minimums', async (t) => {
    const scene = await createScene(t);
    const { amountOutRaw } = await scene.price();
    for (const [sealed, kept] of [
      [amountOutRaw - 1n, amountOutRaw],
      [amountOutRaw, amountOutRaw],
    ] as const) {
      const { quoteId } = scene.pricing.sealAnswer({
        ...(await scene.price()),
        minAmountOutRaw: sealed,
      });
      const { quote } = await scene.build(quoteId, String(amountOutRaw));
      assert.equal(quote.output.minAmountRaw, String(kept));
    }
  });
});

describe('a build for a given output, by a router that is told what to spend', () => {
  const asked = DEEP / 1000n;
  const given = { quoteMint: WETH, amountInRaw: undefined, amountOutRaw: String(asked) };
  const wanted: object = given;

  async function createScene(t: TestContext) {
    const createOther = (reserve1: bigint) =>
      createPair(1, [TOKEN, WETH], [DEEP, reserve1], { venue: 'other-v2' });
    const scene = await createBuildScene(t, [createOther(DEEP)]);
    const price = () => scene.pricing.price(scene.pricing.parse({ ...SALE, ...wanted }));
    const quote = async () => scene.pricing.sealAnswer(await price());
    const setReserve = (reserve1: bigint) =>
      scene.chain.readGraph()?.graph.set(createOther(reserve1));
    return { ...scene, price, quote, setReserve };
  }

  it('quotes all that is spent as what is spent at most, and says so', async (t) => {
    const { price, quote } = await createScene(t);
    const { input, output, exact, warnings } = await quote();
    assert.equal(input.amountRaw, input.maxAmountRaw);
    assert.deepEqual([exact, output.minAmountRaw], [true, undefined]);
    assert.ok(BigInt(output.amountRaw) > asked);
    assert.ok(warnings.some(({ code }) => code === 'INPUT_SPENT_WHOLE'));
    const { minAmountOutRaw, isInputGiven } = await price();
    assert.deepEqual([minAmountOutRaw, isInputGiven], [asked, true]);
  });

  it('never spends more than was quoted, and moved prices use up the reserve', async (t) => {
    const { quote, build, node, setReserve } = await createScene(t);
    const { quoteId, input, output } = await quote();
    // Just enough arrives, whatever the price is.
    node.script.outcomeOf = ({ to, data }) => {
      const balance = node.script.heldRaw + (to === TOKEN ? 1n : asked);
      const word = balance.toString(16).padStart(64, '0');
      return { isOk: true, returnData: data.startsWith('0x70a08231') ? `0x${word}` : '0x' };
    };
    const buildNow = () => build({ ...wanted, quoteId });
    setReserve((DEEP * 997n) / 1000n);
    const moved = await buildNow();
    assert.equal(moved.quote.input.maxAmountRaw, input.maxAmountRaw);
    assert.equal(moved.quote.input.amountRaw, input.maxAmountRaw);
    const paid = BigInt(moved.quote.output.amountRaw);
    assert.ok(paid >= asked && paid < BigInt(output.amountRaw));
    // The amounts of the call: what is spent, and the least that must arrive.
    const swap = moved.transactions.at(-1);
    const words = swap?.type === 'eip1559' ? swap.data.slice(10).match(/.{64}/g) : null;
    const amounts = words?.slice(0, 2).map((word) => BigInt(`0x${word}`));
    assert.deepEqual(amounts, [BigInt(input.maxAmountRaw ?? 0), asked]);
    assert.ok(moved.summary.some((line) => /^At least 1000 \S+, or nothing happens$/.test(line)));
    setReserve((DEEP * 98n) / 100n);
    await assert.rejects(buildNow(), { code: 'PRICE_MOVED' });
    setReserve((DEEP * 102n) / 100n);
    const cheaper = await buildNow();
    assert.ok(BigInt(cheaper.quote.input.amountRaw) < BigInt(input.amountRaw));
  });
});
