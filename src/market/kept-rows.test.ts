// Pins answers of a chain whose old rows are deleted: the same as those of one that keeps all, as
// far back as rows are kept, and nothing before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import type { Address } from '../model/ids.ts';

const DAY_MS = 86_400_000;
const CHAIN = { seed: 58, finalityDepth: 8, blocks: 200, blockMs: DAY_MS / 24 };

async function waitForDeletion(scene: MarketScene, tradesFromMs: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await scene.store.market.readFirstTradeTime('devnet'))! < tradesFromMs) {
    if (Date.now() > deadline) throw new Error('old trades are still there');
    await setImmediate();
  }
}

async function listTokens(scene: MarketScene): Promise<Address[]> {
  const tokens: Address[] = [];
  for await (const page of scene.store.market.scanListings('devnet')) {
    tokens.push(...page.map(({ token }) => token));
  }
  return tokens;
}

async function readTrades(scene: MarketScene, mint: string): Promise<Json[]> {
  const trades: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const input = { chain: 'devnet', mint, limit: 50, ...(cursor === '' ? {} : { cursor }) };
    const { json } = await scene.ask('getTrades', input);
    trades.push(...json.trades);
    cursor = json.nextCursor;
  }
  return trades;
}

test('kept rows are answered as if all were kept, and coverage says from when on', async (t) => {
  const all = await createMarketScene(t, { ...CHAIN, engine: 'sqlite' });
  const retention = { trades: 2, fineCandles: 3 };
  const kept = await createMarketScene(t, { ...CHAIN, engine: 'sqlite', retention });
  const { tradesFromMs, candlesFromMs, startAtMs, timestampMs } =
    (await kept.store.market.readCheckpoint('devnet'))!;
  assert.ok(tradesFromMs! > candlesFromMs! && candlesFromMs! > startAtMs!);
  await waitForDeletion(kept, tradesFromMs!);
  let dropped = 0;
  let filled = 0;
  for (const mint of await listTokens(kept)) {
    const of = { chain: 'devnet', mint };
    const { json: token } = await kept.ask('getToken', of);
    const { json: expected } = await all.ask('getToken', of);
    const coverage = { ...expected.coverage, tradesFrom: tradesFromMs, klinesFrom: candlesFromMs };
    assert.deepEqual({ ...token, asOf: 0 }, { ...expected, coverage, asOf: 0 });
    const trades = await readTrades(all, mint);
    const young = trades.filter(({ timestamp }) => timestamp >= tradesFromMs!);
    dropped += trades.length - young.length;
    assert.deepEqual(await readTrades(kept, mint), young);
    for (const [interval, fill, from] of [
      ['1s', 'none', tradesFromMs],
      ['1m', 'none', candlesFromMs],
      ['1h', 'previous', candlesFromMs],
      ['12h', 'previous', candlesFromMs],
      ['1d', 'previous', startAtMs],
      ['1w', 'none', startAtMs],
    ] as const) {
      const times = { startTime: candlesFromMs! - DAY_MS, endTime: timestampMs };
      const input = { ...of, ...times, interval, fill, limit: 5000 };
      const { json: klines } = await kept.ask('getKlines', input);
      const { json: whole } = await all.ask('getKlines', input);
      assert.equal(klines.coverage.klinesFrom, from, interval);
      assert.deepEqual(
        klines.klines,
        whole.klines.filter(({ openTime }: Json) => interval === '1w' || openTime >= from!),
        interval,
      );
      filled += klines.klines.filter((row: Json) => row.filled && row.openTime === from).length;
    }
  }
  assert.ok(dropped > 0);
  assert.ok(filled > 0, 'no kline was filled from a price before the first that is kept');
});

test('a cached answer changes when a day is dropped', async (t) => {
  const retention = { trades: 2, fineCandles: 2 };
  const scene = await createMarketScene(t, { ...CHAIN, engine: 'sqlite', retention });
  const [mint = ''] = await listTokens(scene);
  const ask = async () => (await scene.ask('getTrades', { chain: 'devnet', mint })).json.coverage;
  const before = await ask();
  for (let block = 0; block < 30; block += 1) scene.chain.extend(1, []);
  await scene.settle();
  const { tradesFromMs } = (await scene.store.market.readCheckpoint('devnet'))!;
  assert.ok(tradesFromMs! > before.tradesFrom);
  assert.equal((await ask()).tradesFrom, tradesFromMs);
});
