// Resuming: what is replayed, in pages, at what cost, and up to which length.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AppError } from '../../src/errors/app-error.ts';
import { decodeBatch, encodeBatch } from '../../src/live/encode-batch.ts';
import type { MarketEvent } from '../../src/model/block-events.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import { setReserves } from '../fakes/pool-events.ts';
import { TEST_LIMITS } from '../stream-scene.ts';
import { waitUntil } from '../wait-until.ts';
import {
  buildTrades,
  createTradedScene,
  INPUT,
  namesOf,
  POOL,
  TOKEN,
  visit,
} from './traded-scene.ts';

/** Until the windows of a rebuilt index are loaded, a client is told to come again. */
async function openWhenReady(
  scene: Awaited<ReturnType<typeof createTradedScene>>,
  lastEventId: string,
) {
  for (;;) {
    try {
      return await scene.open({ lastEventId });
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'NOT_READY', String(error));
      await sleep(5);
    }
  }
}

describe('missed events', () => {
  test('thousands of trades come in pages, each once, in order, then what is live', async (t) => {
    const scene = await createTradedScene(t);
    const lastEventId = await visit(scene);
    for (let block = 0; block < 5; block += 1) await scene.trade(333);
    const stream = await scene.open({ lastEventId }, { events: 'trade' });
    await waitUntil(() => stream.events.length === 5 * 333);
    await scene.trade(2);
    await waitUntil(() => stream.events.length === 5 * 333 + 2);
    const places = stream.events.map(({ data }) => `${data.block}:${data.txHash}`);
    assert.equal(new Set(places).size, places.length);
    const blocks = stream.events.map(({ data }) => data.block);
    assert.deepEqual(
      blocks,
      blocks.toSorted((a, b) => a - b),
    );
    assert.deepEqual(new Set(namesOf(stream)), new Set(['trade']));
  });

  test('a filter is respected: klines without trades, trades without klines', async (t) => {
    const scene = await createTradedScene(t);
    const lastEventId = await visit(scene);
    for (let block = 0; block < 6; block += 1) await scene.trade(3);
    const klines = await scene.open({ lastEventId }, { events: 'kline', interval: '1s' });
    const trades = await scene.open({ lastEventId }, { events: 'trade' });
    await waitUntil(() => klines.events.length > 3 && trades.events.length === 18);
    assert.deepEqual(new Set(namesOf(klines)), new Set(['kline']));
    const closed = klines.events.filter(({ id }) => id !== null);
    assert.ok(closed.length > 2 && closed.every(({ data }) => data.kline.closed));
    assert.deepEqual(new Set(namesOf(trades)), new Set(['trade']));
  });

  test('whose last trade was reverted gets that event first', async (t) => {
    const scene = await createTradedScene(t);
    await scene.trade(1);
    const stream = await scene.open({}, { events: 'trade,kline' });
    await waitUntil(() => stream.events.length > 0);
    await scene.trade(2);
    await waitUntil(() => namesOf(stream).filter((name) => name === 'trade').length === 2);
    const sent = stream.events.filter(({ event }) => event === 'trade');
    const lastEventId = sent.at(-1)!.id!;
    stream.leave();
    // Several reorganisations; the last branch has other trades.
    scene.chain.reorganise(1, 2);
    await scene.settle();
    scene.chain.reorganise(2, 3);
    await scene.settle();
    await scene.trade(1);
    const back = await scene.open({ lastEventId }, { events: 'trade,kline' });
    await waitUntil(() => namesOf(back).includes('trade'));
    const [first] = back.events;
    assert.equal(first?.event, 'revert');
    const ids = sent.map(({ data }) => data.id);
    assert.deepEqual(new Set(first?.data.tradeIds), new Set(ids));
    assert.ok(first?.data.fromBlock <= sent[0]!.data.block);
    assert.ok(first?.data.toBlock >= sent[0]!.data.block);
    const openTimes = first?.data.klines.map(({ openTime }: { openTime: number }) => openTime);
    assert.ok(openTimes.includes(sent[0]!.data.timestamp - (sent[0]!.data.timestamp % 60_000)));
    // Its id is valid as well: nothing is sent twice.
    back.leave();
    const again = await scene.open({ lastEventId: first!.id }, { events: 'trade' });
    await waitUntil(() => again.events.length > 0);
    assert.deepEqual(namesOf(again), ['trade']);
  });
});

describe('how far back', () => {
  test('more trades than allowed, or a longer absence, is reset and snapshot', async (t) => {
    const limits = { ...TEST_LIMITS, resumeMs: 3_600_000, resumeEventsMax: 10 };
    const scene = await createTradedScene(t, { limits });
    const lastEventId = await visit(scene);
    await scene.trade(10);
    const exact = await scene.open({ lastEventId });
    await waitUntil(() => exact.events.length >= 10);
    assert.ok(!namesOf(exact).includes('reset'));
    await scene.trade(1);
    const beyond = await scene.open({ lastEventId });
    await waitUntil(() => beyond.events.length >= 2);
    assert.deepEqual(namesOf(beyond).slice(0, 2), ['reset', 'snapshot']);
    assert.deepEqual(beyond.events[0]!.data, { reason: 'expired' });
    const recent = beyond.events[1]!.id!;
    // Empty blocks until the chain's time is an hour later.
    const startMs = scene.chain.head.timestampMs;
    while (scene.chain.head.timestampMs < startMs + limits.resumeMs) scene.chain.extend(1, []);
    await scene.settle();
    const late = await scene.open({ lastEventId: recent });
    await waitUntil(() => late.events.length >= 2);
    assert.deepEqual(late.events[0]!.data, { reason: 'expired' });
    assert.deepEqual(scene.streams.hub.counts, { resumed: 1, reset: 2, cut: 0 });
  });

  test('a rebuilt index ends its streams, and rejects ids of the old one', async (t) => {
    const scene = await createTradedScene(t);
    await scene.trade(1);
    const open = await scene.open();
    const lastEventId = await visit(scene);
    const { market } = scene.store;
    const [token] = await market.readTokens('devnet', [TOKEN]);
    await scene.indexed.indexer.stop();
    await market.forgetChain('devnet');
    const checkpoint = {
      ...{ startBlock: 0, block: 9, blockHash: '0x9', timestampMs: 1, finalizedBlock: 1 },
      version: 1,
    };
    await market.transaction('devnet', async (transaction) => {
      await transaction.setCheckpoint(checkpoint);
      await transaction.putTokens([token!]);
    });
    const changes = { fromBlock: 0, toBlock: 9, tokens: [], pools: [], listed: [], trades: [] };
    const commit = {
      chain: 'devnet',
      epoch: 'other',
      version: 1,
      checkpoint,
      complete: true,
      ...changes,
    } as const;
    scene.feed.publish(decodeBatch(encodeBatch(commit)));
    await waitUntil(() => open.state.ended === 'end');
    const back = await openWhenReady(scene, lastEventId);
    await waitUntil(() => back.events.length >= 2);
    assert.deepEqual(namesOf(back).slice(0, 2), ['reset', 'snapshot']);
    assert.deepEqual(back.events[0]!.data, { reason: 'unknown' });
    assert.equal(back.events[1]!.data.asOf.block, 9);
  });
});

describe('the cost of a resume', () => {
  test('each further page is charged, and a reader without budget waits', async (t) => {
    const scene = await createTradedScene(t);
    const lastEventId = await visit(scene);
    for (let block = 0; block < 4; block += 1) await scene.trade(400);
    const charges: number[] = [];
    let funds = 1;
    const stream = await scene.open(
      {
        lastEventId,
        spend: (cost) => {
          if (funds < cost) return 20;
          funds -= cost;
          charges.push(cost);
          return 0;
        },
      },
      { events: 'trade' },
    );
    // The first page is included in the request, the second was charged.
    await waitUntil(() => stream.events.length === 1000);
    await sleep(100);
    assert.equal(stream.events.length, 1000);
    funds = 10;
    await waitUntil(() => stream.events.length === 1600);
    assert.deepEqual(charges, [1, 1, 1]);
  });
});

describe('the memory of a resume', () => {
  test('the first page of a stream is released once it is sent', async (t) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const scene = await createTradedScene(t);
    const lastEventId = await visit(scene);
    // Too large to be shared: each reader has its own replay.
    await scene.trade(450);
    const outlet = {
      waitingBytes: 0,
      takenBytes: 0,
      stalledMs: 0,
      write: () => true,
      end: () => {},
      cut: () => {},
    };
    const context = {
      identity: { kind: 'anonymous', key: 'test' } as const,
      ...{ requestId: 'test', addressGroup: 'test', origin: null, idempotencyKey: null },
      ...{ lastEventId, spend: () => 0 },
    };
    const events: 'trade'[] = ['trade'];
    const view = { interval: '1m', currency: 'usd', outliers: 'exclude' } as const;
    const input = { chain: INPUT.chain, mint: [INPUT.mint], events, ...view };
    const readers: unknown[] = [];
    const openMany = async (count: number) => {
      for (let opened = 0; opened < count; opened += 1) {
        const answer = await scene.streams.handlers.getTokenStream(input, context);
        readers.push(answer.start(outlet));
      }
      await sleep(20);
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await openMany(10);
    const grownBytes = (await openMany(60)) - before;
    assert.ok(grownBytes < 60 * 64 * 1024, `${Math.round(grownBytes / 60)} bytes each`);
    assert.equal(scene.streams.hub.clientCount, readers.length);
  });
});

describe('states', () => {
  test('price and holders are sent when they change, and to readers that come back', async (t) => {
    const scene = await createTradedScene(t);
    const stream = await scene.open({}, { events: 'price,holders' });
    await waitUntil(() => stream.events.length > 0);
    const owner = buildFakeAddress('cccc', 1);
    const mint: MarketEvent = {
      ...{ kind: 'transfer', token: TOKEN, from: null, to: owner },
      amountRaw: 10n ** 18n,
    };
    scene.chain.extend(1, [mint, ...buildTrades(1)]);
    await scene.settle();
    await waitUntil(() => namesOf(stream).includes('price') && namesOf(stream).includes('holders'));
    const { json } = await scene.ask('getHolders', INPUT);
    const token = await scene.ask('getToken', INPUT);
    const name = { chain: 'devnet', mint: token.json.mint };
    const holders = stream.events.findLast(({ event }) => event === 'holders')!;
    assert.deepEqual(holders.data, { ...name, total: json.total, top10Pct: json.top10Pct });
    assert.equal(holders.id, null);
    const price = stream.events.findLast(({ event }) => event === 'price')!;
    const { priceUsd, priceNative, liquidityUsd, marketCapUsd } = token.json;
    const { priceChange24hPct, volume24hUsd, trades24h } = token.json;
    const block = scene.chain.head.position;
    assert.deepEqual(price.data, {
      ...name,
      ...{ priceUsd, priceNative, liquidityUsd, marketCapUsd },
      ...{ priceChange24hPct, volume24hUsd, trades24h, block },
    });
    const lastEventId = stream.events[0]!.id!;
    const back = await scene.open({ lastEventId }, { events: 'price,holders' });
    await waitUntil(() => namesOf(back).includes('price') && namesOf(back).includes('holders'));
  });

  test('a price that nobody followed meanwhile is never sent from memory', async (t) => {
    const scene = await createTradedScene(t);
    const lastEventId = await visit(scene);
    // Another reader keeps the token's channel open without prices.
    const other = await scene.open({}, { events: 'trade' });
    const first = await scene.open({ lastEventId }, { events: 'price' });
    await waitUntil(() => namesOf(first).includes('price'));
    first.leave();
    await waitUntil(() => scene.streams.hub.clientCount === 1);
    scene.chain.extend(1, [setReserves(POOL, 10n ** 24n, 2n * 10n ** 21n), ...buildTrades(1)]);
    await scene.settle();
    await waitUntil(() => namesOf(other).includes('trade'));
    const back = await scene.open({ lastEventId }, { events: 'price' });
    await waitUntil(() => namesOf(back).includes('price'));
    const { json } = await scene.ask('getToken', INPUT);
    const sent = back.events.find(({ event }) => event === 'price')!;
    assert.equal(sent.data.block, scene.chain.head.position);
    assert.equal(sent.data.liquidityUsd, json.liquidityUsd);
    assert.equal(sent.data.priceNative, json.priceNative);
  });
});
