// Pins that any body is parsed or rejected by the protocol's rules, never with an internal error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { parseMessages } from './parse-messages.ts';
import { McpRpcError } from './protocol.ts';

/** Values that often look like messages. */
const nearMessage = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom('tools/call', 'initialize', 'ping', '__proto__'), fc.string()),
    params: fc.oneof(
      fc.record({
        name: fc.string(),
        _meta: fc.dictionary(
          fc.constantFrom(
            'io.modelcontextprotocol/protocolVersion',
            'io.modelcontextprotocol/clientCapabilities',
            'io.modelcontextprotocol/clientInfo',
            'other',
          ),
          fc.oneof(fc.constantFrom('2026-07-28', '2025-11-25'), fc.jsonValue()),
        ),
      }),
      fc.jsonValue(),
    ),
    result: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const body = fc.oneof(
  fc
    .oneof(nearMessage, fc.array(nearMessage), fc.jsonValue())
    .map((value) => JSON.stringify(value)),
  fc.string(),
);

const headers = fc.record(
  {
    'mcp-protocol-version': fc.oneof(
      fc.constantFrom('2026-07-28', '2025-11-25', '2025-03-26'),
      fc.string(),
    ),
    'mcp-method': fc.oneof(fc.constantFrom('tools/call', 'ping'), fc.string()),
    'mcp-name': fc.oneof(fc.constantFrom('=?base64?eA==?=', '=?base64?!?='), fc.string()),
  },
  { requiredKeys: [] },
);

test('every body is parsed or rejected with a protocol error', () => {
  fc.assert(
    fc.property(body, headers, (text, fields) => {
      try {
        const { messages } = parseMessages(Buffer.from(text), fields);
        for (const { id, method, params } of messages) {
          assert.ok(id === null || typeof id === 'string' || typeof id === 'number');
          assert.deepEqual([typeof method, typeof params], ['string', 'object']);
        }
      } catch (error) {
        assert.ok(error instanceof McpRpcError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('bytes that are not UTF-8 are rejected', () => {
  assert.throws(() => parseMessages(Buffer.from([0x22, 0xff, 0x22]), {}), McpRpcError);
});

test('a byte order mark and a key given twice are refused', () => {
  const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const parse = (text: string) => () => parseMessages(Buffer.from(text), {});
  assert.throws(parse(`\ufeff${message}`), { name: 'RpcError', code: -32700 });
  const twice: readonly [string, string][] = [
    [message.replace('"id":1', '"id":1,"id":2'), 'id'],
    [message.replace('"id":1', String.raw`"id":1,"\u0069d":2`), 'id'],
    [message.replace('}', ',"params":{"name":"a","name":"b"}}'), 'params.name'],
    [`[${message},${message.replace('}', ',"method":"initialize"}')}]`, '1.method'],
  ];
  for (const [text, path] of twice) {
    const expected = `Invalid request: ${path} must be given once`;
    assert.throws(parse(text), { name: 'RpcError', code: -32600, message: expected });
  }
});
