// The minimum of a trade is the amount after slippage, and never zero.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createBuildScene, SALE, TOKEN, WETH } from '../../../test/build-scene.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import type { TradeInput } from './parse-trade.ts';

/** Prices with a pool of equal reserves, so that the result is known by hand. */
async function createPrice(t: TestContext) {
  const { pricing } = await createBuildScene(t, [createPair(1, [TOKEN, WETH], [DEEP, DEEP])]);
  return (input: Partial<TradeInput>) => pricing.price(pricing.parse({ ...SALE, ...input }));
}

/** The constant product with a fee of 0.3 %. */
function computePaid(amountIn: bigint): bigint {
  const afterFee = amountIn * 997n;
  return (afterFee * DEEP) / (DEEP * 1000n + afterFee);
}

describe('the minimum', () => {
  it('is the amount less the slippage, rounded down', async (t) => {
    const price = await createPrice(t);
    for (const slippageBps of [0, 1, 50, 333, 4999, 5000]) {
      const amountOut = computePaid(10n ** 18n);
      const trade = await price({ slippageBps, amountInRaw: (10n ** 18n).toString() });
      assert.equal(trade.amountOutRaw, amountOut);
      const expected = (amountOut * BigInt(10_000 - slippageBps)) / 10_000n;
      assert.equal(trade.minAmountOutRaw, expected, `${slippageBps}`);
    }
  });

  it('is never zero', async (t) => {
    const price = await createPrice(t);
    const trade = await price({ amountInRaw: '2', slippageBps: 5000 });
    assert.deepEqual([trade.amountOutRaw, trade.minAmountOutRaw], [1n, 1n]);
  });

  it('is in the quote, beside the amount and the slippage that was asked for', async (t) => {
    const { pricing } = await createBuildScene(t, [createPair(1, [TOKEN, WETH], [DEEP, DEEP])]);
    const trade = await pricing.price(pricing.parse({ ...SALE, slippageBps: 100 }));
    const quote = pricing.sealAnswer(trade);
    assert.equal(quote.output.amountRaw, trade.amountOutRaw.toString());
    assert.equal(quote.output.minAmountRaw, trade.minAmountOutRaw.toString());
    assert.equal(quote.slippageBps, 100);
    const { minAmountOutRaw, request } = pricing.openQuoteId(quote.quoteId);
    assert.equal(minAmountOutRaw, trade.minAmountOutRaw);
    assert.deepEqual(request, trade.request);
  });
});

describe('a taxed token', () => {
  it('counts what arrives after the tax, and the minimum with it', async (t) => {
    const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP]);
    const { pricing, chain } = await createBuildScene(t, [pair]);
    const taxed = { outBps: 500, inBps: 1000, sellable: true };
    const known = chain.book.get(pair.pool) ?? assert.fail();
    chain.book.set({ ...known, side0: taxed });
    const sale = await pricing.price(pricing.parse(SALE));
    const amountIn = BigInt(SALE.amountInRaw);
    // The pool is paid nine tenths of what the wallet sends.
    assert.equal(sale.amountOutRaw, computePaid((amountIn * 9n) / 10n));
    assert.equal(sale.minAmountOutRaw, (sale.amountOutRaw * 9950n) / 10_000n);
    assert.equal(sale.taxIn?.bps, 1000);
    const purchase = await pricing.price(pricing.parse({ ...SALE, side: 'buy' }));
    const paid = computePaid(amountIn);
    assert.equal(purchase.amountOutRaw, paid - (paid * 5n) / 100n);
    assert.equal(purchase.taxOut?.bps, 500);
    assert.equal(purchase.exact, false);
  });
});

describe('an exact price', () => {
  it('needs a clean measurement of each pool on the way, and a fresh one', async (t) => {
    const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP]);
    const { pricing, chain, clock } = await createBuildScene(t, [pair]);
    const isExact = async (side: 'buy' | 'sell') =>
      (await pricing.price(pricing.parse({ ...SALE, side }))).exact;
    assert.deepEqual([await isExact('sell'), await isExact('buy')], [true, true]);
    const known = chain.book.get(pair.pool) ?? assert.fail();
    const buildSide = (more: object) => ({ outBps: 0, inBps: 0, sellable: true, ...more });
    const cases: readonly [object, boolean, boolean][] = [
      [{ sellable: false }, false, true],
      [{ sellable: null }, false, true],
      [{ inBps: 1 }, false, true],
      [{ inBps: null }, false, true],
      [{ outBps: 1 }, true, false],
      [{ outBps: null }, true, false],
    ];
    for (const [more, ofSale, ofPurchase] of cases) {
      chain.book.set({ ...known, side0: buildSide(more) });
      const name = JSON.stringify(more);
      // A token that is known to be unsellable may have no price.
      assert.equal(await isExact('sell').catch(() => false), ofSale, name);
      assert.equal(await isExact('buy'), ofPurchase, name);
    }
    chain.book.set(known);
    clock.advance(365 * 86_400_000);
    assert.deepEqual([await isExact('sell'), await isExact('buy')], [false, false]);
  });
});

describe('a token that somebody asks about', () => {
  it('is reported, so that its pools are adopted, also if no route is found', async (t) => {
    const { pricing, chain } = await createBuildScene(t, [createPair(1, [TOKEN, WETH])]);
    const asked: string[] = [];
    Object.assign(chain, { noteAsked: (token: string) => asked.push(token) });
    await pricing.price(pricing.parse(SALE));
    const tooMuch = { ...SALE, side: 'buy' as const, amountInRaw: (2n ** 255n).toString() };
    await assert.rejects(pricing.price(pricing.parse(tooMuch)), { code: 'INSUFFICIENT_LIQUIDITY' });
    assert.deepEqual(asked, [TOKEN, TOKEN]);
  });
});

describe('refusals', () => {
  it('a paused token is traded on neither side', async (t) => {
    for (const [paused, input] of [
      [TOKEN, {}],
      [WETH, { quoteMint: WETH }],
    ] as const) {
      const { pricing } = await createBuildScene(t, [createPair(1, [TOKEN, WETH])], {}, [paused]);
      await assert.rejects(pricing.price(pricing.parse({ ...SALE, ...input })), {
        code: 'TOKEN_PAUSED',
      });
    }
  });

  it('the native coin and its wrapping are one asset', async (t) => {
    const price = await createPrice(t);
    await assert.rejects(price({ mint: WETH }), { code: 'INVALID_INPUT' });
    await assert.rejects(price({ quoteMint: TOKEN }), { code: 'INVALID_INPUT' });
  });

  it('a token that was never seen is not found', async (t) => {
    const price = await createPrice(t);
    await assert.rejects(price({ mint: `0x${'99'.repeat(20)}` }), { code: 'TOKEN_NOT_FOUND' });
  });
});
