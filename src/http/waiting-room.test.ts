// Requests while the service starts: `/health` is answered, the others wait for their answers.

import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { createBareServer } from './create-bare-server.ts';
import { WaitingRoom } from './waiting-room.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function openRoom(t: TestContext, limits?: ConstructorParameters<typeof WaitingRoom>[1]) {
  const server = createBareServer();
  const room = new WaitingRoom(server, limits);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const url = `http://127.0.0.1:${port}${path}`;
      const sent = get(url, { agent: false, method }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        const { statusCode: status = 0, headers } = response;
        response.on('end', () => resolve({ status, headers, text }));
      });
      sent.on('error', reject);
    });
  return { server, room, ask };
}

test('the process is alive and not ready while it starts', async (t) => {
  const { ask, room } = await openRoom(t);
  const health = await ask('/v1/health');
  assert.deepEqual([health.status, JSON.parse(health.text)], [200, { status: 'ok' }]);
  assert.equal(health.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(health.headers['cache-control'], 'no-store');
  const head = await ask('/v1/health', 'HEAD');
  assert.deepEqual([head.status, head.text], [200, '']);
  const ready = await ask('/v1/ready');
  const { code, detail, requestId } = JSON.parse(ready.text);
  assert.deepEqual([ready.status, code], [503, 'NOT_READY']);
  assert.equal(detail, 'The server is starting.');
  assert.equal(requestId, ready.headers['x-request-id']);
  assert.ok(Number(ready.headers['retry-after']) > 0);
  room.explain('The store is being upgraded.');
  assert.equal(JSON.parse((await ask('/v1/ready')).text).detail, 'The store is being upgraded.');
  assert.equal((await ask('/v1/health')).status, 200);
});

test('other requests wait until the service answers them', async (t) => {
  const { server, room, ask } = await openRoom(t);
  let isOpen = false;
  const waiting = [ask('/v1/chains'), ask('/v1/health', 'POST'), ask('/')];
  // The connections are made in order, so these requests have arrived, too.
  await ask('/v1/health');
  server.on('request', (request, response) => {
    assert.ok(isOpen);
    response.end(`${request.method} ${request.url}`);
  });
  isOpen = true;
  room.close();
  const texts = (await Promise.all(waiting)).map(({ text }) => text);
  assert.deepEqual(texts, ['GET /v1/chains', 'POST /v1/health', 'GET /']);
  assert.equal((await ask('/v1/health')).text, 'GET /v1/health', 'no longer by the room');
});

test('a request that waits for too long is told to come back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { server, room, ask } = await openRoom(t);
  const arrived = new Promise((resolve) => server.once('request', resolve));
  const waiting = ask('/v1/chains');
  await arrived;
  t.mock.timers.tick(5000);
  const { status, text } = await waiting;
  assert.deepEqual([status, JSON.parse(text).code], [503, 'NOT_READY']);
  let count = 0;
  server.on('request', () => {
    count += 1;
  });
  room.close();
  assert.equal(count, 0, 'it is not answered twice');
});

test('a reader of a stream that waits for too long comes back by itself', async (t) => {
  const { server, room } = await openRoom(t, { waitMaxMs: 1 });
  const { port } = server.address() as AddressInfo;
  const source = new EventSource(`http://127.0.0.1:${port}/v1/token/stream`);
  t.after(() => source.close());
  await new Promise((resolve, reject) => {
    source.addEventListener('open', resolve, { once: true });
    source.addEventListener('error', ({ code }) => code && reject(new Error(`status ${code}`)));
  });
  server.on('request', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: here\n\n');
  });
  room.close();
  const { data } = await new Promise<MessageEvent>((resolve) => {
    source.addEventListener('message', resolve, { once: true });
  });
  assert.equal(data, 'here');
});

test('too many that wait are turned away at once', async (t) => {
  const { server, room, ask } = await openRoom(t, { requestsMax: 2, waitMaxMs: 60_000 });
  let arrived = 0;
  server.on('request', () => {
    arrived += 1;
  });
  const waiting = [ask('/1'), ask('/2')];
  while (arrived < 2) await setImmediate();
  assert.equal((await ask('/3')).status, 503);
  server.on('request', (_request, response) => response.end());
  room.close();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200]);
});

/** Sends bytes on one connection; resolves with all that came when the server ends it. */
function sendRaw(server: Server, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    let answers = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answers += chunk;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(answers)).on('error', reject);
  });
}

test('a head that others may read in another way ends its connection', async (t) => {
  const { server } = await openRoom(t);
  const smuggled = 'GET /v1/health HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n';
  const chunked = `${smuggled}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
  const answers = await sendRaw(server, `${chunked}GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.match(answers, /^HTTP\/1\.1 400 /);
  assert.equal(answers.split('HTTP/1.1 ').length - 1, 1, 'what came behind is not answered');
});

test('one connection cannot take all the room', async (t) => {
  const limits = { requestsMax: 100, perConnectionMax: 2, waitMaxMs: 60_000 };
  const { server, room, ask } = await openRoom(t, limits);
  let arrived = 0;
  server.on('request', () => {
    arrived += 1;
  });
  const many = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5);
  const last = 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const raw = sendRaw(server, `${many}${last}`);
  while (arrived < 6) await setImmediate();
  const waiting = ask('/y');
  while (arrived < 7) await setImmediate();
  server.on('request', (_request, response) => response.end());
  room.close();
  assert.equal((await waiting).status, 200);
  const statuses = [...(await raw).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ['200', '200', '503', '503', '503', '503']);
});

test('those that wait are told to come back if the service does not start', async (t) => {
  const { server, room, ask } = await openRoom(t);
  const arrived = new Promise((resolve) => server.once('request', resolve));
  const waiting = ask('/v1/chains');
  await arrived;
  room.refuse();
  const { status, headers } = await waiting;
  assert.deepEqual([status, headers.connection], [503, 'close']);
});
