// Pins what the reads of prices reject, and what they give for tokens that are unknown or paused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import {
  createAsk,
  createMarketScene,
  createTestMarket,
  type Json,
  type MarketScene,
} from '../../test/market-scene.ts';
import { setUp } from '../../test/root-hooks.ts';
import { startTestServer, type TestServer } from '../../test/start-http-server.ts';
import type { AnyHandler, HandlerContext } from '../contract/handler.ts';
import { getPrices } from '../contract/operations/get-prices.ts';
import { getTokenPrice } from '../contract/operations/get-token-price.ts';

const MINT = buildFakeAddress('aaaa', 10);
const ONE = { chain: 'devnet', mint: MINT };
const UNKNOWN = { chain: 'devnet', mint: buildFakeAddress('bbbb', 1) };

let scene: MarketScene;
let server: TestServer;

setUp(async (t) => {
  const options = { engine: 'sqlite', seed: 12, finalityDepth: 30, blocks: 300 } as const;
  scene = await createMarketScene(t, options);
  server = await startTestServer(t, {
    operations: [getPrices, getTokenPrice],
    handlers: scene.market.handlers as unknown as Record<string, AnyHandler>,
  });
});

async function post(body: unknown): Promise<{ response: Response; json: Json }> {
  const response = await server.get('/v1/prices', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { response, json: await response.json() };
}

async function get(query: string): Promise<{ response: Response; json: Json }> {
  const response = await server.get(`/v1/token/price?${query}`);
  return { response, json: await response.json() };
}

const repeat = (count: number) => Array.from({ length: count }, () => ONE);

const REFUSED: readonly [name: string, body: unknown, code: string, field: string][] = [
  ['no tokens', {}, 'INVALID_INPUT', 'tokens'],
  ['an empty list', { tokens: [] }, 'INVALID_INPUT', 'tokens'],
  ['101 tokens', { tokens: repeat(101) }, 'INVALID_INPUT', 'tokens'],
  ['31 tokens without a key', { tokens: repeat(31) }, 'INVALID_INPUT', 'tokens'],
  [
    'a token without its chain',
    { tokens: [ONE, { mint: MINT }] },
    'INVALID_INPUT',
    'tokens.1.chain',
  ],
  ['an unknown field', { tokens: [{ ...ONE, pool: '0x' }] }, 'INVALID_INPUT', 'tokens.0.pool'],
  [
    'an unknown chain',
    { tokens: [ONE, { ...ONE, chain: 'atlantis' }] },
    'UNKNOWN_CHAIN',
    'tokens.1.chain',
  ],
  [
    'a chain that is not followed',
    { tokens: [{ ...ONE, chain: 'base' }] },
    'CHAIN_NOT_FOLLOWED',
    'tokens.0.chain',
  ],
  [
    'no address',
    { tokens: [ONE, ONE, { ...ONE, mint: '0x12' }] },
    'INVALID_ADDRESS',
    'tokens.2.mint',
  ],
  ['a time in words', { tokens: [ONE], at: 'yesterday' }, 'INVALID_INPUT', 'at'],
  ['a time before 1970', { tokens: [ONE], at: -1 }, 'INVALID_INPUT', 'at'],
];

describe('POST /prices', () => {
  for (const [name, body, code, field] of REFUSED) {
    test(`${name} is 400 ${code} naming ${field}`, async () => {
      const { response, json } = await post(body);
      assert.equal(response.status, 400, JSON.stringify(json));
      assert.equal(json.code, code);
      assert.equal(json.errors[0].path, field);
    });
  }

  test('thirty tokens are answered without a key, a hundred with one', async () => {
    const { response, json } = await post({ tokens: repeat(30) });
    assert.equal(response.status, 200);
    assert.equal(json.prices.length, 30);
    assert.equal(response.headers.get('etag'), null);
    const { json: many } = await scene.ask('getPrices', { tokens: repeat(100) }, 'key');
    assert.equal(many.prices.length, 100);
  });

  test('unknown tokens are null, in their place', async () => {
    const tokens = [
      UNKNOWN,
      ONE,
      UNKNOWN,
      { chain: 'eip155:1337', mint: MINT.toUpperCase().replace('0X', '0x') },
    ];
    for (let asked = 0; asked < 2; asked += 1) {
      const { json } = await post({ tokens });
      assert.deepEqual([json.prices[0], json.prices[2]], [null, null]);
      assert.equal(json.prices[1].mint.toLowerCase(), MINT);
      assert.deepEqual(json.prices[3], json.prices[1]);
      assert.equal(json.asOf.devnet.block, scene.chain.head.position);
    }
  });

  test('a paused token is null as soon as the pause is known', async () => {
    const { pauses } = scene.store;
    const before = await post({ tokens: [ONE] });
    assert.notEqual(before.json.prices[0], null);
    const pause = { chain: 'devnet', token: MINT, nowMs: 1 } as const;
    await pauses.setPaused({ ...pause, paused: true });
    await scene.market.pauses.poll();
    for (const body of [{ tokens: [ONE] }, { tokens: [ONE], at: Date.now() }]) {
      assert.deepEqual((await post(body)).json.prices, [null]);
    }
    const one = await get(`chain=devnet&mint=${MINT}`);
    assert.equal(one.json.code, 'TOKEN_PAUSED');
    await pauses.setPaused({ ...pause, paused: false });
    await scene.market.pauses.poll();
    assert.deepEqual((await post({ tokens: [ONE] })).json.prices, before.json.prices);
  });
});

test('tokens of a chain that is not ready are null, and the others have their prices', async (t) => {
  const market = createTestMarket({ store: scene.store, unready: ['base'] });
  t.after(() => market.stop());
  await market.start();
  const ask = createAsk(market);
  const other = { ...ONE, chain: 'base' };
  const alone = await ask('getPrices', { tokens: [ONE] });
  // The second time from memory.
  for (let round = 0; round < 2; round += 1) {
    const { json } = await ask('getPrices', { tokens: [other, ONE] });
    assert.deepEqual(json, { ...alone.json, prices: [null, ...alone.json.prices] });
  }
  await assert.rejects(async () => ask('getPrices', { tokens: [other] }), { code: 'NOT_READY' });
});

const TOKEN = `chain=devnet&mint=${MINT}`;

describe('GET /token/price', () => {
  for (const [query, status, code, field] of [
    [`${TOKEN}&at=1&atBlock=1`, 400, 'INVALID_INPUT', 'atBlock'],
    [`${TOKEN}&at=now`, 400, 'INVALID_INPUT', 'at'],
    [`${TOKEN}&atBlock=-1`, 400, 'INVALID_INPUT', 'atBlock'],
    ['chain=devnet', 400, 'INVALID_INPUT', 'mint'],
    ['chain=atlantis&mint=0x1', 400, 'UNKNOWN_CHAIN', 'chain'],
    [`chain=devnet&mint=${UNKNOWN.mint}`, 404, 'TOKEN_NOT_FOUND', null],
    [`chain=devnet&mint=${UNKNOWN.mint}&at=5`, 404, 'TOKEN_NOT_FOUND', null],
  ] as const) {
    test(`${query} is ${status} ${code}`, async () => {
      const { response, json } = await get(query);
      assert.equal(response.status, status, JSON.stringify(json));
      assert.equal(json.code, code);
      if (field !== null) assert.equal(json.errors[0].path, field);
    });
  }

  test('a time from before the index has no price, and says from when on there are some', async () => {
    const { json } = await get(`${TOKEN}&at=1000`);
    const { priceUsd, priceNative, priceChange24hPct, timestamp, block, source } = json;
    assert.deepEqual(
      [priceUsd, priceNative, priceChange24hPct, timestamp, block, source],
      [null, null, null, null, null, null],
    );
    assert.ok(json.coverage.tradesFrom > 1000);
  });

  test('the same question has the same tag until the token changes', async () => {
    const { response } = await get(TOKEN);
    const etag = response.headers.get('etag') ?? '';
    assert.match(etag, /^W\//);
    const again = await server.get(`/v1/token/price?${TOKEN}`, {
      headers: { 'if-none-match': etag },
    });
    assert.equal(again.status, 304);
  });
});

test('prices cost 1 for every started thirty tokens', async () => {
  const charged: unknown[] = [];
  const context = {
    ...{ identity: { kind: 'key', key: 'test' }, requestId: '', addressGroup: '' },
    ...{ origin: null, idempotencyKey: null },
    chargeAhead: (ahead: { readonly cost: number }) => {
      charged.push(ahead);
      return ahead.cost;
    },
  } as unknown as HandlerContext;
  for (const [count, at] of [
    [100, undefined],
    [30, 5],
    [31, 5],
    [100, 5],
  ] as const) {
    const tokens = Array.from({ length: count }, () => ONE);
    await scene.market.handlers.getPrices({ tokens, ...(at ? { at } : {}) }, context);
  }
  assert.deepEqual(charged, [
    { cost: 3, paid: 1 },
    { cost: 1, paid: 1 },
    { cost: 3, paid: 1 },
  ]);
});
