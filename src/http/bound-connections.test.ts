// Connections are bounded for each address and in all; the address with the most loses first.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { boundConnections, computeConnectionsMax } from './bound-connections.ts';
import { createBareServer } from './create-bare-server.ts';

interface Limits {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  readonly trustedProxies?: readonly string[];
}

/** Every address of 127.0.0.0/8 is this machine. */
async function openServer(t: TestContext, limits: Limits) {
  const server = createBareServer();
  boundConnections(server, { trustedProxies: [], createRequestId: () => 'r1', ...limits });
  server.on('request', (_request, response) => response.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    return socket;
  };
}

async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

/** What the server answers to a request on the connection; empty if it was closed. */
async function ask(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  if (!socket.destroyed) socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await untilClosed(socket);
  return text;
}

test('an address at its limit is told so, and others are served', async (t) => {
  const open = await openServer(t, { connectionsMax: 100, perAddressMax: 2 });
  const held = [await open('127.0.0.2'), await open('127.0.0.2')];
  const refused = await open('127.0.0.2');
  let text = '';
  refused.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  await untilClosed(refused);
  assert.match(text, /^HTTP\/1\.1 503 /);
  assert.match(text, /retry-after: 1\r\n/);
  assert.match(text, /"code":"OVERLOADED"/);
  assert.match(await ask(await open('127.0.0.3')), /served$/);
  assert.match(await ask(held[0] as Socket), /served$/);
  assert.match(await ask(await open('127.0.0.2')), /served$/);
});

test('when all connections are taken the address with the most loses its oldest', async (t) => {
  const open = await openServer(t, { connectionsMax: 4, perAddressMax: 4 });
  const one = await open('127.0.0.2');
  const many = [await open('127.0.0.3'), await open('127.0.0.3'), await open('127.0.0.3')];
  const last = await open('127.0.0.4');
  await untilClosed(many[0] as Socket);
  assert.match(await ask(last), /served$/);
  assert.match(await ask(one), /served$/);
  assert.match(await ask(many[1] as Socket), /served$/);
});

test('connections of a trusted proxy are bounded in all only', async (t) => {
  const trustedProxies = ['127.0.0.2'];
  const open = await openServer(t, { connectionsMax: 3, perAddressMax: 1, trustedProxies });
  const held = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.3')];
  assert.match(await ask(await open('127.0.0.2')), /served$/);
  await untilClosed(held[2] as Socket);
  assert.match(await ask(held[0] as Socket), /served$/);
});

test('the limit of open files leaves room for other files', () => {
  assert.equal(computeConnectionsMax(40_000, null), 40_000);
  assert.equal(computeConnectionsMax(40_000, 65_536), 40_000);
  assert.equal(computeConnectionsMax(40_000, 20_000), 18_976);
  assert.equal(computeConnectionsMax(40_000, 256), 128);
});
