// The routes for clients of the Jupiter API, on a real service that follows the embedded Solana
// chain, against what our own operations answer, and with the client that Jupiter publishes.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Configuration, ResponseError, SwapApi } from '@jup-ag/api';
import { createRandom } from '../../../test/fakes/create-random.ts';
import type { Json } from '../../../test/market-scene.ts';
import { setUp } from '../../../test/root-hooks.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';
import {
  SLUG,
  type SolanaTrader,
  type SolanaTradeService,
  startSolanaTradeService,
} from '../../../test/solana-trade-service.ts';
import { createTempFolder } from '../../../test/start-service-process.ts';
import { until } from '../../../test/trade-service.ts';

const WSOL = 'So11111111111111111111111111111111111111112';
const SOL = '1'.repeat(32);

let service: SolanaTradeService;
let trader: SolanaTrader;
let rival: SolanaTrader;

setUp(async (t) => {
  service = await startSolanaTradeService(t, { coinCount: 2 });
  await service.settle();
  const { testers } = service.scene.wallets;
  trader = await service.createTrader(testers[0] ?? assert.fail());
  rival = await service.createTrader(testers[1] ?? assert.fail());
  await buy(trader, service.mintOf('MIST'), 10n ** 9n);
});

/** Buys for SOL by our own operations, in a block of its own. */
async function buy(who: SolanaTrader, mint: string, amountInRaw: bigint): Promise<void> {
  const { status, body } = await who.build({ mint, side: 'buy', amountInRaw });
  assert.equal(status, 200, JSON.stringify(body));
  await who.send((body as Json).transactions[0].transaction);
  service.seal();
  await service.settle();
}

async function read(path: string, init: RequestInit = {}) {
  const response = await fetch(`${service.service.origin}/compat/jup${path}`, init);
  const text = await response.text();
  const json: Json = JSON.parse(text);
  return { status: response.status, text, json, headers: response.headers };
}

function readQuote(fields: Record<string, string | number | boolean>, version = 'swap/v1') {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) query.set(name, String(value));
  return read(`/${version}/quote?${query}`);
}

test('labels are those of the exchanges that the chain has', async () => {
  const { status, json, headers } = await read('/swap/v1/program-id-to-label');
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json['675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'], 'Raydium');
  assert.equal(json['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'], 'Pump.fun');
  assert.match(headers.get('server-timing') ?? '', /^mintwire/);
  assert.deepEqual((await read('/v6/program-id-to-label')).json, json);
});

describe('prices and tokens', () => {
  test('prices are those of POST /prices; a token that nobody knows is null, or left out', async () => {
    const mint = service.mintOf('MIST');
    const ids = `${mint},${trader.address}`;
    const tokens = [{ chain: SLUG, mint }];
    const { body } = await service.client.send('POST', '/prices', { body: { tokens } });
    const [price] = (body as Json).prices;
    assert.ok(Number(price.priceUsd) > 0);
    const v2 = await read(`/price/v2?ids=${ids}&vsToken=x`);
    assert.deepEqual(v2.json.data, {
      [mint]: { id: mint, type: 'derivedPrice', price: price.priceUsd },
      [trader.address]: null,
    });
    const v3 = await read(`/price/v3?ids=${mint}&ids=${trader.address}`);
    const token = await service.read(`/token?chain=${SLUG}&mint=${mint}`);
    assert.deepEqual(Object.keys(v3.json), [mint]);
    assert.deepEqual(v3.json[mint], {
      createdAt: token.createdAt === null ? null : new Date(token.createdAt).toISOString(),
      liquidity: Number(token.liquidityUsd),
      usdPrice: Number(price.priceUsd),
      blockId: price.block,
      decimals: token.decimals,
      priceChange24h: price.priceChange24hPct,
    });
    assert.equal((await read('/price/v3')).status, 400);
  });

  test('tokens are found by symbol and by mints, with figures as numbers', async () => {
    const mint = service.mintOf('MIST');
    const token = await service.read(`/token?chain=${SLUG}&mint=${mint}`);
    const [named] = (await read('/tokens/v2/search?query=MIST')).json;
    const { json } = await read(`/tokens/v2/search?query=${mint},${trader.address}`);
    assert.equal(json.length, 1, 'the one that nobody knows is left out');
    for (const one of [named, json[0]]) {
      assert.deepEqual(
        [one.id, one.symbol, one.decimals, one.usdPrice, one.mcap, one.holderCount],
        [
          mint,
          'MIST',
          token.decimals,
          ...[token.priceUsd, token.marketCapUsd].map(Number),
          token.holders,
        ],
      );
      assert.deepEqual([one.organicScore, one.isVerified], [0, false]);
    }
    assert.equal(json[0].stats24h.numBuys, token.windows['24h'].buys);
    assert.equal((await read('/tokens/v2/search?query=')).text, '[]');
  });

  test('lists are those of /tokens', async () => {
    const { tokens } = await service.read(`/tokens?chain=${SLUG}&sort=volume&window=1h&limit=3`);
    const top = await read('/tokens/v2/toptraded/1h?limit=3');
    assert.ok(tokens.length > 0);
    assert.deepEqual(
      top.json.map((one: Json) => [one.id, one.stats1h.numBuys]),
      tokens.map((one: Json) => [one.mint, one.windows['1h'].buys]),
    );
    assert.ok((await read('/tokens/v2/recent')).json.length > 0);
    assert.equal((await read('/tokens/v2/tag?query=lst')).text, '[]');
    assert.equal((await read('/tokens/v2/topdreamed/1h')).status, 400);
  });
});

// Quotes.

interface Drawn {
  readonly fields: Record<string, string | number | boolean>;
  readonly body: object;
}

/** Two different tokens, an amount of any size, and the same trade for our own operation. */
function drawQuote(random: () => number, mints: readonly string[]): Drawn {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const inputMint = pick(mints);
  const outputMint = pick(mints.filter((one) => one !== inputMint));
  const amount = String(Math.floor(10 ** (2 + random() * 10)));
  const swapMode = pick(['ExactIn', 'ExactIn', 'ExactOut']);
  const slippageBps = pick([0, 1, 50, 333, 5000]);
  const onlyDirectRoutes = pick([false, false, true]);
  const [from, to] = [inputMint, outputMint].map((one) => (one === WSOL ? SOL : one));
  // What is sold for the coin cannot be told as a purchase of it; any other trade can be either.
  const isBuy = from === SOL || (to !== SOL && random() < 0.5);
  return {
    fields: { inputMint, outputMint, amount, swapMode, slippageBps, onlyDirectRoutes },
    body: {
      chain: SLUG,
      ...(isBuy ? { side: 'buy', mint: to, quoteMint: from } : {}),
      ...(isBuy ? {} : { side: 'sell', mint: from, quoteMint: to }),
      ...(swapMode === 'ExactIn' ? { amountInRaw: amount } : { amountOutRaw: amount }),
      slippageBps,
      ...(onlyDirectRoutes ? { directOnly: true } : {}),
    },
  };
}

/** The figures of one of our quotes, where the other shape has them. */
function toFigures({ input, output, slippageBps, priceImpactBps, route, state }: Json) {
  return {
    inAmount: input.amountRaw,
    outAmount: output.amountRaw,
    otherAmountThreshold: output.minAmountRaw ?? input.maxAmountRaw,
    slippageBps,
    priceImpactPct: priceImpactBps / 10_000,
    contextSlot: state.block,
    steps: route.flatMap(({ hops }: Json) =>
      hops.map((hop: Json) => [hop.pool, hop.amountInRaw, hop.amountOutRaw]),
    ),
  };
}

function readFigures({ routePlan, priceImpactPct, ...quote }: Json) {
  const { inAmount, outAmount, otherAmountThreshold, slippageBps, contextSlot } = quote;
  const steps = routePlan.map(({ swapInfo: { ammKey, ...step } }: Json) => [
    ...[ammKey, step.inAmount, step.outAmount],
  ]);
  const amounts = { inAmount, outAmount, otherAmountThreshold };
  return { ...amounts, slippageBps, priceImpactPct: Number(priceImpactPct), contextSlot, steps };
}

const KEYS = [
  ...['inputMint', 'inAmount', 'outputMint', 'outAmount', 'otherAmountThreshold', 'swapMode'],
  ...['slippageBps', 'platformFee', 'priceImpactPct', 'routePlan', 'contextSlot', 'timeTaken'],
  'swapUsdValue',
];

describe('quotes', () => {
  test('300 random ones are the same numbers in both shapes', async () => {
    const random = createRandom(RUN_SEED);
    const mints = [WSOL, ...service.scene.tokens, ...service.coins].map((one) =>
      typeof one === 'string' ? one : one.mint,
    );
    const kinds = new Set<string>();
    for (let count = 0; count < 300; count += 1) {
      const { fields, body } = drawQuote(random, [...new Set(mints)]);
      const ours = await service.client.send('POST', '/trade/quote', { body });
      const theirs = await readQuote(fields, count % 2 === 0 ? 'swap/v1' : 'v6');
      const shown = `${JSON.stringify(fields)} ${JSON.stringify(ours.body)} ${theirs.text}`;
      if (ours.status !== 200) {
        assert.equal(theirs.status, 400, shown);
        assert.equal(typeof theirs.json.error, 'string', shown);
        kinds.add(String(ours.body.code));
        continue;
      }
      assert.equal(theirs.status, 200, shown);
      const figures = toFigures(ours.body);
      const told = readFigures(theirs.json);
      assert.ok(Math.abs(told.priceImpactPct - figures.priceImpactPct) < 1e-11, shown);
      assert.deepEqual({ ...told, priceImpactPct: 0 }, { ...figures, priceImpactPct: 0 }, shown);
      assert.deepEqual(Object.keys(theirs.json), KEYS);
      assert.deepEqual(
        [theirs.json.inputMint, theirs.json.outputMint, theirs.json.swapMode],
        [fields['inputMint'], fields['outputMint'], fields['swapMode']],
      );
      const [first] = theirs.json.routePlan;
      assert.equal(first.swapInfo.inputMint, fields['inputMint'], shown);
      kinds.add(`${fields['swapMode']} ${theirs.json.routePlan.length}`);
    }
    for (const kind of ['ExactIn 1', 'ExactIn 2', 'ExactOut 1']) assert.ok(kinds.has(kind), kind);
  });

  test('shares of a route add up to 100, and labels are those of the exchanges', async () => {
    const labels = new Set<string>(Object.values((await read('/v6/program-id-to-label')).json));
    const outputMint = service.mintOf('MIST');
    for (const amount of ['1000000', '100000000000', '5000000000000']) {
      const { json } = await readQuote({ inputMint: WSOL, outputMint, amount });
      const first = json.routePlan.filter((one: Json) => one.swapInfo.inputMint === WSOL);
      const sum = first.reduce((all: number, one: Json) => all + one.percent, 0);
      assert.equal(sum, 100, JSON.stringify(json.routePlan));
      for (const { swapInfo } of json.routePlan) assert.ok(labels.has(swapInfo.label));
      assert.match(json.priceImpactPct, /^0(\.\d+)?$|^1$/);
    }
  });

  test('exchanges can be picked and left out by label, repeated or with commas', async () => {
    const trade = { inputMint: WSOL, outputMint: service.mintOf('MIST'), amount: 10_000_000 };
    const usual = (await readQuote(trade)).json.routePlan[0].swapInfo.label;
    const other = await readQuote({ ...trade, excludeDexes: usual });
    for (const { swapInfo } of other.json.routePlan ?? []) assert.notEqual(swapInfo.label, usual);
    const query = new URLSearchParams({ ...trade, amount: '10000000', dexes: usual });
    query.append('dexes', 'No Such Exchange');
    const only = await read(`/swap/v1/quote?${query}&minimizeSlippage=false`);
    for (const { swapInfo } of only.json.routePlan) assert.equal(swapInfo.label, usual);
    const none = await readQuote({ ...trade, dexes: 'No Such Exchange' });
    assert.equal(none.json.errorCode, 'COULD_NOT_FIND_ANY_ROUTE');
  });

  test('refusals are 400 with the codes that programs branch on', async () => {
    const outputMint = service.mintOf('MIST');
    const trade = { inputMint: WSOL, outputMint, amount: '1000000' };
    for (const [fields, errorCode, text] of [
      [{ outputMint: trader.address }, 'TOKEN_NOT_TRADABLE', `The token ${trader.address} is not`],
      [{ amount: '18446744073709551615' }, 'ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT', 'amount'],
      [{ outputMint: WSOL }, 'CIRCULAR_ARBITRAGE_IS_DISABLED', 'equal'],
      [{ platformFeeBps: 10 }, 'NOT_SUPPORTED', 'platformFeeBps'],
      [{ amount: '1.5' }, undefined, 'amount cannot be parsed: ParseIntError'],
      [{ amount: '0' }, undefined, 'amount cannot be parsed'],
      [{ amount: '' }, undefined, 'amount is required'],
      [{ slippageBps: 10_000 }, undefined, 'slippageBps cannot be parsed'],
      [{ swapMode: 'Exact' }, undefined, 'swapMode'],
      [{ outputMint: 'nothing' }, undefined, 'outputMint cannot be parsed'],
      [{ inputMint: 'nothing' }, undefined, 'inputMint cannot be parsed'],
    ] as const) {
      const { status, json, text: body } = await readQuote({ ...trade, ...fields });
      assert.deepEqual([status, json.errorCode], [400, errorCode], body);
      assert.ok(json.error.includes(text), body);
    }
    const nowhere = await read('/ultra/v1/order');
    assert.deepEqual([nowhere.status, nowhere.json.code], [404, 404]);
  });
});

// Swaps, by the client that Jupiter publishes.

function createClient(token?: string): SwapApi {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const basePath = `${service.service.origin}/compat/jup/swap/v1`;
  return new SwapApi(new Configuration({ basePath, headers }));
}

async function refusalOf(work: Promise<unknown>): Promise<Json> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ResponseError, String(error));
  return { status: error.response.status, ...((await error.response.json()) as Json) };
}

describe('@jup-ag/api, unchanged but for its base URL', () => {
  test('quotes, and its swap is signed and executed with what was quoted', async () => {
    await service.settle();
    const client = createClient(trader.token);
    const outputMint = service.mintOf('MIST');
    for (const swapMode of ['ExactIn', 'ExactOut'] as const) {
      const quoteResponse = await client.quoteGet({
        ...{ inputMint: WSOL, outputMint, amount: 20_000_000, slippageBps: 100, swapMode },
        ...{ restrictIntermediateTokens: true, dexes: [] },
      });
      const before = service.readBalance(trader.address, outputMint);
      const { swapTransaction, lastValidBlockHeight, prioritizationFeeLamports } =
        await client.swapPost({
          swapRequest: { userPublicKey: trader.address, quoteResponse },
        });
      assert.equal(lastValidBlockHeight, service.chain.head.height + 150);
      assert.ok((prioritizationFeeLamports ?? 0) >= 0);
      const txHash = await trader.send(swapTransaction);
      service.seal();
      await service.settle();
      const { status } = await service.read(`/trade/status?chain=${SLUG}&txHash=${txHash}`);
      assert.equal(status, 'confirmed');
      const received = service.readBalance(trader.address, outputMint) - before;
      assert.equal(received.toString(), quoteResponse.outAmount);
    }
  });

  test('a swap back to SOL, and one of wrapped SOL itself', async () => {
    await service.settle();
    const inputMint = service.mintOf('MIST');
    const client = createClient(trader.token);
    const quoteResponse = await client.quoteGet({ inputMint, outputMint: WSOL, amount: 1_000_000 });
    const swapRequest = { userPublicKey: trader.address, quoteResponse };
    const { swapTransaction } = await client.swapPost({ swapRequest });
    const before = service.readBalance(trader.address, inputMint);
    await trader.send(swapTransaction);
    service.seal();
    await service.settle();
    assert.equal(before - service.readBalance(trader.address, inputMint), 1_000_000n);
    const again = await client.quoteGet({ inputMint, outputMint: WSOL, amount: 1_000_000 });
    const wrapped = { ...swapRequest, quoteResponse: again, wrapAndUnwrapSol: false };
    const swap = await client.swapPost({ swapRequest: wrapped });
    const wsolBefore = service.readBalance(trader.address, WSOL);
    await trader.send(swap.swapTransaction);
    service.seal();
    await service.settle();
    const received = service.readBalance(trader.address, WSOL) - wsolBefore;
    assert.equal(received.toString(), again.outAmount);
  });

  test('a swap that would break the threshold of its quote is refused', async () => {
    await service.settle();
    const client = createClient(trader.token);
    const outputMint = service.mintOf('MIST');
    const trade = { inputMint: WSOL, outputMint, amount: 50_000_000 };
    const userPublicKey = trader.address;
    const [strict, loose] = [
      await client.quoteGet({ ...trade, slippageBps: 0 }),
      await client.quoteGet({ ...trade, slippageBps: 4000 }),
    ];
    await buy(rival, outputMint, 10n ** 10n);
    const refused = await refusalOf(
      client.swapPost({ swapRequest: { userPublicKey, quoteResponse: strict } }),
    );
    assert.deepEqual([refused.status, refused.errorCode], [400, 'SLIPPAGE_TOLERANCE_EXCEEDED']);
    const now = await client.quoteGet({ ...trade, slippageBps: 4000 });
    assert.ok(BigInt(now.outAmount) < BigInt(strict.outAmount), 'the price has moved');
    // The limit of the transaction is that of the quote, not a new one below it.
    const before = service.readBalance(trader.address, outputMint);
    const swap = await client.swapPost({ swapRequest: { userPublicKey, quoteResponse: loose } });
    await trader.send(swap.swapTransaction);
    service.seal();
    await service.settle();
    const received = service.readBalance(trader.address, outputMint) - before;
    assert.ok(received >= BigInt(loose.otherAmountThreshold), `${received}`);
  });

  test('without a session the answer is 401 with what to do; another wallet is refused', async () => {
    await service.settle();
    const outputMint = service.mintOf('MIST');
    const quoteResponse = await createClient().quoteGet({
      ...{ inputMint: WSOL, outputMint, amount: 1_000_000 },
    });
    const swapRequest = { userPublicKey: trader.address, quoteResponse };
    const refused = await refusalOf(createClient().swapPost({ swapRequest }));
    assert.deepEqual([refused.status, refused.code, refused.errorCode], [401, 401, 'UNAUTHORIZED']);
    for (const text of [refused.error, refused.message]) assert.match(text, /\/v1\/auth\/verify/);
    const others = { ...swapRequest, userPublicKey: rival.address };
    const wrong = await refusalOf(createClient(trader.token).swapPost({ swapRequest: others }));
    assert.deepEqual([wrong.status, wrong.errorCode], [400, 'NOT_SUPPORTED']);
  });
});

// Bots, as their programs in `examples` ask for them.

const run = promisify(execFile);
const python = spawnSync('python3', ['--version']).status === 0;
const skip = python ? false : 'NOT RUN: there is no python3';

async function runExample(name: string, args: readonly string[]): Promise<string> {
  const { origin } = service.service;
  const settings = [`MINTWIRE_URL=${origin}/v1`, `MINTWIRE_ORIGIN=${origin}`];
  return (await run('env', [...settings, 'python3', `examples/${name}.py`, ...args])).stdout;
}

describe('examples for bots', { skip }, () => {
  test("candles are in freqtrade's form, closed ones only, and added to when it runs again", async (t) => {
    await service.settle();
    const folder = createTempFolder(t);
    const mint = service.mintOf('MIST');
    const download = () =>
      runExample('freqtrade-candles', [`${SLUG}:${mint}`, 'MIST/USD', '1s', folder]);
    await download();
    const file = join(folder, 'MIST_USD-1s.json');
    const first: number[][] = JSON.parse(readFileSync(file, 'utf8'));
    // A block of a later second closes the candles so far.
    await buy(rival, mint, 10n ** 8n);
    await until('a further candle is closed', async () => {
      service.seal();
      await service.settle();
      await download();
      return JSON.parse(readFileSync(file, 'utf8')).length > first.length;
    });
    const rows: number[][] = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(rows.slice(0, first.length), first);
    const { klines } = await service.read(
      `/token/klines?chain=${SLUG}&mint=${mint}&interval=1s&fill=previous&startTime=0&limit=1000`,
    );
    const closed = klines.slice(0, rows.length).map((kline: Json) => {
      const { openTime, open, high, low, close, volume } = kline;
      return [openTime, ...[open, high, low, close, volume].map(Number)];
    });
    assert.deepEqual(rows, closed);
  });

  test("a price is what Gateway's connector makes of a quote, and candles are those of the pool", async () => {
    await service.settle();
    const [mist, wsol] = [service.mintOf('MIST'), WSOL];
    const lines = (await runExample('hummingbot-prices', [SLUG, mist, wsol, '2'])).trim();
    const [sell, buyer, feed] = lines.split('\n').map((line) => JSON.parse(line) as Json);
    assert.deepEqual([sell.amountIn, buyer.amountOut], [2, 2]);
    assert.ok(sell.price > 0 && sell.price <= buyer.price, lines);
    assert.ok(sell.minAmountOut < sell.amountOut && buyer.maxAmountIn > buyer.amountIn, lines);
    const { decimals } = await service.read(`/token?chain=${SLUG}&mint=${mist}`);
    const amount = String(2n * 10n ** BigInt(decimals));
    const { json } = await readQuote({ inputMint: mist, outputMint: wsol, amount });
    assert.equal(sell.amountOut, Number(json.outAmount) / 1e9);
    assert.ok(feed.candles.length > 0, lines);
    const last = feed.candles.at(-1);
    const { klines } = await service.read(
      `/token/klines?chain=${SLUG}&mint=${mist}&pool=${feed.pool}&interval=1m&limit=1`,
    );
    assert.deepEqual(last.slice(0, 2), [klines[0].openTime / 1000, Number(klines[0].open)]);
  });
});

test('what is offered for priority is honoured: lamports, a level with a cap, a tip', async () => {
  await service.settle();
  const outputMint = service.mintOf('MIST');
  const { json: quoteResponse } = await readQuote({
    ...{ inputMint: WSOL, outputMint, amount: 5_000_000 },
  });
  const post = (more: object) =>
    read('/v6/swap', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${trader.token}` },
      body: JSON.stringify({ userPublicKey: trader.address, quoteResponse, ...more }),
    });
  const fees = [];
  for (const prioritizationFeeLamports of [
    0,
    20_000,
    { priorityLevelWithMaxLamports: { priorityLevel: 'veryHigh', maxLamports: 7 } },
    'auto',
    { jitoTipLamports: 1_000_000 },
  ]) {
    const { status, json, text } = await post({ prioritizationFeeLamports, dynamicSlippage: true });
    assert.equal(status, 200, text);
    fees.push(json.prioritizationFeeLamports);
  }
  assert.equal(fees[0], 0);
  assert.ok(fees[1] > 19_000 && fees[1] <= 20_000, `${fees[1]}`);
  assert.ok(fees[2] <= 7, `${fees[2]}`);
  for (const [more, name] of [
    [{ feeAccount: trader.address }, 'feeAccount'],
    [{ asLegacyTransaction: true }, 'asLegacyTransaction'],
  ] as const) {
    const { status, json } = await post(more);
    assert.deepEqual([status, json.errorCode], [400, 'NOT_SUPPORTED'], name);
  }
  assert.equal((await post({ quoteResponse: null })).status, 400);
  assert.equal((await post({ quoteResponse: { ...quoteResponse, inAmount: '1e9' } })).status, 400);
});
