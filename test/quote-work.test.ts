// What a quote's search costs, over HTTP: told in the headers, also of answers that are errors.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findFamily } from '../src/compose/chain-families.ts';
import { openSearchThreads } from '../src/compose/open-search-threads.ts';
import { COSTS } from '../src/contract/operation.ts';
import { quoteTrade } from '../src/contract/operations/quote-trade.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { TokenRecord } from '../src/model/market-record.ts';
import { createPricing, createQuoteTrade } from '../src/trading/quote/create-pricing.ts';
import { toExtraCost } from '../src/trading/quote/price-trade.ts';
import type { TradeChain } from '../src/trading/quote/trade-chain.ts';
import { TradeTokens } from '../src/trading/quote/trade-tokens.ts';
import { searchTrade } from '../src/trading/routing/find-trade-route.ts';
import { SearchWork } from '../src/trading/routing/search-work.ts';
import { planTrade, type RouteQuestion } from '../src/trading/routing/trade-plan.ts';
import { RouteDesk } from '../src/trading/search/route-desk.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { toCheckpoint } from './conformance/store-samples.ts';
import { createRandomQuestion } from './fakes/random-trade.ts';
import { TRADE_COSTS } from './fakes/trade-costs.ts';
import { startTestServer, toLimits } from './start-http-server.ts';
import { TEST_SEALER } from './test-sealer.ts';

const CHECKPOINT = toCheckpoint(1, 7);
/** So slow that nothing comes back while a test runs. */
const BUDGET = { policy: 'anonymous', perMinute: 0.001, burst: 20 };

function toToken(token: string): TokenRecord {
  return {
    ...{ token, symbol: 'T', name: 'Token', decimals: 18, firstSeenBlock: 1, firstSeenAtMs: 1 },
    ...{ balanceSumRaw: 0n, holders: 0, balancesBroken: false, supplyRaw: null },
    ...{ supplyBlock: null, supplyBalanceSumRaw: null, priceNative: null, priceUsd: null },
    ...{ lastTradeAtMs: null, tradeCount: 0, liquidityUsdE18: null, pairedPool: null },
    pairedUsdE18: null,
  };
}

/** As the service asks: of a chain whose node has not told its fees yet. */
function createQuestion(worth: number): RouteQuestion {
  const question = createRandomQuestion({ seed: 1, poolCount: 40, worth });
  return { ...question, outPerGas: null };
}

function toExpectedCost(question: RouteQuestion): number {
  const work = new SearchWork();
  searchTrade(planTrade(question), work);
  return COSTS.quote + toExtraCost(work.count);
}

async function startQuotes(t: TestContext, { graph, book, trusted, ...ends }: RouteQuestion) {
  const place = await createSqlitePlace();
  const store = await place.open();
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.setCheckpoint(CHECKPOINT);
    await transaction.putTokens([ends.tokenIn, ends.tokenOut].map(toToken));
  });
  const chain: TradeChain = {
    ...{
      slug: 'devnet',
      addresses: findFamily('devnet').addresses,
      wrapped: '0x',
      costs: TRADE_COSTS,
    },
    ...{ trusted, book },
    tokens: new TradeTokens('devnet', store.market),
    readGraph: () => ({ graph, checkpoint: CHECKPOINT }),
    readFees: () => null,
    isBehind: () => false,
    noteUse: () => undefined,
    noteFailure: () => undefined,
  };
  const logger = { error: (_fields: object, message: string) => assert.fail(message) };
  const threads = openSearchThreads({ clock: systemClock, logger });
  const pricing = createPricing({
    chains: {
      list: () => ['devnet'],
      findAddresses: () => findFamily('devnet').addresses,
      find: () => chain,
    },
    ...{ clock: systemClock, isPaused: () => false, sealer: TEST_SEALER },
    desk: new RouteDesk(threads),
  });
  const server = await startTestServer(t, {
    operations: [quoteTrade],
    handlers: { quoteTrade: createQuoteTrade(pricing) as never },
    limits: toLimits({ anonymous: BUDGET }),
  });
  t.after(async () => {
    await threads.stop();
    await store.close();
    await place.remove();
  });
  return async (amountIn: bigint) => {
    const response = await fetch(`${server.origin}/v1/trade/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ chain: 'devnet', mint: ends.tokenOut, quoteMint: ends.tokenIn, side: 'buy' },
        amountInRaw: amountIn.toString(),
      }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    const left = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
    return { status: response.status, answer, left };
  };
}

test('behavior: a long search costs more than a short one, as the headers tell', async (t) => {
  const [short, long] = [createQuestion(10), createQuestion(3e6)];
  const quote = await startQuotes(t, short);
  const [shortCost, longCost] = [toExpectedCost(short), toExpectedCost(long)];
  assert.equal(shortCost, COSTS.quote);
  assert.ok(longCost > COSTS.quote + 3, `${longCost}`);
  const first = await quote(short.amountIn);
  assert.deepEqual([first.status, first.left], [200, BUDGET.burst - shortCost]);
  const second = await quote(long.amountIn);
  assert.deepEqual([second.status, second.left], [200, BUDGET.burst - shortCost - longCost]);
  assert.equal((second.answer['state'] as { block: number }).block, CHECKPOINT.block);
});

test('behavior: work beyond the budget is owed, and nothing passes until it is paid', async (t) => {
  const long = createQuestion(3e6);
  const quote = await startQuotes(t, long);
  const cost = toExpectedCost(long);
  const statuses: number[] = [];
  let left = BUDGET.burst;
  while (left >= COSTS.quote) {
    const answer = await quote(long.amountIn);
    statuses.push(answer.status);
    assert.equal(answer.left, Math.max(0, left - cost));
    left = answer.left;
  }
  assert.ok(statuses.every((status) => status === 200));
  assert.equal((await quote(1n)).status, 429);
});

test('behavior: what no pool can hold is 409 at the price of a quote', async (t) => {
  const question = createQuestion(10);
  const quote = await startQuotes(t, question);
  let left = BUDGET.burst;
  for (const amountIn of [1n << 245n, (1n << 256n) - 1n]) {
    const { status, answer, left: after } = await quote(amountIn);
    assert.deepEqual([status, answer['code']], [409, 'INSUFFICIENT_LIQUIDITY']);
    assert.equal(after, left - COSTS.quote);
    left = after;
  }
});
