// Streams of a chain's news over HTTP: how they are asked for, and where they begin.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MarketEvent } from '../../src/model/block-events.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import { createPool } from '../fakes/index-events.ts';
import type { Json } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { TEST_LIMITS } from '../stream-scene.ts';
import { poolId } from '../test-ids.ts';
import { waitUntil } from '../wait-until.ts';
import { type StreamServer, startStreamServer } from './stream-server.ts';

const WETH = buildFakeAddress('eeee', 5);

function open({ server }: StreamServer, query: string, headers: Record<string, string> = {}) {
  return openHttpStream(`${server.origin}/v1/token/stream?${query}`, { headers });
}

async function refuse({ server }: StreamServer, query: string): Promise<Json> {
  const response = await fetch(`${server.origin}/v1/token/stream?${query}`);
  const json = (await response.json()) as Json;
  return { status: response.status, code: json.code, path: json.errors?.[0]?.path ?? null };
}

/** A pool of a new token. */
function buildPool(number: number): MarketEvent {
  const pool = poolId(buildFakeAddress('fade', number));
  return createPool(pool, [buildFakeAddress('abba', number), WETH]);
}

describe("a stream of a chain's news", () => {
  test('that cannot be opened says why, naming the field', async (t) => {
    const server = await startStreamServer(t);
    const { mint } = server;
    for (const [query, code, path] of [
      ['mint=*', 'INVALID_INPUT', 'chain'],
      ['chain=atlantis&mint=*', 'UNKNOWN_CHAIN', 'chain'],
      ['mint=base:*', 'CHAIN_NOT_FOLLOWED', 'chain'],
      [`chain=devnet&mint=*,${mint}`, 'INVALID_INPUT', 'mint'],
      ['chain=devnet&mint=*,*', 'INVALID_INPUT', 'mint'],
      ['chain=devnet&mint=*&events=trade', 'INVALID_INPUT', 'events'],
      [`chain=devnet&mint=${mint}&events=trade,pool`, 'INVALID_INPUT', 'events'],
      [`chain=devnet&mint=*&pool=${mint}`, 'INVALID_INPUT', 'pool'],
    ] as const) {
      assert.deepEqual(await refuse(server, query), { status: 400, code, path }, query);
    }
    assert.equal(server.streams.slots.total, 0);
  });

  test('begins with the chain, then tells of pools as /pools has them', async (t) => {
    const server = await startStreamServer(t);
    const { scene } = server;
    for (const query of ['chain=devnet&mint=*', 'mint=devnet:*', 'mint=eip155:1337:*']) {
      const stream = await open(server, query);
      assert.equal(stream.status, 200, query);
      const first = await stream.until(({ event }) => event === 'snapshot');
      assert.equal(first.data.chain, 'devnet');
      assert.equal(first.data.asOf.block, scene.chain.head.position);
      assert.ok(first.id !== null);
      stream.leave();
    }
    const stream = await open(server, 'chain=devnet&mint=*');
    await stream.until(({ event }) => event === 'snapshot');
    scene.chain.extend(1, [buildPool(1)]);
    await scene.settle();
    const { data: told, id } = await stream.until(({ event }) => event === 'pool');
    const { json } = await scene.ask('getPool', { chain: 'devnet', pool: told.address });
    const { mint, block, timestamp, ...pool } = told;
    for (const [field, value] of Object.entries(pool)) assert.deepEqual(value, json[field], field);
    assert.deepEqual([mint, block], [pool.base.mint, scene.chain.head.position]);
    assert.ok(id !== null && timestamp > 0);
    const { data: token } = await stream.until(({ event }) => event === 'token');
    const read = await scene.ask('getToken', { chain: 'devnet', mint: token.mint });
    assert.deepEqual([token.mint, token.symbol], [read.json.mint, read.json.symbol]);
    stream.leave();
  });

  test('leaves out paused tokens and their pools', async (t) => {
    const server = await startStreamServer(t);
    const { scene } = server;
    await scene.store.pauses.setPaused({
      ...{ chain: 'devnet', token: buildFakeAddress('abba', 1), paused: true, nowMs: 1 },
    });
    await scene.market.pauses.poll();
    const stream = await open(server, 'chain=devnet&mint=*&events=pool,token');
    await stream.until(({ event }) => event === 'snapshot');
    scene.chain.extend(1, [buildPool(1), buildPool(2)]);
    await scene.settle();
    await waitUntil(() => stream.events.length === 3);
    const shown = stream.events.slice(1).map(({ event, data }) => [event, data.mint.toLowerCase()]);
    const other = buildFakeAddress('abba', 2);
    assert.deepEqual(shown, [
      ['pool', other],
      ['token', other],
    ]);
    stream.leave();
  });

  test('is reset by an id of a token, and by one that is too old', async (t) => {
    const limits = { ...TEST_LIMITS, resumeEventsMax: 3 };
    const server = await startStreamServer(t, { streams: { limits } });
    const { scene } = server;
    const news = 'chain=devnet&mint=*';
    const tokenStream = await server.open('&events=trade');
    const ofToken = await tokenStream.until(({ id }) => id !== null);
    tokenStream.leave();
    const stream = await open(server, news);
    const { id } = await stream.until(({ event }) => event === 'snapshot');
    stream.leave();
    scene.chain.extend(1, [buildPool(1), buildPool(2)]);
    await scene.settle();
    for (const [given, reason] of [
      [ofToken.id, 'unknown'],
      ['nonsense', 'unknown'],
      [id, 'expired'],
    ] as const) {
      const back = await open(server, news, { 'last-event-id': given! });
      await waitUntil(() => back.events.length >= 2);
      assert.deepEqual(
        back.events.slice(0, 2).map(({ event, data }) => [event, data.reason]),
        [
          ['reset', reason],
          ['snapshot', undefined],
        ],
      );
      back.leave();
    }
    const otherway = await server.open('&events=trade', { headers: { 'last-event-id': id! } });
    await waitUntil(() => otherway.events.length >= 1);
    assert.deepEqual(otherway.events[0]!.data, { reason: 'unknown' });
    otherway.leave();
  });

  test('is reset where the news since were deleted', async (t) => {
    const server = await startStreamServer(t);
    const { scene } = server;
    const stream = await open(server, 'chain=devnet&mint=*');
    const { id, data } = await stream.until(({ event }) => event === 'snapshot');
    stream.leave();
    scene.chain.extend(1, [buildPool(1)]);
    await scene.settle();
    const prunedMs = data.asOf.timestamp + 1e9;
    await scene.store.market.transaction('devnet', (one) => one.pruneNews(prunedMs));
    const back = await open(server, 'chain=devnet&mint=*', { 'last-event-id': id! });
    await waitUntil(() => back.events.length >= 1);
    assert.deepEqual(back.events[0]!.data, { reason: 'expired' });
    back.leave();
  });
});
