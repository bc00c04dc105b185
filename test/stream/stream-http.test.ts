// A stream over HTTP: how it begins, its errors, and how it ends.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHttpStream } from '../open-http-stream.ts';
import { address } from '../test-ids.ts';
import { createEvmWallet } from '../wallets.ts';
import { type StreamServer, startStreamServer } from './stream-server.ts';

async function until(fits: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!fits()) {
    if (Date.now() > deadline) throw new Error('it did not come to that');
    await sleep(10);
  }
}

async function fetchProblem(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers });
  const { code } = (await response.json()) as { code: string };
  return { status: response.status, code, headers: response.headers };
}

function pause(server: StreamServer, paused: boolean): Promise<boolean> {
  const token = address(server.mint);
  const change = { chain: 'devnet', token, paused, nowMs: Date.now() } as const;
  return server.scene.store.pauses.setPaused(change);
}

describe('beginning', () => {
  test('the head names the event stream and forbids buffering', async (t) => {
    const server = await startStreamServer(t);
    const stream = await server.open('', { headers: { origin: 'https://a.example' } });
    assert.equal(stream.status, 200);
    const { headers } = stream;
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers['etag'], undefined);
    const { data, id } = await stream.until(({ event }) => event === 'snapshot');
    assert.match(stream.text(), /^retry: \d{4}\n\nevent: snapshot\nid: /);
    assert.ok(id !== null && id.length < 60);
    const { json } = await server.scene.ask('getToken', { chain: 'devnet', mint: server.mint });
    for (const [name, value] of Object.entries(data.token)) assert.deepEqual(value, json[name]);
    const trades = await server.scene.ask('getTrades', {
      ...{ chain: 'devnet', mint: server.mint, limit: 50 },
    });
    assert.deepEqual(data.trades, trades.json.trades);
    stream.leave();
  });

  test('a stream that cannot begin is rejected before it begins, in the order of the contract', async (t) => {
    const server = await startStreamServer(t);
    const origin = `${server.server.origin}/v1/token/stream`;
    const cases: [string, number, string][] = [
      ['', 400, 'INVALID_INPUT'],
      [`?chain=nowhere&mint=${server.mint}`, 400, 'UNKNOWN_CHAIN'],
      [`?chain=base&mint=${server.mint}`, 400, 'CHAIN_NOT_FOLLOWED'],
      ['?chain=devnet&mint=0x12', 400, 'INVALID_ADDRESS'],
      [`?chain=devnet&mint=${server.mint}&events=trade,tick`, 400, 'INVALID_INPUT'],
      [`?chain=devnet&mint=${server.mint}&events=`, 400, 'INVALID_INPUT'],
      [`?chain=devnet&mint=${server.mint}&interval=2m`, 400, 'INVALID_INPUT'],
      [`?chain=devnet&mint=${server.mint}&since=1`, 400, 'INVALID_INPUT'],
      [`?chain=devnet&mint=0x${'9'.repeat(40)}`, 404, 'TOKEN_NOT_FOUND'],
      [`?chain=devnet&mint=0x${'9'.repeat(40)}&lastEventId=x`, 404, 'TOKEN_NOT_FOUND'],
    ];
    for (const [query, status, code] of cases) {
      const problem = await fetchProblem(origin + query);
      assert.deepEqual([problem.status, problem.code], [status, code], query);
    }
    const bad = await fetchProblem(server.buildUrl(), { authorization: 'Bearer mw_live_nonsense' });
    assert.deepEqual([bad.status, bad.code], [401, 'INVALID_API_KEY']);
    assert.equal(server.streams.slots.total, 0);
    assert.equal(server.streams.hub.channelCount, 0);
  });

  test('HEAD sends the head and opens nothing; HTTP/1.0 gets no chunks', async (t) => {
    const server = await startStreamServer(t);
    const head = await fetch(server.buildUrl(), { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.match(head.headers.get('content-type') ?? '', /event-stream/);
    assert.equal(server.streams.slots.total, 0);
    const path = new URL(server.buildUrl());
    const socket = connect(server.server.port, '127.0.0.1');
    socket.write(`GET ${path.pathname}${path.search} HTTP/1.0\r\n\r\n`);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    await until(() => text.includes('event: snapshot'));
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    assert.match(body, /^retry: \d+\n\nevent: snapshot\n/);
    socket.destroy();
    await until(() => server.streams.slots.total === 0);
  });

  test('an id of another stream is answered with reset, never an error', async (t) => {
    const server = await startStreamServer(t);
    const first = await server.open();
    const { id } = await first.until(({ event }) => event === 'snapshot');
    first.leave();
    const damaged = `${id!.slice(0, -1)}0`;
    const texts = ['x', '1.2.3.4.5', damaged, '%00', '☃', 'a'.repeat(3000), `${id} `];
    const encoded = [
      ...texts.map((text) => encodeURIComponent(text)),
      ...['%00', `${id}%00`, '%', '%zz', '%ff%fe', '%ed%a0%80', `${id}&lastEventId=${id}`],
      'a'.repeat(11_000),
    ];
    // In a header they arrive as bytes, and those above 127 are not UTF-8.
    const fields = ['x', damaged, '\xff\xfe', '\x80', 'a\tb', 'a'.repeat(12_000)];
    const ways = [
      ...encoded.map((text) => ({ query: `&lastEventId=${text}`, headers: {} })),
      ...fields.map((text) => ({ query: '', headers: { 'last-event-id': text } })),
    ];
    for (const { query, headers } of ways) {
      const stream = await server.open(query, { headers });
      assert.equal(stream.status, 200, JSON.stringify([query, headers]).slice(0, 100));
      await stream.until(({ event }) => event === 'snapshot');
      const [reset, snapshot] = stream.events;
      assert.deepEqual([reset?.event, reset?.data], ['reset', { reason: 'unknown' }]);
      assert.equal(snapshot?.event, 'snapshot');
      stream.leave();
    }
  });
});

describe('limits', () => {
  test('the fifth stream without credentials is 429 until one of the four ends', async (t) => {
    const server = await startStreamServer(t);
    const streams = await Promise.all([1, 2, 3, 4].map(() => server.open()));
    const problem = await fetchProblem(server.buildUrl());
    assert.deepEqual([problem.status, problem.code], [429, 'TOO_MANY_STREAMS']);
    assert.match(problem.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    streams[0]!.leave();
    await until(() => server.streams.slots.total === 3);
    const again = await server.open();
    assert.equal(again.status, 200);
    for (const stream of [...streams, again]) stream.leave();
    await until(() => server.streams.slots.total === 0);
  });

  test('a wallet has fifty by keys and sessions together, whatever its address has open', async (t) => {
    const server = await startStreamServer(t);
    const { token } = await server.signIn(createEvmWallet());
    const { key } = await server.issueKey(token);
    const anonymous = await Promise.all([1, 2, 3, 4].map(() => server.open()));
    const headers = { authorization: `Bearer ${key}` };
    const streams = await Promise.all(
      Array.from({ length: 50 }, () => server.open('&events=trade', { headers })),
    );
    assert.ok(streams.every(({ status }) => status === 200));
    // The wallet's other keys and sessions share the count.
    const other = await server.issueKey(token);
    for (const bearer of [key, other.key, token]) {
      const problem = await fetchProblem(server.buildUrl(), { authorization: `Bearer ${bearer}` });
      assert.deepEqual([problem.status, problem.code], [429, 'TOO_MANY_STREAMS']);
    }
    for (const stream of [...anonymous, ...streams]) stream.leave();
    await until(() => server.streams.slots.total === 0);
  });

  test('open streams do not count as requests in work', async (t) => {
    const overload = { requestsMax: 2, lagMaxMs: 60_000 };
    const server = await startStreamServer(t, { http: { overload } });
    const streams = await Promise.all([1, 2, 3, 4].map(() => server.open()));
    assert.ok(streams.every(({ status }) => status === 200));
    assert.equal((await fetch(`${server.server.origin}/v1/entitlements`)).status, 200);
    for (const stream of streams) stream.leave();
  });

  test('the number of streams per process is limited', async (t) => {
    const slots = { limitOf: () => 100, totalMax: 2 };
    const server = await startStreamServer(t, { streams: { slots } });
    const streams = [await server.open(), await server.open()];
    const problem = await fetchProblem(server.buildUrl());
    assert.deepEqual([problem.status, problem.code], [503, 'OVERLOADED']);
    for (const stream of streams) stream.leave();
  });
});

describe('ending', () => {
  test('a reader that disconnects leaves nothing behind', async (t) => {
    const server = await startStreamServer(t);
    const { hub, slots } = server.streams;
    for (let round = 0; round < 5; round += 1) {
      const streams = await Promise.all(
        ['', '&events=trade', '&events=kline&interval=5s'].map((query) => server.open(query)),
      );
      for (const stream of streams) await stream.until(({ event }) => event === 'snapshot');
      assert.equal(hub.clientCount, 3);
      assert.equal(hub.channelCount, 1);
      for (const stream of streams) stream.leave();
      await until(() => slots.total === 0 && hub.clientCount === 0 && hub.channelCount === 0);
    }
    assert.equal(server.access.watch.size, 0);
  });

  test('requests after a stream on the same connection are not begun', async (t) => {
    const server = await startStreamServer(t);
    const { hub, slots } = server.streams;
    const { pathname, search } = new URL(server.buildUrl());
    const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
    const socket = connect(server.server.port, '127.0.0.1');
    socket.resume().write(request.repeat(3));
    await until(() => hub.clientCount > 0);
    const other = await server.open();
    await other.until(({ event }) => event === 'snapshot');
    assert.deepEqual([hub.clientCount, slots.total], [2, 2]);
    other.leave();
    socket.destroy();
    await until(() => slots.total === 0 && hub.clientCount === 0);
    // A client that disconnects before the response leaves nothing behind, either.
    const hasty = connect(server.server.port, '127.0.0.1');
    hasty.on('error', () => undefined).write(request.repeat(3), () => hasty.resetAndDestroy());
    await once(hasty, 'close');
    assert.equal((await server.open()).status, 200);
    await until(() => slots.total === 1 && hub.clientCount === 1);
  });

  test('a pause is announced, ends the stream, and then rejects it', async (t) => {
    const server = await startStreamServer(t);
    const stream = await server.open();
    await stream.until(({ event }) => event === 'snapshot');
    await pause(server, true);
    const { data } = await stream.until(({ event }) => event === 'paused');
    assert.equal(data.mint.toLowerCase(), server.mint);
    assert.equal(await stream.ended, 'clean');
    const problem = await fetchProblem(server.buildUrl());
    assert.deepEqual([problem.status, problem.code], [404, 'TOKEN_PAUSED']);
    await pause(server, false);
    await until(() => !server.scene.market.pauses.isPaused('devnet', address(server.mint)));
    assert.equal((await server.open()).status, 200);
  });

  test('a server that stops ends every stream cleanly and begins none', async (t) => {
    const server = await startStreamServer(t);
    const streams = await Promise.all([server.open(), server.open('&events=price')]);
    server.streams.stop();
    for (const stream of streams) assert.equal(await stream.ended, 'clean');
    const problem = await fetchProblem(server.buildUrl());
    assert.deepEqual([problem.status, problem.code], [503, 'NOT_READY']);
    assert.equal(server.streams.slots.total, 0);
  });

  test('the Last-Event-ID header wins over the query, as browsers need it', async (t) => {
    const server = await startStreamServer(t);
    const first = await server.open();
    const { id } = await first.until(({ event }) => event === 'snapshot');
    first.leave();
    const headers = { 'last-event-id': id! };
    const stream = await openHttpStream(server.buildUrl('&lastEventId=old'), { headers });
    await stream.until(({ event }) => event === 'price' || event === 'kline');
    assert.ok(!stream.events.some(({ event }) => event === 'reset' || event === 'snapshot'));
    stream.leave();
  });
});
