// Pins that the fields are those that Node reads, repeated and oddly written ones included.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFields } from './request-fields.ts';

const NAMES = ['Host', 'AUTHORIZATION', 'cookie', 'Origin', 'If-None-Match', 'Age', 'Accept', 'X'];

function toNodes({ headers }: IncomingMessage) {
  const { host, authorization, cookie, origin } = headers;
  return { host, authorization, cookie, origin, ifNoneMatch: headers['if-none-match'] };
}

test('behavior: any fields in any order read as Node reads them', async (t) => {
  let seen: { ours: unknown; nodes: unknown } | null = null;
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    seen = { ours: readFields(request), nodes: toNodes(request) };
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
  });
  const field = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('a', 'b=1', '"x", W/"y"', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(field, { maxLength: 8 }), async (fields) => {
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const answered = new Promise((resolve) => socket.once('data', resolve));
      socket.write(`GET / HTTP/1.1\r\n${lines}\r\n`);
      await answered;
      assert.deepEqual(seen?.ours, seen?.nodes);
    }),
    { numRuns: 300 },
  );
});
