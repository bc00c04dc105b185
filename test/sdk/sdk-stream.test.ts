// Lists and streams of the SDK on a real server: through cuts and reorganisations its fold equals
// what the API returns.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createClient,
  eachKline,
  eachPage,
  eachRow,
  followTokens,
  isProblem,
  type LiveToken,
  type MintwireClient,
  type Trade,
} from '../../sdk/src/client.ts';
import { createRandom } from '../fakes/create-random.ts';
import { type StreamServer, startStreamServer } from '../stream/stream-server.ts';
import { address } from '../test-ids.ts';
import { startScriptedServer } from './scripted-server.ts';

const INTERVAL = '5s';
const WAIT_MAX_MS = 60_000;

async function until(fits: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await fits())) {
    assert.ok(Date.now() < deadlineMs, 'it did not come to that');
    await sleep(10);
  }
}

const connect = ({ server }: StreamServer) =>
  createClient({ baseUrl: `${server.origin}/v1`, timeoutMs: WAIT_MAX_MS });

/** A network that breaks streams after some bytes, and whose server asks for short waits. */
function createBrokenFetch(random: () => number, cuts: { count: number }): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!String(url).includes('/token/stream') || response.body === null) return response;
    // Without a snapshot there is nothing to resume.
    let hasSnapshot = 'last-event-id' in Object(init?.headers);
    let left = 200 + Math.floor(random() * 3000);
    const decoder = new TextDecoder();
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        const text = decoder.decode(piece, { stream: true }).replace(/^retry: \d+/, 'retry: 1');
        const kept = hasSnapshot ? text.slice(0, Math.max(0, left)) : text;
        controller.enqueue(new TextEncoder().encode(kept));
        if (hasSnapshot) left -= text.length;
        else hasSnapshot = text.endsWith('\n\n') && !text.startsWith('retry');
        if (left > 0) return;
        cuts.count += 1;
        controller.error(new Error('the network broke'));
      },
    });
    return new Response(response.body.pipeThrough(breaking), response);
  };
}

const dropChanging = (trades: readonly Trade[]) =>
  trades.map(({ finality: _finality, ...trade }) => trade);

/** The rounds of a chain: blocks, and now and then a reorganisation. */
async function runChain({ scene }: StreamServer, random: () => number): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    if (round % 4 === 3) {
      const depth = 1 + Math.floor(random() * 4);
      scene.chain.reorganise(depth, depth + 1);
    } else scene.chain.extend(1);
    await scene.settle();
    await sleep(5);
  }
}

async function equalsReads(client: MintwireClient, token: LiveToken): Promise<boolean> {
  const { chain, mint } = token;
  const rows: Trade[] = [];
  for await (const row of eachRow(client, 'getTrades', { chain, mint, limit: 50 })) rows.push(row);
  const { klines } = await client.getKlines({ chain, mint, interval: INTERVAL, limit: 1000 });
  const [a, b] = [dropChanging(token.trades), dropChanging(rows.slice(0, token.trades.length))];
  return (
    JSON.stringify(a) === JSON.stringify(b) &&
    JSON.stringify(token.klines) === JSON.stringify(klines)
  );
}

describe('following', () => {
  test('through cuts and reorganisations trades and candles equal the reads', async (t) => {
    const server = await startStreamServer(t);
    const random = createRandom(7);
    const cuts = { count: 0 };
    const client = createClient({
      ...{ baseUrl: `${server.server.origin}/v1`, timeoutMs: WAIT_MAX_MS },
      fetch: createBrokenFetch(random, cuts),
    });
    const abort = new AbortController();
    t.after(() => abort.abort());
    let live: LiveToken | null = null;
    let reverts = 0;
    const following = (async () => {
      const input = { chain: 'devnet', mint: [server.mint], interval: INTERVAL } as const;
      const how = { signal: abort.signal, klineHistory: 1000 };
      let tradeCount = 0;
      for await (const token of followTokens(client, input, how)) {
        live = token;
        if (token.trades.length < tradeCount) reverts += 1;
        tradeCount = token.trades.length;
      }
    })();
    following.catch(() => undefined);
    await until(() => live !== null);
    await runChain(server, random);
    await until(() => live !== null && equalsReads(connect(server), live));
    assert.ok(cuts.count > 3, `${cuts.count} cuts`);
    assert.ok(reverts > 0, 'no trade was reverted');
    const reason = new Error('enough');
    abort.abort(reason);
    await assert.rejects(following, reason);
    await until(() => server.streams.slots.total === 0);
  });

  test('a fold begins with a snapshot: it cannot be asked to resume', () => {
    // @ts-expect-error the type has no such option
    const refused: Parameters<typeof followTokens>[2] = { lastEventId: '1' };
    assert.ok(refused);
  });

  test('a loop that is left ends its connection', async (t) => {
    const server = await startStreamServer(t);
    for await (const { event, id } of connect(server).getTokenStream({
      ...{ chain: 'devnet', mint: [server.mint] },
    })) {
      assert.equal(event, 'snapshot');
      assert.ok(id !== null);
      break;
    }
    await until(() => server.streams.slots.total === 0);
  });

  test('an id resumes after its event; a paused token ends the stream', async (t) => {
    const server = await startStreamServer(t);
    const client = connect(server);
    const input = { chain: 'devnet', mint: [server.mint], events: ['trade'] } as const;
    let lastEventId: string | null = null;
    for await (const { event, id } of client.getTokenStream(input)) {
      assert.equal(event, 'snapshot');
      lastEventId = id;
      break;
    }
    const before = await client.getTrades({ chain: 'devnet', mint: server.mint });
    const known = new Set(before.trades.map(({ id }) => id));
    const news = async () =>
      (await client.getTrades({ chain: 'devnet', mint: server.mint })).trades.filter(
        ({ id }) => !known.has(id),
      );
    while ((await news()).length < 3) {
      server.scene.chain.extend(1);
      await server.scene.settle();
    }
    const missed = (await news()).map(({ id }) => id).reverse();
    const seen: string[] = [];
    const names = new Set<string>();
    for await (const one of client.getTokenStream(input, { lastEventId })) {
      names.add(one.event);
      if (one.event === 'trade') seen.push(one.data.id);
      if (seen.length !== missed.length) continue;
      const token = address(server.mint);
      const change = { chain: 'devnet', token, paused: true, nowMs: Date.now() } as const;
      await server.scene.store.pauses.setPaused(change);
    }
    assert.deepEqual(seen, missed);
    assert.deepEqual([...names], ['trade', 'paused']);
  });

  test('an error that does not pass is thrown; one that passes is waited for', async (t) => {
    const server = await startStreamServer(t);
    const unknown = connect(server).getTokenStream({
      ...{ chain: 'devnet', mint: [`0x${'9'.repeat(40)}`] },
    });
    await assert.rejects(unknown.next(), (error) => isProblem(error, 'TOKEN_NOT_FOUND'));
    const states: string[] = [];
    const busy = await startScriptedServer(t, [
      (response) => response.writeHead(429, { 'retry-after': '1' }).end('{"code":"RATE_LIMITED"}'),
      (response) => response.write('event: price\ndata: {"mint":"0xA"}\n\n'),
    ]);
    const stream = createClient(busy).getTokenStream(
      { mint: ['base:0xA'] },
      { onState: ({ kind }) => states.push(kind) },
    );
    assert.deepEqual((await stream.next()).value?.data, { mint: '0xA' });
    await stream.return();
    assert.deepEqual(states, ['connecting', 'waiting', 'connecting', 'live']);
    const [first, second] = busy.requests;
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 998);
  });

  test('an id is told once its event was handled, and not if it was not', async (t) => {
    const { baseUrl } = await startScriptedServer(t, [
      (response) => {
        for (const id of ['a1', 'a2', 'a3']) {
          response.write(`event: price\nid: ${id}\ndata: {"block":"${id}"}\n\n`);
        }
      },
    ]);
    const order: string[] = [];
    const input = { mint: ['base:0xA'] };
    const onId = (id: string) => order.push(`id ${id}`);
    const fault = new Error('not handled');
    const follow = async () => {
      for await (const { id } of createClient({ baseUrl }).getTokenStream(input, { onId })) {
        if (id === 'a3') throw fault;
        // As one that stores what it got.
        await sleep(1);
        order.push(`handled ${id}`);
      }
    };
    await assert.rejects(follow(), fault);
    assert.deepEqual(order, ['handled a1', 'id a1', 'handled a2', 'id a2']);
  });

  test('a silent connection counts as lost', async (t) => {
    const silent = await startScriptedServer(t, [
      (response) => response.write('retry: 1\nid: a1\n\n'),
      (response) => response.write('event: price\ndata: {}\n\n'),
    ]);
    const stream = createClient(silent).getTokenStream(
      { mint: ['base:0xA'] },
      { silenceMaxMs: 50 },
    );
    assert.equal((await stream.next()).value?.event, 'price');
    await stream.return();
    assert.equal(silent.requests[1]?.headers['last-event-id'], 'a1');
  });
});

describe('lists', () => {
  test('rows and pages are those of the API, in order, each once', async (t) => {
    const server = await startStreamServer(t);
    const client = connect(server);
    const input = { chain: 'devnet', mint: server.mint };
    const whole = await client.getTrades({ ...input, limit: 100 });
    assert.ok(whole.nextCursor === null && whole.trades.length > 4);
    const rows: Trade[] = [];
    for await (const row of eachRow(client, 'getTrades', { ...input, limit: 3 })) rows.push(row);
    assert.deepEqual(rows, whole.trades);
    let pages = 0;
    for await (const page of eachPage(client, 'getTrades', { ...input, limit: 3 })) {
      pages += 1;
      assert.ok(page.trades.length <= 3);
    }
    assert.equal(pages, Math.ceil(rows.length / 3));
  });

  test('candles are read from a time to a time over any number of requests', async (t) => {
    const server = await startStreamServer(t);
    const client = connect(server);
    const input = { chain: 'devnet', mint: server.mint, interval: '1s' } as const;
    const read = async () => (await client.getKlines({ ...input, limit: 1000 })).klines;
    while ((await read()).length < 9) {
      server.scene.chain.extend(1);
      await server.scene.settle();
    }
    const klines = await read();
    const [first, , , middle] = klines;
    assert.ok(first !== undefined && middle !== undefined);
    const times = async (range: { startTime: number; endTime?: number }) => {
      const found: number[] = [];
      for await (const { openTime } of eachKline(client, { ...input, ...range, limit: 4 })) {
        found.push(openTime);
      }
      return found;
    };
    const all = klines.map(({ openTime }) => openTime);
    assert.deepEqual(await times({ startTime: first.openTime }), all);
    assert.deepEqual(
      await times({ startTime: first.openTime, endTime: middle.openTime }),
      all.slice(0, 4),
    );
    assert.deepEqual(await times({ startTime: (all.at(-1) ?? 0) + 1000 }), []);
  });
});
