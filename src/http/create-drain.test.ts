// A stop waits for requests in progress, and not for connections that nobody uses.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createDrain } from './create-bare-server.ts';

/** Longer than any test waits: only the drain itself can close a connection. */
const LONG_MS = 3_600_000;

async function startDrained(t: TestContext) {
  const responses: ServerResponse[] = [];
  const times = { keepAliveTimeout: LONG_MS, headersTimeout: LONG_MS, requestTimeout: LONG_MS };
  const server = createServer(times, (_request, response) => {
    response.writeHead(200);
    response.write('a');
    responses.push(response);
  });
  const drain = createDrain(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { server, drain, port, responses };
}

test('a connection on which nothing was sent does not hold a stop', {
  timeout: 60_000,
}, async (t) => {
  const { server, drain, port } = await startDrained(t);
  const spare = connect(port, '127.0.0.1');
  const closed = once(spare, 'close');
  await once(server, 'connection');
  await drain();
  await closed;
});

test('nor does one that is kept after its stream has ended', { timeout: 60_000 }, async (t) => {
  const { drain, port, responses } = await startDrained(t);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const [response] = await once(get({ port, host: '127.0.0.1', agent }), 'response');
  response.resume();
  const drained = drain();
  responses[0]?.end();
  await drained;
  assert.ok(response.complete);
});

test('a request in progress is answered first', { timeout: 60_000 }, async (t) => {
  const { server, drain, port, responses } = await startDrained(t);
  const socket = connect(port, '127.0.0.1');
  await once(server, 'connection');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const closed = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const drained = drain();
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.write('\r\n');
  await once(server, 'request');
  responses[0]?.end('b');
  await drained;
  await closed;
  assert.match(text, /^HTTP\/1\.1 200 .*\r\n\r\n.*a.*b/s);
});
