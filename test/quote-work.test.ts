// What a quote's search costs, over HTTP: shown in the headers, even for errors.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { COSTS } from '../src/contract/operation.ts';
import { quoteTrade } from '../src/contract/operations/quote-trade.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import { type Clock, systemClock } from '../src/lib/clock.ts';
import { ChainRegistry } from '../src/model/chain-registry.ts';
import type { Address } from '../src/model/ids.ts';
import type { TokenRecord } from '../src/model/market-record.ts';
import { openSearchThreads } from '../src/runtime/open-search-threads.ts';
import { computeExtraCost } from '../src/trading/quote/create-price-trade.ts';
import { createPricing, createQuoteTrade } from '../src/trading/quote/create-pricing.ts';
import type { TradeChain } from '../src/trading/quote/trade-chain.ts';
import { TradeTokens } from '../src/trading/quote/trade-tokens.ts';
import { searchTrade } from '../src/trading/routing/find-trade-route.ts';
import { SearchWork } from '../src/trading/routing/search-work.ts';
import { planTrade, type RouteQuestion } from '../src/trading/routing/trade-plan.ts';
import { RouteScheduler } from '../src/trading/search/route-scheduler.ts';
import { SearchThreads } from '../src/trading/search/search-threads.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { buildCheckpoint } from './conformance/store-samples.ts';
import { ManualClock } from './fakes/manual-clock.ts';
import { createRandomQuestion } from './fakes/random-trade.ts';
import { TRADE_COSTS } from './fakes/trade-costs.ts';
import { buildLimits, startTestServer } from './start-http-server.ts';
import { address } from './test-ids.ts';
import { TEST_SEALER } from './test-sealer.ts';

const CHECKPOINT = buildCheckpoint(1, 7);
/** So slow that nothing is refilled while a test runs. */
const NOTHING = () => undefined;

const BUDGET = { policy: 'anonymous', perMinute: 0.001, burst: 20 };

interface QuotesOptions {
  readonly burst?: number;
  readonly perMinute?: number;
  readonly clock?: Clock;
  readonly threads?: SearchThreads;
}

function buildToken(token: Address): TokenRecord {
  return {
    ...{ token, symbol: 'T', name: 'Token', decimals: 18, firstSeenBlock: 1, firstSeenAtMs: 1 },
    ...{ balanceSumRaw: 0n, holders: 0, balancesBroken: false, supplyRaw: null },
    ...{ supplyBlock: null, supplyBalanceSumRaw: null, priceNative: null, priceUsd: null },
    ...{ lastTradeAtMs: null, tradeCount: 0, liquidityUsdE18: null, pairedPool: null },
    pairedUsdE18: null,
  };
}

/** As the service does for a chain whose node has not reported its fees yet. */
function createQuestion(worth: number): RouteQuestion {
  const question = createRandomQuestion({ seed: 1, poolCount: 40, worth });
  return { ...question, outPerUnit: null };
}

/** What the search alone costs; a long one costs the laying out of its plan as well. */
function computeCostMin(question: RouteQuestion): number {
  const work = new SearchWork();
  searchTrade(planTrade(question), work);
  return COSTS.quote + computeExtraCost(work.count);
}

/** Closes its side of the connection once it has sent the request; `next` gives what comes. */
function sendAndClose(t: TestContext, origin: string, body: string) {
  const { host, port } = new URL(origin);
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  t.after(() => socket.destroy());
  const head = [
    'POST /v1/trade/quote HTTP/1.1',
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { next: async (): Promise<string> => String((await once(socket, 'data'))[0]) };
}

async function startQuotes(
  t: TestContext,
  { graph, safetyCache, trusted, ...ends }: RouteQuestion,
  options: QuotesOptions = {},
) {
  const place = await createSqlitePlace();
  const store = await place.open();
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.setCheckpoint(CHECKPOINT);
    await transaction.putTokens([ends.tokenIn, ends.tokenOut].map(buildToken));
  });
  const chain: TradeChain = {
    ...{ slug: 'devnet', coinUnit: { symbol: 'ETH', decimals: 18 } },
    addresses: findFamily('devnet').addresses,
    ...{ wrapped: address('0x'), costs: TRADE_COSTS },
    ...{ trusted, safetyCache, assets: { native: new Set(), stable: new Set() } },
    tokens: new TradeTokens('devnet', store.market),
    readGraph: () => ({ graph, checkpoint: CHECKPOINT }),
    readFees: () => null,
    ...{ readAgeMs: () => 0, isBehind: () => false },
    settle: async () => true,
    ...{ explainUnquotable: async () => null, loadPools: async () => true },
    ...{ noteAsked: NOTHING, noteUse: NOTHING, noteFailure: NOTHING },
  };
  const logger = { error: (_fields: object, message: string) => assert.fail(message) };
  const { threads = openSearchThreads({ clock: systemClock, logger }), clock, ...budget } = options;
  const pricing = createPricing({
    chains: {
      ...{ list: () => ['devnet'] as const, known: new ChainRegistry() },
      findAddresses: () => findFamily('devnet').addresses,
      ...{ canTrade: () => true, listVenues: () => null, find: () => chain },
    },
    ...{ clock: systemClock, isPaused: () => false, sealer: TEST_SEALER },
    scheduler: new RouteScheduler(threads),
  });
  const server = await startTestServer(t, {
    operations: [quoteTrade],
    handlers: { quoteTrade: createQuoteTrade(pricing) as never },
    limits: buildLimits({ anonymous: { ...BUDGET, ...budget } }),
    ...(clock === undefined ? {} : { clock }),
  });
  t.after(async () => {
    await threads.stop();
    await store.close();
    await place.remove();
  });
  const buildBody = (amountIn: bigint) =>
    JSON.stringify({
      ...{ chain: 'devnet', mint: ends.tokenOut, quoteMint: ends.tokenIn, side: 'buy' },
      amountInRaw: amountIn.toString(),
    });
  const send = (amountIn: bigint, signal: AbortSignal | null = null) =>
    fetch(`${server.origin}/v1/trade/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal,
      body: buildBody(amountIn),
    });
  const quote = async (amountIn: bigint) => {
    const response = await send(amountIn);
    const answer = (await response.json()) as Record<string, unknown>;
    const left = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
    const retryAfterSeconds = Number(response.headers.get('retry-after'));
    return { status: response.status, answer, left, retryAfterSeconds };
  };
  const sendHalf = (amountIn: bigint) => sendAndClose(t, server.origin, buildBody(amountIn));
  return { send, quote, sendHalf };
}

test('a long search costs more than a short one, the same each time', async (t) => {
  const [short, long] = [createQuestion(10), createQuestion(3e6)];
  const { quote } = await startQuotes(t, short, { burst: 200 });
  assert.equal(computeCostMin(short), COSTS.quote);
  assert.ok(computeCostMin(long) > COSTS.quote + 3);
  const first = await quote(short.size.amountRaw);
  assert.deepEqual([first.status, first.left], [200, 200 - COSTS.quote]);
  const second = await quote(long.size.amountRaw);
  const cost = first.left - second.left;
  assert.equal(second.status, 200);
  assert.ok(cost >= computeCostMin(long), `${cost}`);
  assert.equal((second.answer['state'] as { block: number }).block, CHECKPOINT.block);
  const third = await quote(long.size.amountRaw);
  assert.equal(second.left - third.left, cost);
});

test('work beyond the budget is a debt, and requests are rejected until it is paid', async (t) => {
  const long = createQuestion(3e6);
  const { quote } = await startQuotes(t, long, { burst: COSTS.quote + 1 });
  const first = await quote(long.size.amountRaw);
  assert.deepEqual([first.status, first.left], [200, 0]);
  assert.equal((await quote(1n)).status, 429);
});

test('the known cost of a long search must be paid before it begins', async (t) => {
  const long = createQuestion(3e6);
  const rich = await startQuotes(t, long, { burst: 1_000 });
  const cost = 1_000 - (await rich.quote(long.size.amountRaw)).left;
  const { quote } = await startQuotes(t, long, { burst: 2 * cost - 1 });
  assert.equal((await quote(long.size.amountRaw)).left, cost - 1);
  const refused = await quote(long.size.amountRaw);
  // Nothing was done, so nothing is spent: a short quote still passes.
  assert.deepEqual([refused.status, refused.left], [429, cost - 1]);
  const short = await quote(createQuestion(10).size.amountRaw);
  assert.deepEqual([short.status, short.left], [200, cost - 1 - COSTS.quote]);
});

test('a search that costs more than a whole budget needs a full one', async (t) => {
  const long = createQuestion(3e6);
  const clock = new ManualClock();
  const { quote } = await startQuotes(t, long, { burst: COSTS.quote + 1, perMinute: 60, clock });
  assert.equal((await quote(long.size.amountRaw)).status, 200);
  // First what a quote costs has to come back, then all that this one is known to cost.
  for (let time = 0; time < 2; time += 1) {
    const refused = await quote(long.size.amountRaw);
    assert.equal(refused.status, 429);
    clock.advance(refused.retryAfterSeconds * 1_000);
  }
  assert.equal((await quote(long.size.amountRaw)).status, 200);
});

test('a client that hangs up has its waiting search cancelled', async (t) => {
  const long = createQuestion(3e6);
  // One that never answers, so that whatever comes next waits for it.
  const idle = { post: () => undefined, end: async () => undefined };
  const threads = new SearchThreads({
    ...{ startThread: () => idle, threadCountMax: 1, clock: systemClock },
    queue: { lengthMax: 10, perCallerMax: 10 },
    log: { error: (_fields, message) => assert.fail(message) },
  });
  const { send, sendHalf } = await startQuotes(t, long, { burst: 1_000, threads });
  const until = async (waiting: number) => {
    while (threads.waiting !== waiting) await new Promise((resolve) => setImmediate(resolve));
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const running = send(long.size.amountRaw, first.signal);
  const waiting = send(long.size.amountRaw, second.signal);
  await until(1);
  second.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  await until(0);
  // A client that has only closed its sending side still reads.
  const half = sendHalf(long.size.amountRaw);
  assert.match(await half.next(), /^HTTP\/1\.1 102 Processing\r\n\r\n/);
  assert.equal(threads.waiting, 1);
  await threads.stop();
  let received = '';
  while (!received.includes('HTTP/1.1 503 ')) received += await half.next();
  first.abort();
  await running.catch(() => undefined);
});

test('an amount above the capacity of all pools is 409 at the cost of a quote', async (t) => {
  const question = createQuestion(10);
  const { quote } = await startQuotes(t, question);
  let left = BUDGET.burst;
  for (const amountIn of [1n << 245n, (1n << 256n) - 1n]) {
    const { status, answer, left: after } = await quote(amountIn);
    assert.deepEqual([status, answer['code']], [409, 'INSUFFICIENT_LIQUIDITY']);
    assert.equal(after, left - COSTS.quote);
    left = after;
  }
});
