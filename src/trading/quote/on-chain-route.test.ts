// When pools are called for a trade, and what becomes of their answer.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createBuildScene, SALE, TOKEN, WETH } from '../../../test/build-scene.ts';
import { buildToken } from '../../../test/conformance/store-samples.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { OnChainPool } from '../../amm/unpriced/on-chain-pool.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { TradeSearch } from '../routing/find-trade-route.ts';
import type { OnChainAnswer, OnChainRoute, OnChainTrade } from './on-chain-quotes.ts';
import { findOnChainRoute } from './on-chain-route.ts';
import type { PriceOptions } from './priced-trade.ts';

const AMOUNT = BigInt(SALE.amountInRaw ?? 0);
/** As a pool that pays nine tenths answers. */
const ROUTE: OnChainRoute = {
  pool: {
    ...createPair(9, [TOKEN, WETH], [DEEP, DEEP], { venue: 'other-v2', inexact: 'unchecked' }),
    curve: new OnChainPool({
      zeroForOne: true,
      asked: { amountIn: AMOUNT, amountOut: (AMOUNT * 9n) / 10n },
      small: { amountIn: AMOUNT / 1000n, amountOut: (AMOUNT * 9n) / 10_000n },
    }),
  },
  ...{ zeroForOne: true, amountOut: (AMOUNT * 9n) / 10n, router: 'other' },
};
const ANSWER: OnChainAnswer = { kind: 'found', route: ROUTE };
const SELLING = { tokenIn: TOKEN, tokenOut: WETH };
const BUYING = { tokenIn: WETH, tokenOut: TOKEN };
const NO_MARKET: TradeSearch = { kind: 'none', reason: 'noMarket' };

const ONE_TO_ONE = [TOKEN, WETH].map((token) => buildToken({ token, priceUsd: '1', decimals: 18 }));
const UNPRICED = ONE_TO_ONE.map((row) => ({ ...row, priceUsd: null }));

interface SceneOptions {
  readonly answer: OnChainAnswer;
  readonly prices: readonly TokenRecord[];
}

async function createScene(
  t: TestContext,
  pools: readonly GraphPool[],
  { answer = ANSWER, prices = ONE_TO_ONE }: Partial<SceneOptions> = {},
) {
  const scene = await createBuildScene(t, pools);
  await scene.store.transaction('devnet', (transaction) => transaction.putTokens(prices));
  scene.chain.tokens.forget();
  const asked: OnChainTrade[] = [];
  const quoteOnChain = async (trade: OnChainTrade) => {
    asked.push(trade);
    return answer;
  };
  Object.assign(scene.chain, { quoteOnChain });
  const ask = (searched: TradeSearch, options: PriceOptions = {}, ends = SELLING) =>
    findOnChainRoute(scene.chain, {
      ...{ searched, options, caller: 'test', ...ends },
      ...{ request: scene.pricing.parse(SALE), isPaused: () => false },
      at: scene.chain.readGraph() ?? assert.fail(),
    });
  const price = () => scene.pricing.price(scene.pricing.parse(SALE));
  return { ...scene, asked, ask, price };
}

describe('pools that only their contract can price', () => {
  it('are called where there is no route, and their answer is the trade', async (t) => {
    const { price, asked, chain } = await createScene(t, []);
    const trade = await price();
    assert.deepEqual([trade.amountOutRaw, trade.router], [(AMOUNT * 9n) / 10n, 'other']);
    const { checkpoint } = chain.readGraph() ?? assert.fail();
    const [{ isAllowed: _, ...first } = assert.fail(), ...more] = asked;
    assert.deepEqual(
      [first, ...more],
      [
        {
          ...{ caller: 'test', tokenIn: TOKEN, tokenOut: WETH, amountIn: AMOUNT },
          ends: [TOKEN, chain.addresses.native],
          ...{ amountOutMax: (AMOUNT * 105n) / 100n, router: undefined },
          ...{ block: checkpoint.block, headMs: checkpoint.timestampMs },
        },
      ],
    );
  });

  it('are not asked on a venue that the caller leaves out', async (t) => {
    const { asked, pricing } = await createScene(t, []);
    const request = pricing.parse(SALE);
    const limits = { venues: [], excludeVenues: ['curve'], directOnly: false };
    await pricing.price({ ...request, limits });
    assert.deepEqual(
      ['curve', 'uniswap-v2'].map((venue) => asked[0]?.isAllowed?.(venue)),
      [false, true],
    );
  });

  it('are not called for a token that was seen to tax its transfers', async (t) => {
    const pair = createPair(1, [TOKEN, WETH], [DEEP / 10n ** 12n, DEEP / 10n ** 12n]);
    for (const taxes of [
      { inBps: 500, outBps: 0 },
      { inBps: 0, outBps: 500 },
    ]) {
      const { ask, asked, chain } = await createScene(t, [pair]);
      const known = chain.safetyCache.get(pair.pool) ?? assert.fail();
      chain.safetyCache.set({ ...known, side0: { ...taxes, sellable: true } });
      const [taxed, other] = taxes.inBps > 0 ? [SELLING, BUYING] : [BUYING, SELLING];
      assert.deepEqual(await ask(NO_MARKET, {}, taxed), { kind: 'none' });
      assert.equal(asked.length, 0);
      assert.equal((await ask(NO_MARKET, {}, other)).kind, 'found');
    }
  });

  it('do not replace the reason that no router trades a taxed token', async (t) => {
    const { ask, asked } = await createScene(t, []);
    const found = await ask({ kind: 'none', reason: 'taxedRouter' });
    assert.deepEqual([found, asked.length], [{ kind: 'none' }, 0]);
    assert.equal((await ask({ kind: 'none', reason: 'tooMuch' })).kind, 'found');
  });

  it('are called within the terms of the price only', async (t) => {
    const { ask, asked } = await createScene(t, []);
    for (const options of [{ isProvenOnly: true }, { unitsMax: 1_000_000n }]) {
      assert.deepEqual(await ask(NO_MARKET, options), { kind: 'none' });
    }
    assert.equal(asked.length, 0);
    await ask(NO_MARKET, { router: 'other' });
    assert.equal(asked[0]?.router, 'other');
  });

  it('are believed up to a little above the last known prices', async (t) => {
    const prices = [
      buildToken({ token: TOKEN, priceUsd: '2.5', decimals: 18 }),
      buildToken({ token: WETH, priceUsd: '1000', decimals: 15 }),
    ];
    const { price, asked } = await createScene(t, [], { prices });
    await price();
    const fair = (AMOUNT * 25n) / 10_000n / 1000n;
    assert.equal(asked[0]?.amountOutMax, (fair * 105n) / 100n);
  });

  it('are not called where no price shows what an answer is worth', async (t) => {
    const { ask, asked } = await createScene(t, [], { prices: UNPRICED });
    assert.deepEqual([await ask(NO_MARKET), asked.length], [{ kind: 'none' }, 0]);
  });

  it('are not believed far below the known price, whatever the amount moves', async (t) => {
    const answerPaying = (askedPct: bigint, smallPct: bigint): OnChainAnswer => {
      const amountOut = (AMOUNT * askedPct) / 100n;
      const small = { amountIn: AMOUNT / 1000n, amountOut: (AMOUNT * smallPct) / 100_000n };
      const asked = { amountIn: AMOUNT, amountOut };
      const curve = new OnChainPool({ zeroForOne: true, asked, small });
      return { kind: 'found', route: { ...ROUTE, amountOut, pool: { ...ROUTE.pool, curve } } };
    };
    for (const [askedPct, smallPct, kind] of [
      [40n, 49n, 'none'],
      [40n, 51n, 'found'],
      [10n, 99n, 'found'],
    ] as const) {
      const { ask } = await createScene(t, [], { answer: answerPaying(askedPct, smallPct) });
      assert.equal((await ask(NO_MARKET)).kind, kind, `${askedPct} ${smallPct}`);
    }
  });

  it('are believed up to a little above a computed route without its impact', async (t) => {
    const small = createPair(1, [TOKEN, WETH], [AMOUNT, AMOUNT]);
    const { price, asked } = await createScene(t, [small], { prices: UNPRICED });
    const trade = await price();
    // The pair pays half; without impact it would pay all but its fee.
    assert.equal(trade.amountOutRaw, (AMOUNT * 9n) / 10n);
    const most = asked[0]?.amountOutMax ?? 0n;
    assert.ok(most > (AMOUNT * 1045n) / 1000n && most < (AMOUNT * 1048n) / 1000n, `${most}`);
  });

  it('are answered with a warning if nothing else shows their price', async (t) => {
    const isWarned = async (pools: readonly GraphPool[], prices: readonly TokenRecord[]) => {
      const { price } = await createScene(t, pools, { prices });
      const trade = await price();
      assert.equal(trade.router, 'other');
      return trade.warnings.some(({ code }) => code === 'PRICE_UNBOUNDED');
    };
    // The last trades may have been in that pool.
    assert.equal(await isWarned([], ONE_TO_ONE), true);
    const pair = (numerator: bigint) =>
      createPair(1, [TOKEN, WETH], [AMOUNT / 4n, (AMOUNT * numerator) / 400n]);
    assert.equal(await isWarned([pair(100n)], ONE_TO_ONE), false);
    assert.equal(await isWarned([pair(100n)], UNPRICED), false);
    // The pool pays 0.9: more than a computed price of 0.8 lets it, or less than half of 1.9.
    for (const other of [80n, 190n]) assert.equal(await isWarned([pair(other)], ONE_TO_ONE), true);
  });

  it('of two tokens that are money need nothing else', async (t) => {
    const { ask, chain } = await createScene(t, []);
    const isUnbounded = async () => {
      const answer = await ask(NO_MARKET);
      return answer.kind === 'found' ? answer.found.isPriceUnbounded : assert.fail(answer.kind);
    };
    assert.equal(await isUnbounded(), true);
    Object.assign(chain, { trusted: new Set([TOKEN, WETH]) });
    assert.equal(await isUnbounded(), false);
  });

  it('leave a refusal that may be tried again, if they could not be called', async (t) => {
    for (const [kind, code] of [
      ['busy', 'OVERLOADED'],
      ['failed', 'UPSTREAM_UNAVAILABLE'],
    ] as const) {
      const { price } = await createScene(t, [], { answer: { kind } });
      await assert.rejects(price(), (error: AppError) => {
        assert.deepEqual([error.code, error.status, error.retryAfterSeconds], [code, 503, 1]);
        return true;
      });
      const small = createPair(1, [TOKEN, WETH], [AMOUNT, AMOUNT]);
      const other = await createScene(t, [small], { answer: { kind } });
      assert.equal((await other.price()).router, 'universal');
    }
    const { price } = await createScene(t, [], { answer: { kind: 'none' } });
    await assert.rejects(price(), { code: 'NO_MARKET' });
  });
});
