// The minimum of a trade is what the slippage leaves of the amount, and never nothing.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createBuildScene, SALE, TOKEN, WETH } from '../../../test/build-scene.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import type { TradeInput } from './parse-trade.ts';

/** Prices by a pool of equal reserves: what is paid is known by hand. */
async function createPrice(t: TestContext) {
  const { pricing } = await createBuildScene(t, [createPair(1, [TOKEN, WETH], [DEEP, DEEP])]);
  return (input: Partial<TradeInput>) => pricing.price(pricing.parse({ ...SALE, ...input }));
}

/** The constant product with a fee of 0.3 %. */
function toPaid(amountIn: bigint): bigint {
  const afterFee = amountIn * 997n;
  return (afterFee * DEEP) / (DEEP * 1000n + afterFee);
}

describe('the minimum', () => {
  it('is the amount less the slippage, rounded down', async (t) => {
    const price = await createPrice(t);
    for (const slippageBps of [0, 1, 50, 333, 4999, 5000]) {
      const amountOut = toPaid(10n ** 18n);
      const trade = await price({ slippageBps, amountInRaw: (10n ** 18n).toString() });
      assert.equal(trade.amountOutRaw, amountOut);
      const expected = (amountOut * BigInt(10_000 - slippageBps)) / 10_000n;
      assert.equal(trade.minAmountOutRaw, expected, `${slippageBps}`);
    }
  });

  it('is never nothing', async (t) => {
    const price = await createPrice(t);
    const trade = await price({ amountInRaw: '2', slippageBps: 5000 });
    assert.deepEqual([trade.amountOutRaw, trade.minAmountOutRaw], [1n, 1n]);
  });

  it('is in the quote, beside the amount and the slippage that was asked for', async (t) => {
    const { pricing } = await createBuildScene(t, [createPair(1, [TOKEN, WETH], [DEEP, DEEP])]);
    const trade = await pricing.price(pricing.parse({ ...SALE, slippageBps: 100 }));
    const quote = pricing.toQuote(trade);
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
    assert.equal(sale.amountOutRaw, toPaid((amountIn * 9n) / 10n));
    assert.equal(sale.minAmountOutRaw, (sale.amountOutRaw * 9950n) / 10_000n);
    assert.equal(sale.taxIn?.bps, 1000);
    const purchase = await pricing.price(pricing.parse({ ...SALE, side: 'buy' }));
    const paid = toPaid(amountIn);
    assert.equal(purchase.amountOutRaw, paid - (paid * 5n) / 100n);
    assert.equal(purchase.taxOut?.bps, 500);
    assert.equal(purchase.exact, false);
  });
});
