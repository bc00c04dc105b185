// The routes for clients of the DexScreener API against our own reads: every field by its type,
// its place and its figure, and what is answered where nothing is found.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompatServer, startCompatServer } from '../../../test/compat-server.ts';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import type { Json } from '../../../test/market-scene.ts';
import { setUp } from '../../../test/root-hooks.ts';

let server: CompatServer;
let pools: Json[];

setUp(async (t) => {
  server = await startCompatServer(t);
  pools = await server.listPools();
});

const get = (path: string) => server.get(`/compat/ds${path}`);
const UNKNOWN = buildFakeAddress('bbbb', 1);

/** In the order in which that API has them; optional ones are left out if they are not known. */
const KEYS = [
  ...['chainId', 'dexId', 'url', 'pairAddress', 'labels', 'baseToken', 'quoteToken'],
  ...['priceNative', 'priceUsd', 'txns', 'volume', 'priceChange', 'liquidity', 'fdv', 'marketCap'],
  ...['pairCreatedAt', 'info'],
];
const OPTIONAL = ['labels', 'priceUsd', 'liquidity', 'fdv', 'marketCap', 'info'];
const PLAIN = /^\d+(\.\d+)?$/;
const WINDOWS = { m5: '5m', h1: '1h', h6: '6h', h24: '24h' } as const;

const isRounded = (value: number, digits: number) =>
  typeof value === 'number' && Number(value.toFixed(digits)) === value;

function assertFigures(pair: Json, pool: Json): void {
  assert.equal(pair.priceNative, pool.priceQuote);
  assert.match(pair.priceNative, PLAIN);
  assert.equal(pair.priceUsd ?? null, pool.priceUsd);
  for (const [name, ours] of Object.entries(WINDOWS)) {
    const { buys, sells, volumeUsd, trades, priceChangePct } = pool.windows[ours];
    assert.deepEqual(Object.keys(pair.txns[name]), ['buys', 'sells']);
    if (trades === null) continue;
    assert.deepEqual(pair.txns[name], { buys, sells });
    assert.ok(Math.abs(pair.volume[name] - Number(volumeUsd ?? 0)) <= 0.005001);
    const isLeftOut = trades === 0 || priceChangePct === null;
    assert.equal(pair.priceChange[name] === undefined, isLeftOut);
    if (isLeftOut) continue;
    const isWhole = Math.abs(priceChangePct) >= 100;
    assert.ok(Math.abs(pair.priceChange[name] - priceChangePct) <= (isWhole ? 0.5 : 0.005001));
    assert.ok(isRounded(pair.priceChange[name], isWhole ? 0 : 2));
  }
  const cap = pool.base.marketCapUsd;
  assert.equal(pair.fdv ?? null, cap === null ? null : Math.round(Number(cap)));
  assert.equal(pair.marketCap, pair.fdv);
  assert.equal(pair.pairCreatedAt, pool.createdAt);
}

function assertPair(pair: Json, pool: Json): void {
  const keys = Object.keys(pair);
  assert.deepEqual(
    keys,
    KEYS.filter((key) => keys.includes(key)),
  );
  for (const key of KEYS) assert.ok(keys.includes(key) || OPTIONAL.includes(key), key);
  assert.equal(pair.chainId, 'devnet');
  assert.equal(pair.pairAddress, pool.address);
  assert.match(pool.venue, new RegExp(`^${pair.dexId}(-${pair.labels?.[0]})?$`));
  for (const [token, side] of [
    [pair.baseToken, pool.base],
    [pair.quoteToken, pool.quote],
  ]) {
    assert.deepEqual(Object.keys(token), ['address', 'name', 'symbol']);
    assert.equal(token.address, side.mint, 'with its checksum');
    assert.equal(token.symbol, side.symbol ?? '');
    assert.equal(token.name, side.name ?? side.symbol ?? '');
  }
  assert.ok(new URL(pair.url).searchParams.get('pool') === pool.address);
  assert.deepEqual(Object.keys(pair.txns), ['m5', 'h1', 'h6', 'h24']);
  assert.deepEqual(Object.keys(pair.volume), ['h24', 'h6', 'h1', 'm5']);
  assertFigures(pair, pool);
  assert.equal(
    pair.liquidity === undefined,
    pool.reserves?.base.amount == null || pool.reserves.quote.amount == null,
  );
  if (pair.liquidity === undefined) return;
  const { usd, base, quote } = pair.liquidity;
  assert.equal(usd === undefined, pool.liquidityUsd === null);
  if (usd !== undefined) assert.ok(isRounded(usd, 2));
  assert.ok(isRounded(base, 4) && isRounded(quote, 4));
  const isClose = (shown: number, amount: string) =>
    Math.abs(shown - Number(amount)) <= Math.max(0.00006, Number(amount) * 0.00001);
  assert.ok(isClose(base, pool.reserves.base.amount) && isClose(quote, pool.reserves.quote.amount));
}

test('a pair has the fields of that API, in its order and forms, with the figures of /v1/pool', async () => {
  let seen = 0;
  for (const pool of pools) {
    const { json, status } = await get(`/latest/dex/pairs/devnet/${pool.address.toLowerCase()}`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json), ['schemaVersion', 'pairs', 'pair']);
    if (pool.priceQuote === null) {
      assert.equal(json.pair, null);
      continue;
    }
    assert.deepEqual(json.pairs, [json.pair]);
    assertPair(json.pair, pool);
    seen += 1;
  }
  assert.ok(seen > 5, `${seen} pairs`);
});

test('pairs of a token are its deepest pools, as base or quote', async () => {
  const sides = Map.groupBy(
    pools.flatMap(({ base, quote }): string[] => [base.mint, quote.mint]),
    (mint) => mint,
  );
  const [[mint] = assert.fail()] = [...sides].sort(([, a], [, b]) => b.length - a.length);
  const listed = pools.filter(
    ({ base, quote, priceQuote }) => priceQuote !== null && [base.mint, quote.mint].includes(mint),
  );
  assert.ok(listed.length > 2);
  const { json } = await get(`/token-pairs/v1/devnet/${mint.toLowerCase()}`);
  assert.ok(Array.isArray(json));
  const expected = listed.map(({ address }) => address).slice(0, 30);
  assert.deepEqual(
    json.map(({ pairAddress }: Json) => pairAddress),
    expected,
  );
  const { json: wrapped } = await get(`/latest/dex/tokens/${mint},${mint}?x=1`);
  assert.deepEqual(Object.keys(wrapped), ['schemaVersion', 'pairs']);
  assert.deepEqual(
    wrapped.pairs.map(({ pairAddress }: Json) => pairAddress),
    expected,
  );
  const { json: main } = await get(`/tokens/v1/devnet/${mint}%2C${UNKNOWN}`);
  assert.equal(main[0].pairAddress, expected[0]);
  assert.ok(main.length <= 2);
});

test('a search finds pairs by symbol, by two symbols, by token and by pair', async () => {
  const { base, quote, address } = pools.find(
    (pool) => pool.base.symbol !== null && pool.quote.symbol !== null && pool.priceQuote !== null,
  );
  for (const q of [base.symbol, base.mint, address, `${base.symbol}/${quote.symbol}`]) {
    const { json } = await get(`/latest/dex/search/?q=${encodeURIComponent(q)}`);
    const found = json.pairs.map(({ pairAddress }: Json) => pairAddress);
    assert.ok(found.includes(address), `${q}: ${found}`);
    assert.ok(found.length <= 30);
  }
});

test('nothing found is answered as that API does, by route', async () => {
  const schemaVersion = '1.0.0';
  const { address } = pools[0];
  for (const [path, expected] of [
    [`/latest/dex/tokens/${UNKNOWN}`, { schemaVersion, pairs: null }],
    ['/latest/dex/tokens/not-an-address', { schemaVersion, pairs: null }],
    ['/latest/dex/search?q=', { schemaVersion, pairs: [] }],
    ['/latest/dex/search?q=zzzzqqqq', { schemaVersion, pairs: [] }],
    [`/latest/dex/pairs/devnet/${UNKNOWN}`, { schemaVersion, pairs: null, pair: null }],
    [`/latest/dex/pairs/atlantis/${address}`, { schemaVersion, pairs: null, pair: null }],
    [`/tokens/v1/devnet/${UNKNOWN}`, []],
    [`/tokens/v1/base/${UNKNOWN}`, []],
    [`/token-pairs/v1/devnet/${UNKNOWN}`, []],
    ['/token-profiles/latest/v1', []],
    ['/token-boosts/latest/v1', []],
    ['/token-boosts/top/v1', []],
    [`/orders/v1/devnet/${UNKNOWN}`, []],
    ['/community-takeovers/latest/v1', []],
    ['/ads/latest/v1', []],
  ] as const) {
    const { json, status } = await get(path);
    assert.deepEqual([status, json], [200, expected], path);
  }
  const many = Array.from({ length: 31 }, (_, index) => buildFakeAddress('bbbb', index + 1));
  assert.equal((await get(`/latest/dex/tokens/${many}`)).status, 400);
  assert.equal((await get('/latest/dex/nothing')).status, 404);
});
