// The minimum of a trade is the amount after slippage, and never zero.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { buildFees, createBuildScene, SALE, TOKEN, WETH } from '../../../test/build-scene.ts';
import { buildToken } from '../../../test/conformance/store-samples.ts';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { TRADE_COSTS } from '../../../test/fakes/trade-costs.ts';
import { poolId } from '../../../test/test-ids.ts';
import { stableSwapKind } from '../../amm/stable-swap/stable-swap-kind.ts';
import type { DataFees } from '../../chains/chain-nodes.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { TradeInput } from './create-pricing.ts';
import type { QuoteAnswer } from './quote-answer.ts';

type EvmCost = Extract<QuoteAnswer['networkCost'], { gas: string }>;

/** On a venue with a router, met by its first swap; what is in it is not known yet. */
const STABLE_POOL: PoolRecord = {
  ...{ pool: poolId(`0x${'67'.repeat(20)}`), kind: 'stableSwap', terms: { coinCount: 2 } },
  ...{ token0: TOKEN, token1: WETH, vault: TOKEN, feePips: 0, venue: 'uniswap-v2' },
  ...{ state: stableSwapKind.stateAtStart, complete: false, createdBlock: 1, createdAtMs: 0 },
  ...{ lastSwapAtMs: 1, liquidityUsdE18: null },
};

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
    const { limitRaw, request } = pricing.openQuoteId(quote.quoteId);
    assert.equal(limitRaw, trade.minAmountOutRaw);
    // A build may offer more or less to be executed soon.
    const { priority: _, ...asked } = trade.request;
    assert.deepEqual(request, asked);
  });
});

it('a token that looks like one that a list vouches for has a warning', async (t) => {
  const pools = [createPair(1, [TOKEN, WETH], [DEEP, DEEP])];
  const { pricing, lists } = await createBuildScene(t, pools);
  const findWarning = async () => {
    const { warnings } = pricing.sealAnswer(await pricing.price(pricing.parse(SALE)));
    return warnings.find(({ code }) => code === 'LOOKALIKE')?.message ?? null;
  };
  assert.equal(await findWarning(), null);
  const vouched = { chain: 'devnet', token: buildFakeAddress('ff', 77), symbol: 'OTHER' } as const;
  const entry = { ...vouched, name: 'Tоkén', links: null, logo: null };
  lists.add({ label: 'test', list: { name: 'Test list', tokens: [entry] } });
  assert.match((await findWarning()) ?? '', /looks like OTHER .* which a token list vouches for/);
});

it('a bought token that nobody vouches for is held by routers of V3 and V4', async (t) => {
  const terms = { tickSpacing: 60, custody: { kind: 'own' } } as const;
  const bytes = { command: 'v3', first: 400, next: 40, needsHolding: true } as const;
  const range = { kind: 'concentrated', terms, bytes } as const;
  const pools = { pair: {}, range } as const;
  for (const [kind, more] of Object.entries(pools)) {
    const pool = createPair(1, [TOKEN, WETH], [DEEP, DEEP], more);
    const { pricing, lists } = await createBuildScene(t, [pool]);
    const price = (side: 'buy' | 'sell') => pricing.price(pricing.parse({ ...SALE, side }));
    const bought = await price('buy');
    const isRange = kind === 'range';
    assert.deepEqual([bought.holdsOutput, (await price('sell')).holdsOutput], [isRange, false]);
    const texts = { symbol: 'TKN', name: 'Token', links: null, logo: null };
    const entry = { chain: 'devnet', token: TOKEN, ...texts } as const;
    lists.add({ label: 'test', list: { name: 'Test list', tokens: [entry] } });
    const vouched = await price('buy');
    assert.equal(vouched.holdsOutput, false);
    const { fixedOutput = 0n } = TRADE_COSTS;
    assert.equal(bought.costUnits - vouched.costUnits, isRange ? fixedOutput : 0n);
  }
});

describe('the network cost of a quote', () => {
  it('includes what rollups charge for the data of the transaction', async (t) => {
    const scene = await createBuildScene(t, [createPair(1, [TOKEN, WETH], [DEEP, DEEP])]);
    const quote = async (data: DataFees) => {
      scene.fees.current = { ...buildFees(7n), data };
      const { pricing } = scene;
      const trade = await pricing.price(pricing.parse(SALE));
      return pricing.sealAnswer(trade).networkCost as EvmCost;
    };
    const plain = await quote({ kind: 'none' });
    assert.deepEqual([plain.dataFeeRaw, plain.totalRaw], ['0', String(15n * BigInt(plain.gas))]);
    // One unit for each byte.
    const samples = { short: { bytes: 100, charged: 100n }, long: { bytes: 9000, charged: 9000n } };
    const coin = await quote({ kind: 'coin', ...samples });
    assert.ok(BigInt(coin.dataFeeRaw) >= 400n, coin.dataFeeRaw);
    assert.equal(coin.gas, plain.gas);
    assert.equal(BigInt(coin.totalRaw), BigInt(plain.totalRaw) + BigInt(coin.dataFeeRaw));
    const units = await quote({ kind: 'units', ...samples });
    assert.equal(BigInt(units.gas), BigInt(plain.gas) + BigInt(coin.dataFeeRaw));
    assert.equal(BigInt(units.totalRaw), 15n * BigInt(units.gas));
    scene.fees.current = { ...buildFees(7n), data: { kind: 'unknown' } };
    const trade = await scene.pricing.price(scene.pricing.parse(SALE));
    assert.equal(scene.pricing.sealAnswer(trade).networkCost, null);
  });
});

describe('a state that may no longer be the newest', () => {
  it('is priced without a promise after 2 s, and not at all after 30 s', async (t) => {
    const { pricing, chain } = await createBuildScene(t, [
      createPair(1, [TOKEN, WETH], [DEEP, DEEP]),
    ]);
    const priceAtAge = (ageMs: number) => {
      Object.assign(chain, { readAgeMs: () => ageMs });
      return pricing.price(pricing.parse(SALE));
    };
    const isStale = ({ warnings }: Awaited<ReturnType<typeof priceAtAge>>) =>
      warnings.some(({ code }) => code === 'STALE_HEAD');
    const fresh = await priceAtAge(2000);
    assert.deepEqual([fresh.exact, isStale(fresh)], [true, false]);
    for (const ageMs of [2001, 30_000]) {
      const stale = await priceAtAge(ageMs);
      assert.deepEqual([stale.exact, isStale(stale)], [false, true]);
      assert.equal(stale.amountOutRaw, fresh.amountOutRaw);
    }
    for (const ageMs of [30_001, Number.POSITIVE_INFINITY]) {
      await assert.rejects(priceAtAge(ageMs), { code: 'NOT_READY' });
    }
  });
});

describe('a taxed token', () => {
  it('counts what arrives after the tax, and the minimum with it', async (t) => {
    const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP]);
    const { pricing, chain } = await createBuildScene(t, [pair]);
    const taxed = { outBps: 500, inBps: 1000, sellable: true };
    const known = chain.safetyCache.get(pair.pool) ?? assert.fail();
    chain.safetyCache.set({ ...known, side0: taxed });
    const sale = await pricing.price(pricing.parse(SALE));
    const amountIn = BigInt(SALE.amountInRaw ?? 0);
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
    const known = chain.safetyCache.get(pair.pool) ?? assert.fail();
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
      chain.safetyCache.set({ ...known, side0: buildSide(more) });
      const name = JSON.stringify(more);
      // A token that is known to be unsellable may have no price.
      assert.equal(await isExact('sell').catch(() => false), ofSale, name);
      assert.equal(await isExact('buy'), ofPurchase, name);
    }
    chain.safetyCache.set(known);
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

describe('a route whose router is told what to spend', () => {
  it('is compared by the most that an automatic slippage spends', async (t) => {
    const pools = [
      createPair(1, [TOKEN, WETH], [DEEP, DEEP]),
      createPair(2, [TOKEN, WETH], [DEEP, (DEEP * 102n) / 100n], { venue: 'other-v2' }),
    ];
    const { pricing } = await createBuildScene(t, pools);
    const { amountInRaw: amountOutRaw, ...sale } = SALE;
    const findRouter = async (slippageBps: number | 'auto') => {
      const input = { ...sale, amountOutRaw, slippageBps } as TradeInput;
      return (await pricing.price(pricing.parse(input))).router;
    };
    assert.deepEqual(
      [await findRouter(50), await findRouter(500), await findRouter('auto')],
      ['other', 'universal', 'universal'],
    );
  });
});

describe('a token without a route', () => {
  it('has no market, unless it has pools, or trades where no router leads', async (t) => {
    const { pricing, store } = await createBuildScene(t, []);
    const price = () => pricing.price(pricing.parse(SALE));
    await assert.rejects(price(), { code: 'NO_MARKET' });
    const place = { token0: TOKEN, token1: WETH, vault: TOKEN, feePips: 0, venue: 'curve' };
    const pool: PoolRecord = {
      ...{ ...place, pool: poolId(`0x${'66'.repeat(20)}`), kind: 'tradesOnly', terms: null },
      ...{ state: { last0: 1n, last1: 2n }, complete: true, createdBlock: 1, createdAtMs: 0 },
      ...{ lastSwapAtMs: null, liquidityUsdE18: null },
    };
    const put = (row: PoolRecord) =>
      store.transaction('devnet', (transaction) => transaction.putPools([row]));
    await put(pool);
    await assert.rejects(price(), { code: 'NO_ROUTE', message: /has pools on curve/ });
    await put({ ...pool, lastSwapAtMs: 1 });
    await assert.rejects(price(), (error: AppError) => {
      assert.equal(error.code, 'VENUE_NOT_SUPPORTED');
      assert.match(error.message, /curve/);
      return true;
    });
    await put({ ...pool, venue: 'uniswap-v2', lastSwapAtMs: 1 });
    await assert.rejects(price(), { code: 'POOLS_NOT_QUOTED', message: /notComputed/ });
  });

  it('is to be asked for again while its pools are read, but not for ever', async (t) => {
    const { pricing, store, adoption, clock } = await createBuildScene(t, []);
    const price = () => pricing.price(pricing.parse(SALE));
    const put = (row: PoolRecord) =>
      store.transaction('devnet', (transaction) => transaction.putPools([row]));
    await put(STABLE_POOL);
    for (const waitedMs of [0, 60_000, 59_999]) {
      clock.advance(waitedMs);
      await assert.rejects(price(), (error: AppError) => {
        assert.deepEqual([error.code, error.status], ['LOOKUP_PENDING', 503]);
        assert.ok((error.retryAfterSeconds ?? 0) > 0);
        assert.match(error.message, /the state of its pools is being read/);
        return true;
      });
    }
    assert.deepEqual(new Set(adoption.asked), new Set([STABLE_POOL.pool]));
    clock.advance(1);
    const failed = /on uniswap-v2, not all of its state could be read .*\(unread\)/;
    await assert.rejects(price(), { code: 'POOLS_NOT_QUOTED', status: 404, message: failed });
  });

  it('is told at once where no pools are read', async (t) => {
    const { pricing, store, adoption } = await createBuildScene(t, []);
    adoption.isOn = false;
    await store.transaction('devnet', (transaction) => transaction.putPools([STABLE_POOL]));
    const off = { code: 'POOLS_NOT_QUOTED', message: /this server does not read the state/ };
    await assert.rejects(pricing.price(pricing.parse(SALE)), off);
  });

  it('has no route where its pools, known in full, lead elsewhere', async (t) => {
    const { pricing, store } = await createBuildScene(t, []);
    const stray = buildFakeAddress('bbbb', 7);
    const pool = { ...STABLE_POOL, token1: stray, complete: true };
    await store.transaction('devnet', (transaction) => transaction.putPools([pool]));
    const [from, to] = [/0x[0-9a-fA-F]{40} has pools on uniswap-v2 on devnet/, COIN];
    await assert.rejects(pricing.price(pricing.parse(SALE)), (error: AppError) => {
      assert.deepEqual([error.code, error.status], ['NO_ROUTE', 404]);
      assert.match(error.message, from);
      assert.ok(error.message.endsWith(`to ${to}.`), error.message);
      return true;
    });
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

describe('pools that could not be read in time', () => {
  it('leave a price of what is known, without a promise, or say that they are read', async (t) => {
    const pools = [createPair(1, [TOKEN, WETH], [DEEP, DEEP])];
    const { pricing, chain, store } = await createBuildScene(t, pools);
    const whole = await pricing.price(pricing.parse(SALE));
    Object.assign(chain, { loadPools: async () => false });
    const partial = await pricing.price(pricing.parse(SALE));
    assert.equal(partial.amountOutRaw, whole.amountOutRaw);
    assert.deepEqual([whole.exact, partial.exact], [true, false]);
    const codes = partial.warnings.map(({ code }) => code);
    assert.ok(codes.includes('POOLS_UNREAD'), codes.join());
    // Nothing is known of a market: that is not the same as no market.
    const quoteMint = buildFakeAddress('bbbb', 7);
    await store.transaction('devnet', (transaction) =>
      transaction.putTokens([buildToken({ token: quoteMint })]),
    );
    const stranger = { ...SALE, quoteMint };
    await assert.rejects(pricing.price(pricing.parse(stranger)), { code: 'NOT_READY' });
    Object.assign(chain, { loadPools: async () => true });
    await assert.rejects(pricing.price(pricing.parse(stranger)), { code: 'NO_MARKET' });
  });
});
