// The routes for clients of the GeckoTerminal and CoinGecko APIs against our own reads: every field
// by its type, its place and its figure, pages, and errors by their status.

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

const PREFIXES = ['/compat/gt/api/v2', '/compat/gt/api/v3/onchain'];
const get = (path: string) => server.get(`${PREFIXES[0]}${path}`);
const own = async (path: string) => (await server.get(`/v1${path}`)).json;
const UNKNOWN = buildFakeAddress('bbbb', 1);
const NET = '/networks/devnet';

/** A decimal with a point, without an exponent. */
const FIGURE = /^-?\d+\.\d+$/;
const CHANGE = /^-?\d+(\.\d{1,3})?$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const WINDOWS = { m5: '5m', m15: '15m', m30: '30m', h1: '1h', h6: '6h', h24: '24h' } as const;

const PRICES = [
  ...['base_token_price_usd', 'base_token_price_native_currency', 'quote_token_price_usd'],
  ...['quote_token_price_native_currency', 'base_token_price_quote_token'],
  'quote_token_price_base_token',
];
const LISTED = [
  ...[...PRICES, 'address', 'name', 'pool_created_at', 'fdv_usd', 'market_cap_usd'],
  ...['price_change_percentage', 'transactions', 'volume_usd', 'reserve_in_usd'],
];
const DETAILED = [
  ...[...PRICES, 'address', 'name', 'pool_name', 'pool_fee_percentage', 'pool_created_at'],
  ...['fdv_usd', 'market_cap_usd', 'price_change_percentage', 'transactions', 'volume_usd'],
  'reserve_in_usd',
];
const FIGURES = [...PRICES, 'fdv_usd', 'market_cap_usd', 'reserve_in_usd'];

const sameFigure = (shown: string | null, ours: string | null | undefined) =>
  ours == null ? shown === null : Number(shown) === Number(ours);

function assertPool(data: Json, pool: Json, keys: readonly string[]): void {
  const { attributes, relationships } = data;
  const address = pool.address.toLowerCase();
  const id = (mint: string) => `devnet_${mint.toLowerCase()}`;
  assert.deepEqual(Object.keys(data), ['id', 'type', 'attributes', 'relationships']);
  assert.deepEqual([data.id, data.type], [`devnet_${address}`, 'pool']);
  assert.deepEqual(Object.keys(attributes), keys);
  for (const key of FIGURES) {
    if (attributes[key] !== null) assert.match(attributes[key], FIGURE, key);
  }
  for (const [key, ours] of [
    ['base_token_price_usd', pool.priceUsd],
    ['base_token_price_native_currency', pool.priceNative],
    ['quote_token_price_usd', pool.quote.priceUsd],
    ['base_token_price_quote_token', pool.priceQuote],
    ['fdv_usd', pool.base.marketCapUsd],
    ['reserve_in_usd', pool.liquidityUsd],
  ]) {
    assert.ok(sameFigure(attributes[key], ours), `${key} ${attributes[key]} ${ours}`);
  }
  const turned = Number(attributes.quote_token_price_base_token) * Number(pool.priceQuote);
  if (pool.priceQuote !== null) assert.ok(Math.abs(turned - 1) < 1e-9);
  assert.equal(attributes.address, address);
  const pair = `${pool.base.symbol ?? pool.base.mint} / ${pool.quote.symbol ?? pool.quote.mint}`;
  assert.equal(attributes.name, pool.feePips === null ? pair : `${pair} ${pool.feePips / 10_000}%`);
  if (pool.createdAt === null) assert.equal(attributes.pool_created_at, null);
  else {
    assert.match(attributes.pool_created_at, ISO);
    assert.equal(Date.parse(attributes.pool_created_at), Math.floor(pool.createdAt / 1000) * 1000);
  }
  for (const [name, ours] of Object.entries(WINDOWS)) {
    const { buys, sells, buyers, sellers, volumeUsd, trades, priceChangePct } = pool.windows[ours];
    assert.match(attributes.price_change_percentage[name], CHANGE);
    assert.match(attributes.volume_usd[name], FIGURE);
    if (trades === null) continue;
    assert.deepEqual(attributes.transactions[name], { buys, sells, buyers, sellers });
    assert.ok(sameFigure(attributes.volume_usd[name], volumeUsd ?? '0'));
    const change = Number(attributes.price_change_percentage[name]) - (priceChangePct ?? 0);
    assert.ok(Math.abs(change) <= 0.000501);
  }
  assert.deepEqual(relationships, {
    base_token: { data: { id: id(pool.base.mint), type: 'token' } },
    quote_token: { data: { id: id(pool.quote.mint), type: 'token' } },
    dex: { data: { id: pool.venue, type: 'dex' } },
  });
}

test('a pool has the fields of that API, in its order and forms, with the figures of /v1/pool', async () => {
  for (const prefix of PREFIXES) {
    for (const pool of pools) {
      const { json, status } = await server.get(`${prefix}${NET}/pools/${pool.address}`);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ['data']);
      assertPool(json.data, pool, DETAILED);
    }
  }
  const [{ address, reserves }] = pools;
  const { json } = await get(
    `${NET}/pools/${address}?include_composition=true&include=base_token%2Cdex`,
  );
  const { attributes } = json.data;
  assert.ok(sameFigure(attributes.base_token_balance, reserves.base.amount));
  assert.ok(sameFigure(attributes.quote_token_balance, reserves.quote.amount));
  assert.deepEqual(
    json.included.map(({ type }: Json) => type),
    ['token', 'dex'],
  );
  const { attributes: token } = json.included[0];
  const fields = ['address', 'name', 'symbol', 'decimals', 'image_url', 'coingecko_coin_id'];
  assert.deepEqual(Object.keys(token), fields);
  const two = await get(`${NET}/pools/multi/${pools[1].address},${address},${UNKNOWN}`);
  const ids = two.json.data.map(({ attributes: { address: one } }: Json) => one);
  assert.deepEqual(ids, [pools[1].address.toLowerCase(), address.toLowerCase()]);
});

test('lists are ours, twenty to a page, with the pools of the token asked for', async () => {
  for (const [path, query] of [
    [`${NET}/pools`, 'sort=trades'],
    [`${NET}/pools?sort=h24_volume_usd_desc`, 'sort=volume'],
    [`${NET}/new_pools`, 'sort=new'],
    [`${NET}/trending_pools?duration=6h`, 'sort=trending&window=6h'],
    [`${NET}/tokens/${pools[0].base.mint}/pools`, `sort=liquidity&mint=${pools[0].base.mint}`],
  ]) {
    const { pools: all } = await own(
      `/pools?chain=devnet&limit=100&include=windows,reserves,tokens&${query}`,
    );
    for (const page of [1, 2, 6]) {
      const mark = path?.includes('?') ? '&' : '?';
      const { json, status } = await get(`${path}${mark}page=${page}&page_size=100&dex=x`);
      assert.equal(status, 200, path);
      const expected = all.slice((page - 1) * 20, page * 20);
      assert.equal(json.data.length, expected.length, `${path} ${page}`);
      const isOfToken = path?.includes('/tokens/') === true;
      const keys = isOfToken
        ? LISTED.toSpliced(LISTED.indexOf('fdv_usd'), 0, 'token_price_usd')
        : LISTED;
      for (const [index, pool] of expected.entries()) assertPool(json.data[index], pool, keys);
    }
  }
  const { json } = await get('/networks/trending_pools');
  assert.deepEqual(json.data[0].relationships.network, { data: { id: 'devnet', type: 'network' } });
});

const TOKEN_KEYS = [
  ...['address', 'name', 'symbol', 'decimals', 'image_url', 'coingecko_coin_id', 'total_supply'],
  ...['normalized_total_supply', 'price_usd', 'fdv_usd', 'total_reserve_in_usd', 'volume_usd'],
  'market_cap_usd',
];

test('a token has the figures of /v1/token', async () => {
  const { mint } = pools[0].base;
  const token = await own(`/token?chain=devnet&mint=${mint}`);
  const { json } = await get(
    `${NET}/tokens/${mint.toUpperCase().replace('0X', '0x')}?include=top_pools`,
  );
  const { id, type, attributes, relationships } = json.data;
  assert.deepEqual([id, type], [`devnet_${mint.toLowerCase()}`, 'token']);
  assert.deepEqual(Object.keys(attributes), [...TOKEN_KEYS, 'last_trade_timestamp']);
  for (const [key, ours] of [
    ['total_supply', token.totalSupplyRaw],
    ['price_usd', token.priceUsd],
    ['fdv_usd', token.marketCapUsd],
    ['total_reserve_in_usd', token.liquidityUsd],
  ]) {
    assert.ok(sameFigure(attributes[key], ours), key);
    if (ours !== null) assert.match(attributes[key], FIGURE);
  }
  assert.match(attributes.last_trade_timestamp, /^\d{10}$/);
  const top = relationships.top_pools.data.map((one: Json) => one.id);
  assert.deepEqual(
    top,
    json.included.map((one: Json) => one.id),
  );
  const many = await get(`${NET}/tokens/multi/${mint},${UNKNOWN}`);
  assert.deepEqual(
    many.json.data.map((one: Json) => one.id),
    [id],
  );
  const flags = ['market_cap', '24hr_vol', '24hr_price_change', 'total_reserve_in_usd'];
  const query = flags.map((flag) => `include_${flag}=true`).join('&');
  const simple = await get(
    `/simple${NET}/token_price/${mint},${UNKNOWN},nonsense?${query}&mcap_fdv_fallback=true`,
  );
  const figures = simple.json.data.attributes;
  assert.deepEqual(Object.keys(figures), [
    ...['token_prices', 'market_cap_usd', 'h24_volume_usd', 'h24_price_change_percentage'],
    ...['total_reserve_in_usd', 'last_trade_timestamp'],
  ]);
  for (const values of Object.values<Json>(figures)) {
    assert.deepEqual(Object.keys(values), [mint.toLowerCase()]);
  }
  assert.ok(sameFigure(figures.token_prices[mint.toLowerCase()], token.priceUsd));
});

test('candles are ours, newest first, in seconds, paged by an exclusive time', async () => {
  const pool = pools.find(({ windows }) => (windows['24h'].trades ?? 0) > 5);
  const { address, base, quote } = pool;
  const read = async (query: string) =>
    (await get(`${NET}/pools/${address}/ohlcv/minute?${query}`)).json.data.attributes.ohlcv_list;
  const asked = `chain=devnet&mint=${base.mint}&pool=${address}&interval=1m&limit=1000`;
  for (const [query, currency] of [
    ['limit=1000', 'usd'],
    ['limit=1000&currency=token', 'quote'],
  ]) {
    const { klines } = await own(`/token/klines?${asked}&currency=${currency}`);
    const expected = klines
      .map((one: Json) => [
        one.openTime / 1000,
        ...[one.open, one.high, one.low, one.close, one.quoteVolume].map(Number),
      ])
      .reverse();
    assert.ok(expected.length > 5);
    assert.deepEqual(await read(query ?? ''), expected);
  }
  const all = await read('limit=1000&currency=token');
  const paged = [];
  let page = await read('limit=2&currency=token');
  while (page.length > 0) {
    paged.push(...page);
    page = await read(`limit=2&currency=token&before_timestamp=${page.at(-1)[0]}`);
  }
  assert.deepEqual(paged, all);
  const turned = await read('limit=1000&currency=token&token=quote');
  for (const [index, [time, open, high, low]] of turned.entries()) {
    assert.equal(time, all[index][0]);
    assert.ok(Math.abs(open * all[index][1] - 1) < 1e-9);
    assert.ok(high >= low && Math.abs(high * all[index][3] - 1) < 1e-9);
  }
  const { json } = await get(`${NET}/pools/${address}/ohlcv/day?token=quote`);
  assert.deepEqual(
    [json.meta.base.address, json.meta.quote.address],
    [quote.mint.toLowerCase(), base.mint.toLowerCase()],
  );
  assert.match(json.data.id, /^[0-9a-f-]{36}$/);
});

const TRADE_KEYS = [
  ...['block_number', 'tx_hash', 'tx_from_address', 'from_token_amount', 'to_token_amount'],
  ...['price_from_in_currency_token', 'price_to_in_currency_token', 'price_from_in_usd'],
  ...['price_to_in_usd', 'block_timestamp', 'kind', 'volume_in_usd', 'from_token_address'],
  'to_token_address',
];

test('trades are ours, newest first, by what was paid and what was got', async () => {
  const pool = pools.find(({ windows }) => (windows['24h'].trades ?? 0) > 5);
  const asked = `chain=devnet&mint=${pool.base.mint}&pool=${pool.address}&limit=300`;
  const { trades } = await own(`/token/trades?${asked}`);
  const { json } = await get(`${NET}/pools/${pool.address}/trades`);
  assert.equal(json.data.length, trades.length);
  for (const [index, { id, type, attributes }] of json.data.entries()) {
    const trade = trades[index];
    assert.equal(type, 'trade');
    assert.match(id, /^devnet_\d+_0x[\w-]+_\d+_\d{10}$/);
    assert.deepEqual(Object.keys(attributes), TRADE_KEYS);
    assert.match(attributes.block_timestamp, ISO);
    const { side, amount, quote } = trade;
    assert.equal(attributes.kind, side);
    const [from, to] = side === 'buy' ? [quote.amount, amount] : [amount, quote.amount];
    assert.ok(sameFigure(attributes.from_token_amount, from));
    assert.ok(sameFigure(attributes.to_token_amount, to));
    assert.ok(sameFigure(attributes.volume_in_usd, trade.valueUsd));
    const paid = side === 'buy' ? pool.quote.mint : pool.base.mint;
    assert.equal(attributes.from_token_address, paid.toLowerCase());
    const price = side === 'buy' ? attributes.price_to_in_usd : attributes.price_from_in_usd;
    assert.ok(sameFigure(price, trade.priceUsd));
    const other = side === 'buy' ? attributes.price_from_in_usd : attributes.price_to_in_usd;
    if (other === null) continue;
    const value = Number(other) * Number(quote.amount);
    assert.ok(Math.abs(value - Number(trade.valueUsd)) <= Number(trade.valueUsd) * 1e-9);
  }
  const large = await get(
    `${NET}/pools/${pool.address}/trades?trade_volume_in_usd_greater_than=1000`,
  );
  const expected = trades.filter(({ valueUsd }: Json) => Number(valueUsd) >= 1000);
  assert.equal(large.json.data.length, expected.length);
});

test('a search finds pools; errors have the form of that API, by status', async () => {
  const { base, address } = pools[0];
  const { json } = await get(`/search/pools?query=${base.symbol}&network=devnet&include=dex`);
  const found = json.data.map(({ attributes }: Json) => attributes.address);
  assert.ok(found.includes(address.toLowerCase()));
  assert.ok(json.included.length > 0 && found.length <= 20);
  assert.deepEqual((await get('/search/pools?query=zzzzqqqq')).json, { data: [] });
  for (const path of [
    `${NET}/pools/${UNKNOWN}`,
    `${NET}/tokens/${UNKNOWN}`,
    `${NET}/tokens/nonsense`,
    `${NET}/tokens/${UNKNOWN}/pools`,
    `/networks/atlantis/pools`,
    `/networks/eth/pools/${address}`,
    `${NET}/pools/${UNKNOWN}/ohlcv/day`,
    '/nothing',
  ]) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
    assert.deepEqual(answer.json.errors, [{ status: '404', title: 'Not Found' }]);
  }
  for (const [path, status, title] of [
    [
      `${NET}/pools/${address}/ohlcv/minute?aggregate=7`,
      400,
      'Invalid aggregate. Allowed values: 1, 5, 15',
    ],
    [`${NET}/pools/${address}/ohlcv/week`, 400, /^Invalid timeframe/],
    [`${NET}/pools/${address}/ohlcv/day?limit=1001`, 400, /^Invalid limit/],
    [`${NET}/trending_pools?duration=2h`, 400, /^Invalid duration/],
    [
      `${NET}/pools/${address}/trades?trade_volume_in_usd_greater_than=abc`,
      400,
      'Invalid trade_volume_in_usd_greater_than',
    ],
    [`${NET}/pools?sort=name`, 400, /^Invalid sort/],
    [`${NET}/pools?page=11`, 401, 'Unauthorized'],
  ] as const) {
    const answer = await get(path);
    assert.equal(answer.status, status, path);
    const [error] = answer.json.errors;
    assert.equal(error.status, String(status));
    if (typeof title === 'string') assert.equal(error.title, title);
    else assert.match(error.title, title);
  }
});
