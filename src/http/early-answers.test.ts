// Requests while the service starts: `/health` is answered, the others are told to come back.

import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { EventSource } from 'eventsource';
import { createBareServer } from './create-bare-server.ts';
import { answerEarly } from './early-answers.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function openEarly(t: TestContext) {
  const server = createBareServer();
  const early = answerEarly(server);
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
  return { server, early, ask };
}

test('the process is alive and not ready while it starts', async (t) => {
  const { ask, early } = await openEarly(t);
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
  early.explain('The store is being upgraded.');
  assert.equal(JSON.parse((await ask('/v1/ready')).text).detail, 'The store is being upgraded.');
  assert.equal((await ask('/v1/health')).status, 200);
});

test('other requests are told to come back, and answered once the service is there', async (t) => {
  const { server, early, ask } = await openEarly(t);
  for (const waiting of [ask('/v1/chains'), ask('/v1/health', 'POST'), ask('/')]) {
    const { status, headers, text } = await waiting;
    assert.deepEqual([status, JSON.parse(text).code], [503, 'NOT_READY']);
    assert.ok(Number(headers['retry-after']) > 0);
  }
  server.on('request', (request, response) => {
    response.end(`${request.method} ${request.url}`);
  });
  early.close();
  assert.equal((await ask('/v1/chains')).text, 'GET /v1/chains');
  assert.equal((await ask('/v1/health')).text, 'GET /v1/health');
});

test('a reader of a stream comes back by itself', async (t) => {
  const { server, early } = await openEarly(t);
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
  early.close();
  const { data } = await new Promise<MessageEvent>((resolve) => {
    source.addEventListener('message', resolve, { once: true });
  });
  assert.equal(data, 'here');
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
  const { server } = await openEarly(t);
  const smuggled = 'GET /v1/health HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n';
  const chunked = `${smuggled}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
  const answers = await sendRaw(server, `${chunked}GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.match(answers, /^HTTP\/1\.1 400 /);
  assert.equal(answers.split('HTTP/1.1 ').length - 1, 1, 'what came behind is not answered');
});
