// The chart feed, read as the UDF protocol says that charts do, against the reads it is made of.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import { setUp } from '../../test/root-hooks.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { Level } from '../contract/identity.ts';
import type { Operation } from '../contract/operation.ts';
import {
  getUdfConfig,
  getUdfHistory,
  getUdfMarks,
  getUdfSymbol,
  getUdfTime,
  searchUdf,
  UDF_RESOLUTION_LIST,
} from '../contract/operations/udf-operations.ts';
import { createInputParser } from '../contract/parse-input.ts';
import {
  createUdf,
  createUdfReads,
  findUdfInterval,
  pickPriceScale,
  splitUdfSymbol,
} from './create-udf.ts';

const NOW_MS = 1_800_000_000_999;
const FAR_SECONDS = 9_999_999_999;
const OPERATIONS: readonly Operation[] = [
  ...[getUdfConfig, getUdfSymbol, searchUdf, getUdfHistory, getUdfTime, getUdfMarks],
];

let scene: MarketScene;
/** A token with trades. */
let token: Json;

setUp(async (t) => {
  scene = await createMarketScene(t as never, {
    ...{ engine: 'sqlite', seed: 4, finalityDepth: 20, blocks: 150 },
  });
  while (!scene.market.search.isLoaded('devnet')) await new Promise((done) => setTimeout(done, 5));
  const { json } = await scene.ask('listTokens', { sort: 'trades', limit: 1 });
  token = json.tokens[0] ?? assert.fail('no token was traded');
});

/** As a chart asks: query parameters are texts. */
async function ask(
  path: string,
  query: Record<string, unknown> = {},
  level: Level = 'key',
  chargeAhead?: HandlerContext['chargeAhead'],
): Promise<Json> {
  const operation = OPERATIONS.find((one) => one.path === `/udf/${path}`) ?? assert.fail(path);
  const feed: Record<string, unknown> = createUdf({
    reads: createUdfReads(scene.market),
    listChains: () => [{ slug: 'devnet', name: 'Local devnet' }],
    clock: { nowMs: () => NOW_MS, monotonicMs: () => 0 },
  });
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const input = createInputParser(operation.input, 'text')(Object.fromEntries(texts));
  const handler = feed[operation.id] as (input: unknown, context: HandlerContext) => unknown;
  const context = { identity: { kind: level, key: 'test' }, chargeAhead } as HandlerContext;
  const answer: Json = await handler(input, context);
  const check = Compile(operation.output);
  assert.ok(check.Check(answer), JSON.stringify([...check.Errors(answer)].slice(0, 3)));
  return answer;
}

const buildTicker = () => `${token.chain}:${token.mint}`;

async function readKlines(interval: string, mint: string = token.mint): Promise<Json[]> {
  const input = { chain: 'devnet', mint, interval, limit: 5000 };
  return (await scene.ask('getKlines', input)).json.klines;
}

test('the feed describes itself, its time and its chains', async () => {
  const config = await ask('config');
  assert.equal(config.supports_group_request, false);
  assert.equal(config.supports_search, true);
  assert.deepEqual(
    config.exchanges.map(({ value }: Json) => value),
    ['', 'devnet'],
  );
  assert.equal(await ask('time'), 1_800_000_000);
});

test('a search finds what the search of tokens finds, with tickers that resolve', async () => {
  const { json } = await scene.ask('searchTokens', { q: token.symbol, limit: 5 });
  const found = await ask('search', { query: token.symbol, limit: 5, type: '', exchange: '' });
  assert.deepEqual(
    found.map(({ ticker }: Json) => ticker),
    json.tokens.map(({ chain, mint }: Json) => `${chain}:${mint}`),
  );
  for (const { ticker } of found)
    assert.equal((await ask('symbols', { symbol: ticker })).ticker, ticker);
  const top = await ask('search', { query: '', exchange: 'devnet', limit: 3 });
  assert.ok(top.length > 0);
});

test('a symbol is found by ticker, by chain and symbol in capitals, and by symbol', async () => {
  const byTicker = await ask('symbols', { symbol: buildTicker() });
  assert.deepEqual(
    [byTicker.name, byTicker.exchange, byTicker.currency_code, byTicker.session],
    [token.symbol, 'devnet', 'USD', '24x7'],
  );
  assert.deepEqual(byTicker.supported_resolutions, UDF_RESOLUTION_LIST);
  const first = (await scene.ask('searchTokens', { q: token.symbol, limit: 1 })).json.tokens[0];
  for (const symbol of [`DEVNET:${token.symbol}`, token.symbol]) {
    assert.equal((await ask('symbols', { symbol })).ticker, `devnet:${first.mint}`);
  }
});

test('an unknown symbol is an error of the protocol, not of HTTP', async () => {
  const unknown = { s: 'error', errmsg: 'unknown_symbol' };
  for (const symbol of ['devnet:0x12', `devnet:0x${'ee'.repeat(20)}`, 'moon:X', 'zzzzzzzzzzzz']) {
    assert.deepEqual(await ask('symbols', { symbol }), unknown, symbol);
    const bars = { symbol, resolution: '60', from: 0, to: FAR_SECONDS };
    assert.deepEqual(await ask('history', bars), unknown, symbol);
    assert.deepEqual(await ask('marks', bars), [], symbol);
  }
  const odd = { symbol: buildTicker(), resolution: '7', from: 0, to: FAR_SECONDS };
  assert.deepEqual(await ask('history', odd), { s: 'error', errmsg: 'unknown_resolution' });
});

describe('history', () => {
  test('has the candles of /token/klines in every resolution', async () => {
    for (const resolution of UDF_RESOLUTION_LIST) {
      const klines = await readKlines(findUdfInterval(resolution) ?? assert.fail(resolution));
      const priced = klines.filter(({ open }) => open !== null);
      const bars = await ask('history', {
        symbol: buildTicker(),
        resolution,
        from: 0,
        to: FAR_SECONDS,
      });
      assert.deepEqual(
        bars.t,
        priced.map(({ openTime }) => openTime / 1000),
        resolution,
      );
      for (const [list, field] of Object.entries({ o: 'open', h: 'high', l: 'low', c: 'close' })) {
        assert.deepEqual(
          bars[list],
          priced.map((kline) => Number(kline[field])),
          resolution,
        );
      }
      assert.deepEqual(
        bars.v,
        priced.map(({ volume }) => Number(volume ?? 0)),
      );
    }
  });

  test('many candles cost more, by those that a range has room for', async () => {
    const measure = async (range: Record<string, unknown>) => {
      let charged = 0;
      await ask('history', { symbol: buildTicker(), resolution: '1', ...range }, 'key', (more) => {
        charged += more.cost;
        return more.cost;
      });
      return charged;
    };
    assert.equal(await measure({ to: FAR_SECONDS, countback: 100 }), 0);
    assert.equal(await measure({ to: FAR_SECONDS, countback: 601 }), 2);
    assert.equal(await measure({ from: 0, to: FAR_SECONDS }), 10);
    const from = 1_700_000_040;
    assert.equal(await measure({ from, to: from + 90 * 60 }), 0);
    assert.equal(await measure({ from, to: from + 400 * 60 }), 1);
  });

  test('a chart that scrolls back by countback gets every candle once', async () => {
    const { json } = await scene.ask('listTokens', { sort: 'trades', limit: 100 });
    for (const { mint } of json.tokens) {
      const klines = (await readKlines('1s', mint)).filter(({ open }) => open !== null);
      const times: number[] = [];
      let to = FAR_SECONDS;
      for (let pages = 0; ; pages += 1) {
        assert.ok(pages <= 2 * klines.length + 2, 'the feed does not end');
        // A chart also sends the first time that it needs, which countback outranks.
        const query = { symbol: `devnet:${mint}`, resolution: '1S', from: to - 1, to };
        const bars = await ask('history', { ...query, countback: 1 });
        if (bars.s === 'no_data') {
          if (bars.nextTime === undefined) break;
          // Many candles without a price: the chart goes on before them.
          to = bars.nextTime;
          continue;
        }
        assert.equal(bars.t.length, 1);
        times.unshift(...bars.t);
        to = bars.t[0];
      }
      assert.deepEqual(
        times,
        klines.map(({ openTime }) => openTime / 1000),
      );
    }
  });

  test('from is inclusive, to is not, and a gap names the candle before it', async () => {
    const klines = (await readKlines('1m')).filter(({ open }) => open !== null);
    const [first, second] = klines.map(({ openTime }) => openTime / 1000);
    assert.ok(first !== undefined && second !== undefined);
    const bars = { symbol: buildTicker(), resolution: '1' };
    assert.deepEqual((await ask('history', { ...bars, from: first, to: second })).t, [first]);
    const last = klines.at(-1)?.openTime / 1000;
    const after = await ask('history', { ...bars, from: last + 60, to: last + 120 });
    assert.deepEqual(after, { s: 'no_data', nextTime: last });
    assert.deepEqual(await ask('history', { ...bars, from: 0, to: first }), { s: 'no_data' });
    assert.deepEqual(await ask('history', { ...bars, from: 0, to: 0 }), { s: 'no_data' });
  });

  test('a range without candles names the newest one before it, however near or far that is', async () => {
    const klines = (await readKlines('1m')).filter(({ open }) => open !== null);
    const times = klines.map(({ openTime }) => openTime / 1000);
    assert.ok(times.length > 2);
    for (const [index, time] of times.entries()) {
      const next = times[index + 1] ?? FAR_SECONDS;
      for (const at of [time + 1, time + 59, next]) {
        const empty = { symbol: buildTicker(), resolution: '1', from: at, to: at };
        assert.deepEqual(await ask('history', empty), { s: 'no_data', nextTime: time }, `${at}`);
      }
    }
  });

  test('a caller gets as many as its tier allows, the newest', async () => {
    const klines = (await readKlines('1s')).filter(({ open }) => open !== null);
    const bars = { symbol: buildTicker(), resolution: '1S', to: FAR_SECONDS, countback: 50_000 };
    const { t } = await ask('history', bars, 'anonymous');
    assert.deepEqual(
      t,
      klines.slice(-1000).map(({ openTime }) => openTime / 1000),
    );
  });
});

test('marks show when pools were created', async () => {
  const { json } = await scene.ask('getToken', { chain: 'devnet', mint: token.mint });
  const created = json.pools.filter(({ createdAt }: Json) => createdAt !== null);
  assert.ok(created.length > 0);
  const query = { symbol: buildTicker(), resolution: '60' };
  const marks = await ask('marks', { ...query, from: 0, to: FAR_SECONDS });
  assert.deepEqual(
    marks.map(({ id, time }: Json) => [id, time]),
    created.map((pool: Json) => [pool.address, Math.floor(pool.createdAt / 1000)]),
  );
  assert.deepEqual(await ask('marks', { ...query, from: 0, to: 0 }), []);
});

test('symbols, resolutions and price scales', () => {
  assert.deepEqual(splitUdfSymbol('eip155:8453:0xAb'), { chain: 'eip155:8453', text: '0xAb' });
  assert.deepEqual(splitUdfSymbol('BASE:WETH'), { chain: 'base', text: 'WETH' });
  assert.deepEqual(splitUdfSymbol('WETH'), { chain: null, text: 'WETH' });
  assert.deepEqual(['D', '1D', 'W', 'M', '1M', '1', '2', 'constructor'].map(findUdfInterval), [
    ...['1d', '1d', '1w', '1M', '1M', '1m', null, null],
  ]);
  const scales = ['65000', '3000', '1', '0.4262', '0.0000001', null, '0'].map(pickPriceScale);
  assert.deepEqual(scales, [100, 100, 100_000, 1_000_000, 1e12, 100_000, 100_000]);
});
