// The OpenAPI document declares what /mcp really accepts and returns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { buildOpenapi } from '../../src/contract/openapi.ts';
import { callMcp } from '../../src/contract/operations/call-mcp.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import { buildStatelessRequest, type McpServer, startMcp } from './start-mcp.ts';

let mcp: McpServer;

setUp(async (t) => {
  mcp = await startMcp(t);
});

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const NOTICE = { jsonrpc: '2.0', method: 'notifications/initialized' };
const unknown = buildStatelessRequest('no/such');

const CASES: readonly {
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}[] = [
  { body: PING, status: 200 },
  { body: { ...PING, id: 'a' }, status: 200 },
  { body: { ...PING, id: 1.5 }, status: 200 },
  { body: { ...PING, more: 1 }, status: 200 },
  { body: { ...PING, method: 'no/such' }, status: 200 },
  { body: { ...PING, method: 'tools/call', params: { name: 'get_token' } }, status: 200 },
  { body: [PING, NOTICE, { ...PING, method: 'no/such', id: 'b' }], status: 200 },
  { body: NOTICE, status: 202 },
  { body: [NOTICE, NOTICE], status: 202 },
  { body: { jsonrpc: '2.0', id: 7, result: {} }, status: 202 },
  { body: { ...PING, id: null }, status: 400 },
  { body: '{', status: 400 },
  { body: [], status: 400 },
  { body: unknown.body, headers: unknown.headers, status: 404 },
];

test('every answer has a status and a form that the document declares', async () => {
  const { wire } = callMcp;
  assert.ok(wire !== null);
  const document = buildOpenapi([callMcp], { version: '0.0.0' }) as Json;
  const { responses, requestBody } = document.paths['/mcp'].post;
  assert.equal(requestBody.content['application/json'].schema.anyOf.length, 2);
  const [takes, answers] = [Compile(wire.input), Compile(wire.output)];
  for (const { body, headers, status } of CASES) {
    const name = JSON.stringify(body);
    const answer = await mcp.post(body, headers);
    assert.equal(answer.status, status, name);
    const declared = responses[String(status)];
    assert.ok(declared, name);
    if (status < 300) assert.ok(takes.Check(body), name);
    if (status === 202) {
      assert.deepEqual([declared.content, answer.text], [undefined, '']);
      continue;
    }
    assert.ok(declared.content['application/json'].schema, name);
    const schema = wire.answers[status]?.schema;
    const check = schema == null ? answers : Compile(schema);
    assert.ok(check.Check(answer.json), `${name}: ${answer.text}`);
  }
});

test('the document rejects what the protocol rejects', () => {
  assert.ok(callMcp.wire !== null);
  const takes = Compile(callMcp.wire.input);
  for (const body of [[], { ...PING, id: null }, { ...PING, jsonrpc: '1.0' }, 'x', null]) {
    assert.equal(takes.Check(body), false, JSON.stringify(body));
  }
});
