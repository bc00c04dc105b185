// Streams of several tokens over HTTP: how they are asked for, what their events carry, and views
// of klines.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Identity } from '../../src/contract/identity.ts';
import { buildFakeAddress, FAKE_TOKENS } from '../fakes/fake-market.ts';
import type { Json } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { openTestStream } from '../stream-scene.ts';
import { waitUntil } from '../wait-until.ts';
import { createEvmWallet } from '../wallets.ts';
import { type StreamServer, startStreamServer } from './stream-server.ts';

/** Tokens of the chain, from final blocks. */
async function findMints({ scene }: StreamServer, count: number): Promise<string[]> {
  const rows = await scene.store.market.readTokens('devnet', FAKE_TOKENS);
  const old = rows.filter(({ firstSeenBlock }) => firstSeenBlock <= scene.chain.finalized);
  assert.ok(old.length >= count);
  return old.slice(0, count).map(({ token }) => token);
}

function open(server: StreamServer, query: string, headers: Record<string, string> = {}) {
  return openHttpStream(`${server.server.origin}/v1/token/stream?${query}`, { headers });
}

async function refuse(server: StreamServer, query: string): Promise<Json> {
  const response = await fetch(`${server.server.origin}/v1/token/stream?${query}`);
  const json = (await response.json()) as Json;
  return { status: response.status, code: json.code, path: json.errors?.[0]?.path ?? null };
}

const made = (count: number) =>
  Array.from({ length: count }, (_, index) => buildFakeAddress('bbbb', index + 1)).join(',');

describe('a stream of several tokens', () => {
  test('names the token in every event, however the tokens are listed', async (t) => {
    const server = await startStreamServer(t);
    const mints = await findMints(server, 3);
    const [a, b, c] = mints;
    for (const query of [
      `chain=devnet&mint=${a}&mint=${b}&mint=${c}`,
      `chain=devnet&mint=${a},${b},${c},${a}`,
      `mint=devnet:${a}&mint=eip155:1337:${b},devnet:${c}`,
    ]) {
      const stream = await open(server, query);
      assert.equal(stream.status, 200);
      await waitUntil(() => stream.events.length >= 3);
      const snapshots = stream.events.slice(0, 3);
      assert.deepEqual(
        snapshots.map(({ event, data }) => `${event} ${data.chain} ${data.mint.toLowerCase()}`),
        mints.toSorted().map((mint) => `snapshot devnet ${mint}`),
      );
      assert.deepEqual(
        snapshots.map(({ id }) => id !== null),
        [false, false, true],
      );
      const trades = snapshots.reduce((sum, { data }) => sum + data.trades.length, 0);
      assert.ok(trades <= 51, `${trades} trades`);
      while (!stream.events.some(({ event }) => event === 'trade')) {
        server.scene.chain.extend(2);
        await server.scene.settle();
      }
      for (const { event, data } of stream.events) {
        if (event !== '') assert.ok(mints.includes(data.mint.toLowerCase()), event);
      }
      stream.leave();
    }
  });

  test('counts as one stream, and may have as many tokens as the tier allows', async (t) => {
    const server = await startStreamServer(t);
    assert.deepEqual(await refuse(server, `chain=devnet&mint=${made(11)}`), {
      ...{ status: 400, code: 'INVALID_INPUT', path: 'mint' },
    });
    const { token } = await server.signIn(createEvmWallet());
    const { key } = await server.issueKey(token);
    const keyed = await open(server, `chain=devnet&mint=${made(11)}`, {
      authorization: `Bearer ${key}`,
    });
    assert.equal(keyed.status, 404);
    const many = await open(server, `chain=devnet&mint=${made(101)}`, {
      authorization: `Bearer ${key}`,
    });
    assert.equal(many.status, 400);
    const mints = await findMints(server, 4);
    const opened = [];
    for (let count = 0; count < 4; count += 1) {
      opened.push(await open(server, `chain=devnet&mint=${mints.join(',')}`));
    }
    assert.deepEqual(
      opened.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const fifth = await refuse(server, `chain=devnet&mint=${mints.join(',')}`);
    assert.equal(fifth.code, 'TOO_MANY_STREAMS');
    for (const stream of opened) stream.leave();
  });

  test('that cannot be opened says why, naming the field', async (t) => {
    const server = await startStreamServer(t);
    const [a, b] = await findMints(server, 2);
    const unknown = buildFakeAddress('bbbb', 1);
    for (const [query, status, code, path] of [
      ['chain=devnet', 400, 'INVALID_INPUT', 'mint'],
      [`mint=${a}`, 400, 'INVALID_INPUT', 'chain'],
      [`chain=devnet&mint=${a},atlantis:${b}`, 400, 'UNKNOWN_CHAIN', 'chain'],
      [`chain=devnet&mint=${a},base:${b}`, 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
      [`chain=devnet&mint=${a},0x12`, 400, 'INVALID_ADDRESS', 'mint'],
      [`chain=devnet&mint=${a},${unknown}`, 404, 'TOKEN_NOT_FOUND', null],
      [`chain=devnet&mint=${a},${b}&pool=${unknown}`, 400, 'INVALID_INPUT', 'pool'],
      [`chain=devnet&mint=${a}&pool=${unknown}`, 404, 'POOL_NOT_FOUND', null],
      [`chain=devnet&mint=${a}&currency=eur`, 400, 'INVALID_INPUT', 'currency'],
      [`chain=devnet&mint=${a}&outliers=no`, 400, 'INVALID_INPUT', 'outliers'],
    ] as const) {
      assert.deepEqual(await refuse(server, query), { status, code, path }, query);
    }
    assert.equal(server.streams.slots.total, 0);
  });

  test('costs 1 to open for every started thirty tokens', async (t) => {
    const server = await startStreamServer(t);
    const charged: unknown[] = [];
    const identity = { kind: 'key', key: 'test' } as Identity;
    const chargeAhead = (ahead: { readonly cost: number }) => {
      charged.push(ahead);
      return ahead.cost;
    };
    for (const count of [30, 61]) {
      const input = { chain: 'devnet', mint: made(count) };
      await assert.rejects(openTestStream(server.streams, input, { chargeAhead, identity }), {
        code: 'TOKEN_NOT_FOUND',
      });
    }
    assert.deepEqual(charged, [{ cost: 2, paid: 1 }]);
    assert.equal(server.streams.slots.total, 0);
  });

  test('is reset by an id of other tokens, and ends when one is paused', async (t) => {
    const server = await startStreamServer(t);
    const [a, b, c] = await findMints(server, 3);
    const stream = await open(server, `chain=devnet&mint=${a},${b}&events=trade`);
    const { id } = await stream.until((event) => event.id !== null);
    for (const mint of [`${a},${c}`, `${a}`, `${a},${b},${c}`]) {
      const other = await open(server, `chain=devnet&mint=${mint}`, { 'last-event-id': id! });
      await waitUntil(() => other.events.length > 0);
      assert.deepEqual(
        [other.events[0]?.event, other.events[0]?.data],
        ['reset', { reason: 'unknown' }],
      );
      other.leave();
    }
    const same = await open(server, `chain=devnet&mint=${b},${a}`, { 'last-event-id': id! });
    await server.scene.store.pauses.setPaused({
      ...{ chain: 'devnet', token: FAKE_TOKENS.find((token) => token === b)!, paused: true },
      nowMs: 1,
    });
    for (const one of [stream, same]) {
      assert.equal(await one.ended, 'clean');
      assert.equal(one.events.at(-1)?.event, 'paused');
      assert.equal(one.events.at(-1)?.data.mint.toLowerCase(), b);
      assert.ok(!one.events.some(({ event }) => event === 'reset'));
    }
  });
});

describe('a stream of one token', () => {
  test('has the ids that it has always had, and names the token in every event', async (t) => {
    const server = await startStreamServer(t);
    const stream = await server.open('&events=trade,kline&interval=1s');
    while (!stream.events.some(({ event, id }) => event === 'trade' && id !== null)) {
      server.scene.chain.extend(2);
      await server.scene.settle();
    }
    for (const { data, id } of stream.events) {
      if (data !== null) {
        assert.deepEqual([data.chain, data.mint.toLowerCase()], ['devnet', server.mint]);
      }
      if (id !== null) assert.equal(id.split('.').length, 5);
    }
  });

  for (const view of [
    { currency: 'native', outliers: 'include' },
    { currency: 'native', outliers: 'exclude', isOfPool: true },
    { currency: 'usd', outliers: 'include', isOfPool: true },
  ] as const) {
    test(`has the klines of the read with the same view, ${JSON.stringify(view)}`, async (t) => {
      const server = await startStreamServer(t, { chain: { seed: 9 } });
      const { scene, mint } = server;
      const { json } = await scene.ask('getToken', { chain: 'devnet', mint });
      const trades = await scene.ask('getTrades', { chain: 'devnet', mint, limit: 500 });
      const byPool = Map.groupBy(trades.json.trades as Json[], (trade) => trade.pool as string);
      const [busiest] = [...byPool].sort(([, a], [, b]) => b.length - a.length);
      const pool = 'isOfPool' in view ? busiest![0] : null;
      assert.ok(json.pools.length > 0);
      const { currency, outliers } = view;
      const wanted = { currency, outliers, ...(pool === null ? {} : { pool }) };
      const query = new URLSearchParams({ ...wanted, events: 'trade,kline', interval: '5s' });
      const stream = await server.open(`&${query}`);
      const { data: first } = await stream.until(({ event }) => event === 'snapshot');
      for (let round = 0; round < 40; round += 1) {
        if (round % 10 === 6) scene.chain.reorganise(2, 3);
        else scene.chain.extend(3);
        await scene.settle();
      }
      const read = await scene.ask('getKlines', {
        ...{ chain: 'devnet', mint, interval: '5s', limit: 5000, ...wanted },
      });
      const expected = read.json.klines.filter(({ openTime }: Json) => {
        return openTime > first.asOf.timestamp;
      });
      assert.ok(expected.length > 0);
      await waitUntil(() => {
        const held = new Map<number, Json>();
        for (const { event, data } of stream.events) {
          if (event === 'kline') held.set(data.kline.openTime, data.kline);
          if (event !== 'revert') continue;
          for (const { openTime } of data.klines) held.delete(openTime);
        }
        return expected.every((kline: Json) => isDeepStrictEqual(held.get(kline.openTime), kline));
      });
      const pools = stream.events
        .filter(({ event }) => event === 'trade')
        .map(({ data }) => data.pool);
      if (pool !== null) assert.ok(pools.every((one) => one === pool));
      for (const trade of first.trades) if (pool !== null) assert.equal(trade.pool, pool);
    });
  }
});
