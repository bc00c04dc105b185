// The checks themselves: each fault that the fuzzer looks for is detected.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildOpenapi } from '../../src/contract/openapi.ts';
import { verifyChallenge } from '../../src/contract/operations/auth.ts';
import { callMcp } from '../../src/contract/operations/call-mcp.ts';
import { getThing } from '../start-http-server.ts';
import { checkAnswer } from './check-answer.ts';
import { readDocument } from './openapi-document.ts';
import type { FuzzAnswer, FuzzRequest } from './send-request.ts';

const document = readDocument(
  buildOpenapi([getThing, verifyChallenge, callMcp], { version: '1.2.3' }),
);

const REQUEST: FuzzRequest = {
  method: 'GET',
  target: '/v1/thing',
  headers: [['Authorization', `Bearer mw_live_${'k'.repeat(49)}`]],
  body: null,
};

const HEADERS = {
  'x-request-id': 'r1',
  'x-content-type-options': 'nosniff',
  'content-type': 'application/json; charset=utf-8',
  ratelimit: '"anonymous";r=1;t=1',
  'ratelimit-policy': '"anonymous";q=60;w=30',
};

const RIGHT: FuzzAnswer = { status: 200, headers: HEADERS, body: Buffer.from('{"ok":true}') };

function buildProblem(status: number, code: string, fields: object = {}): FuzzAnswer {
  const problem = { type: '/x', title: 'x', status, detail: 'x', code, requestId: 'r1', ...fields };
  const type = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  const more = status === 401 ? { 'www-authenticate': 'Bearer' } : { 'retry-after': '1' };
  const body = Buffer.from(JSON.stringify(problem));
  return { status, headers: { ...HEADERS, ...type, ...more }, body };
}

function withHeaders(answer: FuzzAnswer, headers: Record<string, string | undefined>): FuzzAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function withBody(text: string): FuzzAnswer {
  return { ...RIGHT, body: Buffer.from(text) };
}

test('documented answers have no faults', () => {
  const limited = buildProblem(429, 'RATE_LIMITED');
  for (const answer of [
    RIGHT,
    buildProblem(400, 'INVALID_INPUT'),
    buildProblem(401, 'INVALID_API_KEY'),
    limited,
  ]) {
    assert.deepEqual(checkAnswer(REQUEST, answer, document), []);
  }
});

const FAULTS: readonly (readonly [name: string, answer: FuzzAnswer, fault: RegExp])[] = [
  ['a 500', buildProblem(500, 'INTERNAL'), /^500 INTERNAL/],
  ['a 503 of an operation that asks no node', buildProblem(503, 'UPSTREAM_UNAVAILABLE'), /^503 UP/],
  ['a status', { ...RIGHT, status: 418 }, /^418 {2}undeclared/],
  ['a code', buildProblem(400, 'INVALID_CURSOR'), /INVALID_CURSOR undeclared/],
  ['an unknown code', buildProblem(400, 'SURPRISE'), /schema: \/code/],
  ['a media type', withHeaders(RIGHT, { 'content-type': 'text/html' }), /as text\/html undeclared/],
  ['a missing field', withBody('{}'), /schema: \/ /],
  ['an extra field', withBody('{"ok":true,"secret":1}'), /schema/],
  ['another type', withBody('{"ok":"true"}'), /schema: \/ok/],
  ['no JSON', withBody('{"ok":true'), /not JSON/],
  ['no request id', withHeaders(RIGHT, { 'x-request-id': undefined }), /X-Request-Id/],
  ['another request id', buildProblem(400, 'INVALID_INPUT', { requestId: 'r2' }), /requestId/],
  ['another status', buildProblem(400, 'INVALID_INPUT', { status: 404 }), /status is not/],
  ['no budget', withHeaders(RIGHT, { ratelimit: undefined }), /RateLimit missing/],
  ['no policy', withHeaders(RIGHT, { 'ratelimit-policy': undefined }), /RateLimit-Policy missing/],
  [
    'no wait',
    withHeaders(buildProblem(429, 'RATE_LIMITED'), { 'retry-after': undefined }),
    /Retry-/,
  ],
  [
    'another wait',
    withHeaders(buildProblem(429, 'RATE_LIMITED'), { 'retry-after': '9' }),
    /disagree/,
  ],
  [
    'no scheme',
    withHeaders(buildProblem(401, 'INVALID_API_KEY'), { 'www-authenticate': '' }),
    /WWW/,
  ],
  [
    'a kept error',
    withHeaders(buildProblem(400, 'INVALID_INPUT'), { 'cache-control': '' }),
    /cached/,
  ],
  ['an injected header', withHeaders(RIGHT, { 'x-injected': 'yes' }), /injected/],
  ['a stack', buildProblem(400, 'INVALID_INPUT', { detail: 'at run (/a/b.ts:1:2)' }), /internals/],
  ['a query', buildProblem(400, 'INVALID_INPUT', { detail: 'SELECT x FROM y' }), /internals/],
  ['a credential', withBody(`{"ok":true,"x":"mw_live_${'k'.repeat(49)}"}`), /shown again/],
];

for (const [name, answer, fault] of FAULTS) {
  test(`noticed: ${name}`, () => {
    const faults = checkAnswer(REQUEST, answer, document);
    assert.ok(
      faults.some((one) => fault.test(one)),
      faults.join('; '),
    );
  });
}

test('documented MCP answers have no faults', () => {
  for (const [status, asked, said] of [
    [200, { id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 1, result: {} }],
    [200, [{ id: 1, method: 'ping' }], [{ jsonrpc: '2.0', id: 1, result: {} }]],
    [400, { id: {} }, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } }],
    [404, { id: 'a' }, { jsonrpc: '2.0', id: 'a', error: { code: -32601, message: 'x' } }],
  ] as const) {
    const body = Buffer.from(JSON.stringify(asked));
    const request = { method: 'POST', target: '/v1/mcp', headers: [], body };
    const headers = { ...HEADERS, 'cache-control': 'no-store' };
    const answer = { status, headers, body: Buffer.from(JSON.stringify(said)) };
    assert.deepEqual(checkAnswer(request, answer, document), []);
  }
});

test('an operation may report that its node does not answer, but not that the store does not', () => {
  const request = { ...REQUEST, method: 'POST', target: '/v1/auth/verify' };
  const check = (detail: string) =>
    checkAnswer(request, buildProblem(503, 'UPSTREAM_UNAVAILABLE', { detail }), document);
  assert.deepEqual(check("The chain's node is not responding at the moment."), []);
  assert.deepEqual(check('The store is not responding at the moment.'), [
    '503 UPSTREAM_UNAVAILABLE',
  ]);
});

const MCP_FAULTS: readonly (readonly [name: string, status: number, body: string, RegExp])[] = [
  ['another id', 200, '{"jsonrpc":"2.0","id":2,"result":{}}', /id is not/],
  ['result and error', 200, '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', /schema/],
  ['neither of them', 200, '{"jsonrpc":"2.0","id":1}', /schema/],
  ['a member that is not declared', 200, '{"jsonrpc":"2.0","id":1,"result":{},"x":1}', /schema/],
  ['another version', 200, '{"jsonrpc":"1.0","id":1,"result":{}}', /schema/],
  ['an empty batch', 200, '[]', /schema/],
  ['a result with 400', 400, '{"jsonrpc":"2.0","id":1,"result":{}}', /schema/],
  ['a body with 202', 202, '{"jsonrpc":"2.0","id":1,"result":{}}', /202 has a body/],
  ['no JSON', 200, '{"jsonrpc":', /not JSON/],
  [
    'an internal error',
    200,
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}',
    /inte/,
  ],
  ['a status', 201, '{"jsonrpc":"2.0","id":1,"result":{}}', /201 {2}undeclared/],
];

for (const [name, status, body, fault] of MCP_FAULTS) {
  test(`noticed in MCP: ${name}`, () => {
    const asked = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const request = { method: 'POST', target: '/v1/mcp', headers: [] };
    const sent = { ...request, body: Buffer.from(JSON.stringify(asked)) };
    const answer = { status, headers: HEADERS, body: Buffer.from(body) };
    const faults = checkAnswer(sent, answer, document);
    assert.ok(
      faults.some((one) => fault.test(one)),
      faults.join('; '),
    );
  });
}
