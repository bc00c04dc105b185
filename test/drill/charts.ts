// TradingView's own client of the UDF protocol reads our chart feed: its bundle is given as a file,
// because its licence allows nobody else to distribute it. What it shows must be what the API says.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, trade } from '../indexing-scene.ts';
import type { Json } from '../market-scene.ts';
import { type Cleanup, startServiceProcess } from '../start-service-process.ts';
import { until } from '../trade-service.ts';

/** The part of the client that charts call; the rest is its own business. */
interface ChartClient {
  onReady(done: (config: Json) => void): void;
  getServerTime(done: (seconds: number) => void): void;
  searchSymbols(text: string, exchange: string, type: string, done: (found: Json[]) => void): void;
  resolveSymbol(name: string, done: (info: Json) => void, fail: (why: unknown) => void): void;
  getBars(
    info: Json,
    resolution: string,
    period: Json,
    done: (bars: Json[], meta: Json) => void,
    fail: (why: unknown) => void,
  ): void;
  getMarks(info: Json, from: number, to: number, done: (marks: Json[]) => void, by: string): void;
  subscribeBars(info: Json, resolution: string, tick: (bar: Json) => void, id: string): void;
  unsubscribeBars(id: string): void;
}

type Fail = (why: unknown) => void;

function ask<Answer>(call: (done: (answer: Answer) => void, fail: Fail) => void): Promise<Answer> {
  return new Promise((done, fail) => call(done, (why) => fail(new Error(String(why)))));
}

async function readJson(url: string): Promise<Json> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return response.json();
}

async function compareBars(client: ChartClient, scene: { info: Json; api: string }) {
  const { info, api } = scene;
  const nowSeconds = Math.ceil(Date.now() / 1000) + 3600;
  const [, mint] = info.ticker.split(':');
  let compared = 0;
  for (const [resolution, interval, seconds] of [
    ['1', '1m', 60],
    ['60', '1h', 3600],
    ['1D', '1d', 86_400],
  ] as const) {
    const period = { from: nowSeconds - 200 * seconds, to: nowSeconds, countBack: 100 };
    const first = { ...period, firstDataRequest: true };
    const bars = await ask<Json[]>((done, fail) =>
      client.getBars(info, resolution, first, done, fail),
    );
    const query = `chain=devnet&mint=${mint}&interval=${interval}&limit=1000`;
    const { klines } = await readJson(`${api}/token/klines?${query}`);
    const byTime = new Map(klines.map((one: Json) => [one.openTime, one]));
    assert.ok(bars.length > 0, `no bars of ${resolution}`);
    for (const bar of bars) {
      const known = byTime.get(bar.time) as Json;
      assert.ok(known, `no candle at ${bar.time}`);
      const values = [known.open, known.high, known.low, known.close].map(Number);
      assert.deepEqual([bar.open, bar.high, bar.low, bar.close], values);
    }
    compared += bars.length;
  }
  return compared;
}

export async function drillCharts(
  cleanup: Cleanup,
  wanted: { readonly bundle: string; readonly log: (line: string) => void },
): Promise<void> {
  const { chain, env } = await createIndexingScene(cleanup, { engine: 'sqlite' });
  const service = await startServiceProcess(cleanup, { env });
  await trade(chain, 3);
  await untilAtHead(service, chain);
  // In a page it is a script of its own, with the page's timers.
  Object.assign(globalThis, { window: globalThis });
  const load = createRequire(import.meta.url);
  const { UDFCompatibleDatafeed } = load(resolve(wanted.bundle));
  const api = `${service.origin}/v1`;
  const client: ChartClient = new UDFCompatibleDatafeed(`${api}/udf`, 300);
  const config = await ask<Json>((done) => client.onReady(done));
  assert.ok(config.supported_resolutions.includes('60') && config.supports_marks);
  const seconds = await ask<number>((done) => client.getServerTime(done));
  assert.equal(Number.isInteger(Number(seconds)), true);
  const found = await ask<Json[]>((done) => client.searchSymbols('WIRE', '', '', done));
  const wire = found.find(({ symbol }) => symbol === 'WIRE') ?? assert.fail('WIRE is not found');
  const info = await ask<Json>((done, fail) => client.resolveSymbol(wire.ticker, done, fail));
  assert.deepEqual([info.name, info.currency_code], ['WIRE', 'USD']);
  const unknown = `devnet:0x${'12'.repeat(20)}`;
  await assert.rejects(
    ask((done, fail) => client.resolveSymbol(unknown, done, fail)),
    {
      message: 'unknown_symbol',
    },
  );
  const compared = await compareBars(client, { info, api });
  const marks = await ask<Json[]>((done) => client.getMarks(info, 0, 9_999_999_999, done, '60'));
  assert.ok(marks.length > 0 && marks.every(({ time }) => Number.isInteger(time)));
  const ticks: Json[] = [];
  client.subscribeBars(info, '1', (bar) => void ticks.push(bar), 'chart');
  await trade(chain, 2);
  await until('the chart moves', async () => ticks.length > 0);
  client.unsubscribeBars('chart');
  wanted.log(`${compared} bars equal the candles, ${marks.length} marks, ${ticks.length} ticks`);
}
