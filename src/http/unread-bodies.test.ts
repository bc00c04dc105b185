// Bodies that do not arrive, and answers that nobody reads, are no reason to refuse others.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import Type from 'typebox';
import { startTestServer, type TestServer } from '../../test/start-http-server.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { defineOperation } from '../contract/operation.ts';
import { emptyInput } from '../contract/schemas/empty-input.ts';
import { DEFAULT_TIMEOUTS } from './create-bare-server.ts';

const OVERLOAD = { requestsMax: 20, lagMaxMs: 60_000 };
/** Tests name the address that a request comes from. */
const trustedProxies = ['127.0.0.1'];
const BODY = '{"name":"a"}';

function buildHead(address: string, length = BODY.length): string {
  return (
    'POST /v1/thing/make HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
    `x-forwarded-for: ${address}\r\ncontent-length: ${length}\r\n\r\n`
  );
}

interface Held {
  readonly socket: Socket;
  text: string;
}

/** Sends all of a request but the end of its body. */
async function openBody(t: TestContext, app: TestServer, address: string): Promise<Held> {
  const socket = connect(app.port, '127.0.0.1');
  const held = { socket, text: '' };
  t.after(() => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    held.text += bytes.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(`${buildHead(address)}{`);
  return held;
}

const count = (held: readonly Held[], status: string) =>
  held.filter(({ text }) => text.startsWith(`HTTP/1.1 ${status} `)).length;

test('unread bodies of one address are bounded, and others are answered', async (t) => {
  const app = await startTestServer(t, { overload: OVERLOAD, trustedProxies });
  const held = await Promise.all(Array.from({ length: 60 }, () => openBody(t, app, '192.0.2.1')));
  // A tenth of 20 may be on their way.
  await waitUntil(() => count(held, '503') === 58);
  assert.equal((await app.get('/v1/thing')).status, 200);
  const posted = await app.raw(
    `${buildHead('192.0.2.2')}${BODY}`.replace('host: x', 'host: x\r\nconnection: close'),
  );
  assert.match(posted, /^HTTP\/1\.1 200 /);
  // Those that were not refused can still end.
  for (const { socket, text } of held) if (text === '') socket.write(BODY.slice(1));
  await waitUntil(() => count(held, '200') === 2);
});

test('unread bodies of many addresses make nobody else wait or fail', async (t) => {
  const app = await startTestServer(t, { overload: OVERLOAD, trustedProxies });
  const held: Held[] = [];
  for (let index = 0; index < 25; index += 1) {
    held.push(await openBody(t, app, `192.0.2.${index}`));
    assert.equal((await app.get('/v1/thing')).status, 200);
  }
  // The oldest of those with the most went.
  await waitUntil(() => count(held, '503') === 5);
  assert.equal(count(held.slice(0, 5), '503'), 5);
});

test('when all may not wait the address with the most loses its oldest body, and nobody else', async (t) => {
  const app = await startTestServer(t, { overload: OVERLOAD, trustedProxies });
  const others: Held[] = [await openBody(t, app, '192.0.2.1')];
  const most = [await openBody(t, app, '192.0.2.2'), await openBody(t, app, '192.0.2.2')];
  for (let index = 3; index <= 20; index += 1) {
    others.push(await openBody(t, app, `192.0.2.${index}`));
    assert.equal((await app.get('/v1/thing')).status, 200);
  }
  await waitUntil(() => count(most, '503') === 1);
  assert.equal(count(most.slice(0, 1), '503'), 1);
  for (const { socket } of [...others, ...most.slice(1)]) socket.write(BODY.slice(1));
  await waitUntil(() => count(others, '200') === others.length && count(most, '200') === 1);
});

test('requests whose bodies arrive all at once are refused above the limit', async (t) => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const app = await startTestServer(t, {
    overload: { requestsMax: 3, lagMaxMs: 60_000 },
    trustedProxies,
    handlers: {
      getThing: () => ({ ok: true }),
      postThing: async () => {
        await isOver;
        return { name: 'a' };
      },
    },
  });
  const held: Held[] = [];
  for (const index of [1, 2, 3]) {
    const one = await openBody(t, app, `192.0.2.${index}`);
    one.socket.write(BODY.slice(1));
    held.push(one);
  }
  const late = await openBody(t, app, '192.0.2.4');
  await waitUntil(async () =>
    /^mintwire_http_requests_in_flight 3$/m.test(await app.metrics.render()),
  );
  late.socket.write(BODY.slice(1));
  await waitUntil(() => late.text.startsWith('HTTP/1.1 503 '));
  end();
  await waitUntil(() => count(held, '200') === 3);
  assert.match(await app.metrics.render(), /^mintwire_http_requests_in_flight 0$/m);
});

test('a body below the minimum rate is cut off, one above it is read', async (t) => {
  const timeouts = { ...DEFAULT_TIMEOUTS, bodyMs: 100 };
  const app = await startTestServer(t, { timeouts, trustedProxies });
  const slow = await openBody(t, app, '192.0.2.1');
  const padded = BODY + ' '.repeat(30_000);
  const socket = connect(app.port, '127.0.0.1');
  t.after(() => socket.destroy());
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  socket.write(`${buildHead('192.0.2.2', padded.length)}${padded.slice(0, 29_000)}`);
  await waitUntil(() => slow.text !== '');
  assert.match(slow.text, /^HTTP\/1\.1 408 /);
  assert.match(slow.text, /connection: close/i);
  assert.equal(text, '');
  socket.write(padded.slice(29_000));
  await waitUntil(() => text !== '');
  assert.match(text, /^HTTP\/1\.1 200 /);
});

/** Larger than what the system keeps of an answer that is not read. */
const ANSWER = 'x'.repeat(16 * 1024 * 1024);

const getLong = defineOperation({
  id: 'getLong',
  method: 'GET',
  path: '/long',
  tag: 'Market',
  summary: 'Test',
  description: 'Test.',
  cost: 'read',
  cacheControl: 'no-store',
  input: emptyInput,
  output: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  example: { input: {}, answer: {} },
});

test('answers that nobody reads are no work', async (t) => {
  const app = await startTestServer(t, {
    overload: { requestsMax: 3, lagMaxMs: 60_000 },
    operations: [getLong],
    handlers: { getLong: () => ({ text: ANSWER }) },
  });
  const sockets = Array.from({ length: 5 }, () => connect(app.port, '127.0.0.1'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    socket.pause();
    socket.write('GET /v1/long HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'readable');
  }
  const response = await app.get('/v1/long', { method: 'HEAD' });
  assert.equal(response.status, 200);
});
