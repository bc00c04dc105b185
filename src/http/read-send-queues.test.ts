// Pins how the system's table of connections is parsed, and that ours are found in it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatConnection, parseSendQueues, readSendQueues } from './send-queue-watch.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:93F1 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 251959 1 0000000090e74de7 100 0 0 10 0
  77: 0100007F:1F90 0100007F:C350 01 00000A28:00000000 01:00000014 00000000     0        0 251960 1 0000000090e74de8 20 4 30 10 -1
10000: 0100007F:1F90 0200007F:C351 01 0000000F:00000005 01:00000014 00000000     0        0 251961 1 0000000090e74de9 20 4 30 10 -1
10001: 0100007F:1F90 0200007F:C352 01 00000000:00000005 00:00000000 00000000     0        0 251962 1 0000000090e74dea 20 4 30 10 -1
`;

const TABLE6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:C350 01 00000100:00000000 01:00000014 00000000     0        0 251959 1 0000000090e74de7 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:1F90 B80D01200000000067452301EFCDAB89:0050 01 00000001:00000000 01:00000014 00000000     0        0 251959 1 0000000090e74de7 100 0 0 10 0
`;

function parse(text: string, addressLength: 8 | 32): Map<string, number> {
  const queues = new Map<string, number>();
  parseSendQueues(Buffer.from(text), addressLength, queues);
  return queues;
}

const ends = (local: readonly [string, number], remote: readonly [string, number]) => ({
  localAddress: local[0],
  localPort: local[1],
  remoteAddress: remote[0],
  remotePort: remote[1],
});

describe('the table of connections', () => {
  test('queues that are not empty are found by both ends of the connection', () => {
    assert.deepEqual(
      [...parse(TABLE, 8)],
      [
        [formatConnection(ends(['127.0.0.1', 8080], ['127.0.0.1', 50_000]), 'LE'), 0xa28],
        [formatConnection(ends(['127.0.0.1', 8080], ['127.0.0.2', 50_001]), 'LE'), 15],
      ],
    );
  });

  test('queues of IPv6 connections are found too, also with mapped IPv4 addresses', () => {
    const mapped = ends(['::ffff:127.0.0.1', 8080], ['2001:db8::123:4567:89ab:cdef', 80]);
    assert.deepEqual(
      [...parse(TABLE6, 32)],
      [
        [formatConnection(ends(['::1', 8080], ['::1', 50_000]), 'LE'), 256],
        [formatConnection(mapped, 'LE'), 1],
      ],
    );
    const zoned = ends(['fe80::1%eth0', 1], ['fe80::2%eth0', 2]);
    assert.equal(
      formatConnection(zoned, 'BE'),
      'FE800000000000000000000000000001:0001 FE800000000000000000000000000002:0002',
    );
  });

  test('a truncated table is read up to its end', () => {
    for (let length = 0; length <= TABLE.length; length += 1) {
      for (const name of parse(TABLE.slice(0, length), 8).keys()) {
        assert.match(name, /^0100007F:1F90 0[12]00007F:C35[01]$/);
      }
    }
    assert.equal(parse('', 8).size, 0);
  });

  test('a closed connection has no key', () => {
    assert.equal(formatConnection({}), null);
  });
});

async function findQueue(socket: Socket): Promise<number> {
  return (await readSendQueues())?.get(formatConnection(socket) ?? '') ?? 0;
}

for (const host of ['127.0.0.1', '::1']) {
  test(`the queue of a connection to ${host} grows while nobody reads, then empties`, async (t) => {
    if (process.platform !== 'linux') return t.skip('no such table');
    const server = createServer();
    t.after(() => server.close());
    server.listen(0, host);
    const failed = once(server, 'error').then(() => false);
    if (!(await Promise.race([once(server, 'listening'), failed])))
      return t.skip(`NOT RUN: no ${host}`);
    const { port } = server.address() as AddressInfo;
    const reader = connect(port, host);
    t.after(() => reader.destroy());
    reader.pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    t.after(() => socket.destroy());
    assert.equal(await findQueue(socket), 0);
    const piece = Buffer.alloc(100_000);
    while ((await findQueue(socket)) === 0) {
      assert.ok(socket.bytesWritten < 500e6, 'the other end takes everything');
      socket.write(piece);
    }
    reader.resume();
    while ((await findQueue(socket)) > 0) await sleep(5);
  });
}
