// The port bounds connections from the moment it is open.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { loadConfig } from '../config.ts';
import { openEarlyPort } from './open-early-port.ts';

/** Long for any machine. */
const WAIT_MAX_MS = 30_000;

async function readSome(socket: Socket | undefined): Promise<string> {
  const signal = AbortSignal.timeout(WAIT_MAX_MS);
  const [bytes] = (await once(socket ?? assert.fail(), 'data', { signal })) as [Buffer];
  return bytes.toString('latin1');
}

test('an address may have so many connections as is set, before the service is loaded', async (t) => {
  const config = loadConfig({ PORT: '0', LIMIT_ADDRESS_CONNECTIONS: '2' });
  const { server, port } = await openEarlyPort(config);
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const held = [await open(), await open()];
  assert.match(await readSome(await open()), /^HTTP\/1\.1 503 [\s\S]*"code":"OVERLOADED"/);
  const [first] = held;
  first?.write('GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.match(await readSome(first), /^HTTP\/1\.1 200 /);
});
