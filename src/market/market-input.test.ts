// Pins what the reads reject and what each parameter does, over HTTP.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import { readPages } from '../../test/read-pages.ts';
import { setUp } from '../../test/root-hooks.ts';
import { startTestServer, type TestServer } from '../../test/start-http-server.ts';
import type { AnyHandler } from '../contract/handler.ts';
import type { Level } from '../contract/identity.ts';
import { getHolders } from '../contract/operations/get-holders.ts';
import { getKlines } from '../contract/operations/get-klines.ts';
import { getToken } from '../contract/operations/get-token.ts';
import { getTrades } from '../contract/operations/get-trades.ts';
import { searchTokens } from '../contract/operations/search-tokens.ts';

const MINT = buildFakeAddress('aaaa', 10);
const TOKEN = `chain=devnet&mint=${MINT}`;
const UNKNOWN = buildFakeAddress('bbbb', 1);

let scene: MarketScene;
let server: TestServer;

setUp(async (t) => {
  const options = { engine: 'sqlite', seed: 12, finalityDepth: 30, blocks: 300 } as const;
  scene = await createMarketScene(t, options);
  server = await startTestServer(t, {
    operations: [searchTokens, getToken, getKlines, getTrades, getHolders],
    handlers: scene.market.handlers as unknown as Record<string, AnyHandler>,
  });
});

async function get(path: string): Promise<{ status: number; json: Json; headers: Headers }> {
  const response = await server.get(`/v1${path}`);
  return { status: response.status, json: await response.json(), headers: response.headers };
}

const REFUSALS: readonly [path: string, status: number, code: string, field: string | null][] = [
  ['/token?chain=devnet', 400, 'INVALID_INPUT', 'mint'],
  ['/token?chain=atlantis&mint=0x1', 400, 'UNKNOWN_CHAIN', 'chain'],
  [`/token?chain=base&mint=${MINT}`, 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
  [`/token?chain=eip155:8453&mint=${MINT}`, 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
  ['/token?chain=devnet&mint=0x12', 400, 'INVALID_ADDRESS', 'mint'],
  [`/token?chain=devnet&mint=${MINT.replace('0x', '0X')}`, 400, 'INVALID_ADDRESS', 'mint'],
  [`/token?chain=devnet&mint=${UNKNOWN}`, 404, 'TOKEN_NOT_FOUND', null],
  [`/token?${TOKEN}&surprise=1`, 400, 'INVALID_INPUT', 'surprise'],
  [`/token/klines?${TOKEN}`, 400, 'INVALID_INPUT', 'interval'],
  [`/token/klines?${TOKEN}&interval=1H`, 400, 'INVALID_INPUT', 'interval'],
  [`/token/klines?${TOKEN}&interval=1m&limit=1001`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/klines?${TOKEN}&interval=1m&limit=0`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/klines?${TOKEN}&interval=1m&limit=1e2`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/klines?${TOKEN}&interval=1m&limit=9${'0'.repeat(20)}`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/klines?${TOKEN}&interval=1m&limit=5&limit=6`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/klines?${TOKEN}&interval=`, 400, 'INVALID_INPUT', 'interval'],
  [`/token/klines?${TOKEN}&interval=1m&fill=zero`, 400, 'INVALID_INPUT', 'fill'],
  [`/token/klines?${TOKEN}&interval=1m&outliers=no`, 400, 'INVALID_INPUT', 'outliers'],
  [
    `/token/klines?${TOKEN}&interval=1m&startTime=9${'0'.repeat(17)}`,
    400,
    'INVALID_INPUT',
    'startTime',
  ],
  [`/token/klines?${TOKEN}&interval=1m&endTime=2026-01-01`, 400, 'INVALID_INPUT', 'endTime'],
  [`/token/klines?${TOKEN}&interval=1m&currency=eur`, 400, 'INVALID_INPUT', 'currency'],
  [`/token/klines?${TOKEN}&interval=1m&startTime=5&endTime=4`, 400, 'INVALID_INPUT', 'endTime'],
  [`/token/klines?${TOKEN}&interval=1m&startTime=-1`, 400, 'INVALID_INPUT', 'startTime'],
  [`/token/klines?${TOKEN}&interval=1m&pool=abc`, 400, 'INVALID_ADDRESS', 'pool'],
  [`/token/klines?${TOKEN}&interval=1m&pool=${UNKNOWN}`, 404, 'POOL_NOT_FOUND', null],
  [`/token/klines?chain=devnet&mint=${UNKNOWN}&interval=1m`, 404, 'TOKEN_NOT_FOUND', null],
  [`/token/trades?${TOKEN}&limit=301`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/trades?${TOKEN}&startTime=now`, 400, 'INVALID_INPUT', 'startTime'],
  [`/token/trades?${TOKEN}&startTime=2&endTime=1`, 400, 'INVALID_INPUT', 'endTime'],
  [`/token/trades?${TOKEN}&minUsd=1,000`, 400, 'INVALID_INPUT', 'minUsd'],
  [`/token/trades?${TOKEN}&pool=abc`, 400, 'INVALID_ADDRESS', 'pool'],
  [`/token/trades?${TOKEN}&pool=${UNKNOWN}`, 404, 'POOL_NOT_FOUND', null],
  [`/token/trades?${TOKEN}&side=long`, 400, 'INVALID_INPUT', 'side'],
  [`/token/trades?${TOKEN}&wallet=me`, 400, 'INVALID_ADDRESS', 'wallet'],
  [`/token/trades?${TOKEN}&minUsd=-1`, 400, 'INVALID_INPUT', 'minUsd'],
  [`/token/trades?${TOKEN}&minUsd=1e3`, 400, 'INVALID_INPUT', 'minUsd'],
  [`/token/trades?${TOKEN}&cursor=AAAA`, 400, 'INVALID_CURSOR', 'cursor'],
  [`/token/trades?chain=devnet&mint=${UNKNOWN}`, 404, 'TOKEN_NOT_FOUND', null],
  [`/token/holders?${TOKEN}&limit=101`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/holders?${TOKEN}&exclude=whales`, 400, 'INVALID_INPUT', 'exclude.0'],
  [`/token/holders?${TOKEN}&exclude=`, 400, 'INVALID_INPUT', 'exclude.0'],
  [`/token/holders?${TOKEN}&cursor=%00`, 400, 'INVALID_INPUT', 'cursor'],
  [`/token/holders?${TOKEN}&cursor=zzz`, 400, 'INVALID_CURSOR', 'cursor'],
  ['/tokens/search', 400, 'INVALID_INPUT', 'q'],
  ['/tokens/search?q=', 400, 'INVALID_INPUT', 'q'],
  ['/tokens/search?q=%E2%80%8B', 400, 'INVALID_INPUT', 'q'],
  ['/tokens/search?query=a', 400, 'INVALID_INPUT', 'q'],
  ['/tokens/search?q=a&limit=101', 400, 'INVALID_INPUT', 'limit'],
  ['/tokens/search?q=a&chain=atlantis', 400, 'UNKNOWN_CHAIN', 'chain'],
  ['/tokens/search?q=a&cursor=zzz', 400, 'INVALID_CURSOR', 'cursor'],
  [`/tokens/search?q=${'x'.repeat(65)}`, 400, 'INVALID_INPUT', 'q'],
  [`/tokens/search?q=${'x'.repeat(10_240)}`, 400, 'INVALID_INPUT', 'q'],
];

describe('refusals', () => {
  for (const [path, status, code, field] of REFUSALS) {
    const shown = path.length > 90 ? `${path.slice(0, 90)}…` : path;
    test(`${shown} is ${status} ${code}${field ? ` naming ${field}` : ''}`, async () => {
      const answer = await get(path);
      assert.equal(answer.status, status, JSON.stringify(answer.json));
      assert.equal(answer.json.code, code);
      if (field !== null) assert.equal(answer.json.errors?.[0]?.path, field);
    });
  }

  for (const [id, caps] of [
    ['getTrades', { anonymous: 300, key: 500, session: 500 }],
    ['getHolders', { anonymous: 100, key: 1000, session: 1000 }],
    ['getKlines', { anonymous: 1000, key: 5000, session: 5000 }],
  ] as const) {
    test(`${id} gives up to the cap of the caller’s level, and names it beyond`, async () => {
      const interval = id === 'getKlines' ? { interval: '1s' } : {};
      for (const [level, cap] of Object.entries(caps) as [Level, number][]) {
        const input = { chain: 'devnet', mint: MINT, ...interval };
        await scene.ask(id, { ...input, limit: cap }, level);
        const beyond = scene.ask(id, { ...input, limit: cap + 1 }, level);
        await assert.rejects(beyond, new RegExp(`at most ${cap}(;|$)`));
      }
    });
  }

  test('a cursor is valid for its own query only, with any limit', async () => {
    const { json } = await get(`/token/trades?${TOKEN}&limit=3`);
    const next = `cursor=${json.nextCursor}`;
    assert.equal((await get(`/token/trades?${TOKEN}&limit=5&${next}`)).status, 200);
    const { pool } = json.trades[0];
    for (const other of [`${TOKEN}&side=buy`, `${TOKEN}&startTime=1`, `${TOKEN}&pool=${pool}`]) {
      const refused = await get(`/token/trades?${other}&${next}`);
      assert.equal(refused.json.code, 'INVALID_CURSOR');
    }
    const holders = await get(`/token/holders?${TOKEN}&limit=1`);
    const mixed = await get(`/token/trades?${TOKEN}&cursor=${holders.json.nextCursor}`);
    assert.equal(mixed.json.code, 'INVALID_CURSOR');
  });
});

describe('answers', () => {
  test('an address is accepted in any case, and shown with its checksum', async () => {
    const upper = MINT.slice(2).toUpperCase();
    const { json } = await get(`/token?chain=eip155:1337&mint=0x${upper}`);
    assert.equal(json.chain, 'devnet');
    assert.match(json.mint, /[A-F]/);
    assert.equal(json.mint.toLowerCase(), MINT);
  });

  for (const path of [
    `/token?${TOKEN}`,
    `/token/klines?${TOKEN}&interval=1m`,
    `/token/trades?${TOKEN}`,
    `/token/holders?${TOKEN}`,
    '/tokens/search?q=t',
  ]) {
    test(`${path} has a weak tag, and is 304 as long as that holds`, async () => {
      const first = await server.get(`/v1${path}`);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^W\/"[\w-]+"$/);
      assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=\d$/);
      await first.text();
      for (const asked of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const again = await server.get(`/v1${path}`, { headers: { 'if-none-match': asked } });
        assert.deepEqual([again.status, await again.text()], [304, ''], asked);
        assert.equal(again.headers.get('etag'), etag);
      }
      const other = await server.get(`/v1${path}`, { headers: { 'if-none-match': 'W/"other"' } });
      assert.equal(other.status, 200);
      await other.text();
    });
  }

  test('the tag stays the same through blocks that do not change the answer', async () => {
    const path = `/v1/token/trades?${TOKEN}&endTime=1700000500000`;
    const first = await server.get(path);
    const { asOf, ...rest } = (await first.json()) as Json;
    scene.chain.extend(1, []);
    await scene.settle();
    const second = await server.get(path);
    const { asOf: later, ...unchanged } = (await second.json()) as Json;
    assert.ok(later.block > asOf.block);
    assert.deepEqual(unchanged, rest);
    assert.equal(second.headers.get('etag'), first.headers.get('etag'));
  });

  test('pages of trades contain each trade once, even if new ones arrive', async () => {
    const read = async () =>
      (await scene.ask('getTrades', { chain: 'devnet', mint: MINT, limit: 500 })).json
        .trades as Json[];
    const before = (await read()).map(({ id }) => id);
    const seen = await readPages(before.length, async (cursor: string | null) => {
      const next = cursor === null ? '' : `&cursor=${cursor}`;
      const { json } = await get(`/token/trades?${TOKEN}&limit=23${next}`);
      if (json.nextCursor !== null) {
        scene.chain.extend(3);
        await scene.settle();
      }
      return { rows: json.trades.map(({ id }: Json) => id), next: json.nextCursor };
    });
    assert.ok((await read()).length > before.length, 'nothing arrived meanwhile');
    assert.deepEqual(seen, before);
  });

  test('a known token without trades answers with empty lists', async () => {
    const tokens = [];
    for await (const page of scene.store.market.scanTokens('devnet')) tokens.push(...page);
    const quiet = tokens.find(({ tradeCount }) => tradeCount === 0);
    assert.ok(quiet, 'the scene has no such token');
    const token = `chain=devnet&mint=${quiet.token}`;
    assert.deepEqual((await get(`/token/trades?${token}`)).json.trades, []);
    assert.deepEqual((await get(`/token/klines?${token}&interval=1d`)).json.klines, []);
    const filled = await get(`/token/klines?${token}&interval=1d&fill=previous`);
    assert.deepEqual(filled.json.klines, []);
  });

  test('times are inclusive, and finality follows the finalized block', async () => {
    const { json } = await get(`/token/trades?${TOKEN}&limit=100`);
    const times = json.trades.map((trade: Json) => trade.timestamp);
    // Other trades of the same second may be on the next page.
    const [from, to] = [times.findLast((time: number) => time > times.at(-1)), times[5]];
    const part = await get(`/token/trades?${TOKEN}&startTime=${from}&endTime=${to}`);
    const expected = json.trades.filter(
      (trade: Json) => trade.timestamp >= from && trade.timestamp <= to,
    );
    assert.deepEqual(part.json.trades, expected);
    for (const { block, finality } of json.trades) {
      const isFinal = block <= json.asOf.finalizedBlock;
      assert.equal(finality, isFinal ? 'finalized' : 'confirmed');
    }
  });

  test('filters by side, wallet, value and pool return exactly the matching trades', async () => {
    const input = { chain: 'devnet', mint: MINT, limit: 500 };
    const { json } = await scene.ask('getTrades', input);
    assert.equal(json.nextCursor, null);
    const { wallet, pool } = json.trades[0];
    const cases = [
      [{ side: 'sell' }, (trade: Json) => trade.side === 'sell'],
      [{ wallet }, (trade: Json) => trade.wallet === wallet],
      [{ pool }, (trade: Json) => trade.pool === pool],
      [{ minUsd: '10' }, (trade: Json) => trade.valueUsd !== null && Number(trade.valueUsd) >= 10],
    ] as const;
    for (const [filter, fits] of cases) {
      const filtered = await scene.ask('getTrades', { ...input, ...filter });
      const expected = json.trades.filter(fits);
      assert.ok(expected.length > 0 && expected.length < json.trades.length);
      assert.deepEqual(filtered.json.trades, expected);
    }
  });

  test('excluded kinds are left out; ranks and the total are of all owners', async () => {
    const { json } = await get(`/token/holders?${TOKEN}`);
    const kinds = new Set(json.holders.map(({ kind }: Json) => kind));
    assert.ok(kinds.has('wallet') && kinds.has('contract'), [...kinds].join());
    const left = await get(`/token/holders?${TOKEN}&exclude=contract,pool`);
    const expected = json.holders.filter(({ kind }: Json) => kind === 'wallet' || kind === 'burn');
    assert.deepEqual(left.json.holders, expected);
    assert.equal(left.json.total, json.total);
    const top = expected.slice(0, 10).reduce((sum: number, one: Json) => sum + one.pct, 0);
    assert.ok(Math.abs(top - left.json.top10Pct) < 0.001);
  });
});

describe('klines', () => {
  const klines = async (query: string) =>
    (await get(`/token/klines?${TOKEN}&interval=5s&${query}`)).json.klines as Json[];

  test('with only a start time the limit takes the oldest rows, otherwise the newest', async () => {
    const all = await klines('limit=1000');
    assert.ok(all.length > 30);
    const start = all[4].openTime;
    const end = all.at(-4).openTime;
    assert.deepEqual(await klines('limit=10'), all.slice(-10));
    assert.deepEqual(await klines(`limit=10&startTime=${start}`), all.slice(4, 14));
    assert.deepEqual(await klines(`limit=10&endTime=${end}`), all.slice(-13, -3));
    const both = await klines(`limit=10&startTime=${start}&endTime=${end}`);
    assert.deepEqual(both, all.slice(4, -3).slice(-10));
    assert.deepEqual(await klines(`startTime=${start + 1}&endTime=${start + 2}`), []);
    assert.deepEqual(await klines('startTime=253402300799999'), []);
    assert.deepEqual(await klines('endTime=0'), []);
  });

  /** How many filled rows follow a row whose close differs from its open. */
  async function assertFilled(interval: string): Promise<number> {
    const path = `/token/klines?${TOKEN}&interval=${interval}&limit=1000`;
    const sparse: Json[] = (await get(path)).json.klines;
    const priced = sparse.find((row) => row.close !== null);
    const { json } = await get(`${path}&fill=previous&startTime=${priced.openTime}`);
    const rows: Json[] = json.klines;
    assert.ok(rows.length > sparse.length || rows.length === 1000, interval);
    let movedCount = 0;
    rows.forEach((row, index) => {
      const before = rows[index - 1];
      if (before !== undefined) assert.equal(row.openTime, before.closeTime + 1);
      const own = sparse.find(({ openTime }) => openTime === row.openTime);
      // A row whose trades set no price is filled, too, and has its volume.
      assert.equal(row.filled, own?.filled ?? true);
      if (own !== undefined) return;
      const { close } = before;
      const flat = { open: close, high: close, low: close, close };
      assert.deepEqual({ ...row, ...flat }, row);
      assert.deepEqual([row.volume, row.quoteVolume, row.trades], ['0', '0', 0]);
      if (before.open !== close) movedCount += 1;
    });
    return movedCount;
  }

  test('filled rows repeat the previous close, without gaps, up to chain time', async () => {
    await assertFilled('5s');
    assert.ok(
      (await assertFilled('1h')) > 0,
      'no gap follows a kline whose close differs from its open',
    );
    const { json } = await get(`/token/klines?${TOKEN}&interval=5s&fill=previous&limit=7`);
    const newest: Json[] = json.klines;
    assert.equal(newest.length, 7);
    assert.ok(newest.at(-1).openTime <= json.asOf.timestamp);
    assert.ok(newest.at(-1).closeTime >= json.asOf.timestamp);
  });

  test('a kline is closed once the chain’s time has passed it', async () => {
    for (const interval of ['1s', '1m', '1d', '1w', '1M']) {
      const { json } = await get(`/token/klines?${TOKEN}&interval=${interval}&fill=previous`);
      for (const { closed, closeTime } of json.klines) {
        assert.equal(closed, json.asOf.timestamp > closeTime);
      }
    }
  });

  test('outliers count in volumes but not in prices', async () => {
    const included = await klines('outliers=include&limit=1000');
    const excluded = await klines('limit=1000');
    let differing = 0;
    included.forEach((row, index) => {
      const other = excluded[index];
      const { open: _o, high: _h, low: _l, close: _c, filled: _f, ...counts } = row;
      const { open: _o2, high: _h2, low: _l2, close: _c2, filled: _f2, ...otherCounts } = other;
      assert.deepEqual(counts, otherCounts);
      if (row.high !== other.high) differing += 1;
    });
    assert.ok(differing > 0, 'the scene has no outlier that matters');
  });
});

describe('search', () => {
  test('an address in any case finds its token only', async () => {
    const { json } = await get(`/tokens/search?q=${MINT.toUpperCase().replace('0X', '0x')}`);
    assert.equal(json.tokens.length, 1);
    assert.equal(json.tokens[0].match, 'address');
    assert.deepEqual((await get(`/tokens/search?q=${UNKNOWN}`)).json.tokens, []);
  });

  test('pages show every match once, even if liquidity changes between them', async () => {
    const whole = (await get('/tokens/search?q=t&limit=100')).json.tokens;
    const seen: string[] = await readPages(whole.length, async (cursor: string | null) => {
      const next = cursor === null ? '' : `&cursor=${cursor}`;
      const { json } = await get(`/tokens/search?q=t&limit=2${next}`);
      if (json.nextCursor !== null) {
        scene.chain.extend(2);
        await scene.settle();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return { rows: json.tokens.map(({ mint }: Json) => mint), next: json.nextCursor };
    });
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(seen.toSorted(), whole.map(({ mint }: Json) => mint).toSorted());
  });

  for (const text of ['%', '_', "'", '"', '\\', '💎', '漢字', '; DROP TABLE tokens', '\u0301']) {
    test(`${JSON.stringify(text)} is text like any other`, async () => {
      const { status, json } = await get(`/tokens/search?q=${encodeURIComponent(text)}`);
      assert.equal(status, 200);
      assert.deepEqual(json.tokens, []);
    });
  }
});

describe('what rows cost', () => {
  /** What a request takes of a budget of its own. */
  async function measure(path: string, kind: Level = 'key'): Promise<number> {
    const budget = { policy: 'key', perMinute: 1, burst: 100 };
    const identity = { kind, key: `test ${path}`, tier: null, limits: null } as never;
    const limited = await startTestServer(
      { after: (done: () => void | Promise<void>) => void closing.push(done) },
      {
        operations: [getKlines, getTrades, getHolders],
        handlers: scene.market.handlers as unknown as Record<string, AnyHandler>,
        limits: {
          ipBudget: { ...budget, policy: 'ip', burst: 1000 },
          budgets: {
            anonymous: { ...budget, policy: 'anonymous' },
            key: budget,
            session: { ...budget, policy: 'session' },
          },
          identitiesMax: 10,
        },
        access: { identify: () => identity, countUse: () => undefined },
      },
    );
    const response = await limited.get(`/v1${path}`);
    assert.equal(response.status, 200, path);
    return 100 - Number(/;r=(\d+);/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  }
  const closing: (() => void | Promise<void>)[] = [];

  test('a read costs 1 up to 100 rows, and 1 more for every started 500', async (t) => {
    t.after(async () => {
      for (const close of closing) await close();
    });
    const klines = (limit: number) => `/token/klines?${TOKEN}&interval=1m&limit=${limit}`;
    const paths: readonly [string, number][] = [
      [klines(1), 1],
      [klines(100), 1],
      [klines(101), 2],
      [klines(600), 2],
      [klines(601), 3],
      [klines(5000), 11],
      [`/token/trades?${TOKEN}&limit=100`, 1],
      [`/token/trades?${TOKEN}&limit=500`, 2],
      [`/token/holders?${TOKEN}&limit=1000`, 3],
    ];
    for (const [path, cost] of paths) assert.equal(await measure(path), cost, path);
  });
});
