// Pins routes in the shape of another API, with operations of the test: how they are found, what
// they are charged, how errors look, which keys count, and that kept answers are never stale.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Type from 'typebox';
import { buildLimits, startTestServer } from '../../test/start-http-server.ts';
import { createIdentify } from '../access/identify.ts';
import { createToken } from '../access/secret-token.ts';
import { CompatRefusal, type CompatShape, readList } from '../contract/compat-route.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import { defineOperation } from '../contract/operation.ts';
import { AppError } from '../errors/app-error.ts';

const getColour = defineOperation({
  id: 'getColour',
  method: 'GET',
  path: '/colour',
  ...({ tag: 'Market', summary: 'Test', description: 'Test.', cost: 'read' } as const),
  cacheControl: 'public, max-age=1',
  example: { input: {}, answer: {} },
  input: Type.Object(
    { of: Type.String({ minLength: 1, maxLength: 8 }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ colour: Type.String() }),
});

// The frame is typed by the list of operations, which those of a test are not in.
const asked = getColour as never;
type AskColour = (operation: never, input: object) => Promise<{ colour: string }>;

const shape: CompatShape = {
  prefix: '/compat/test',
  tag: 'Test',
  description: 'Test.',
  encodeError: ({ status, code }, requestId) => ({
    status,
    body: { oops: code, at: requestId.length },
  }),
  routes: [
    {
      id: 'compatTestColours',
      method: 'GET',
      path: '/v1/{names}/colours',
      asks: asked,
      summary: 'Test',
      parameters: [],
      answer: async ({ params, query }, ask) => {
        if (query.get('refuse') !== null) {
          throw new CompatRefusal({ status: 402, body: { pay: true } });
        }
        const colours = [];
        for (const of of [...(params['names'] ?? '').split(','), ...readList(query, 'more')]) {
          colours.push((await (ask as unknown as AskColour)(asked, { of })).colour);
        }
        return { b: colours, a: colours.length };
      },
    },
    {
      id: 'compatTestEcho',
      method: 'POST',
      path: '/echo',
      asks: null,
      summary: 'Test',
      parameters: [],
      answer: ({ body }) => body,
    },
  ],
};

/** Each colour is an answer as the market keeps them: a long part, and an end for each block. */
async function startCompat(t: TestContext, limits = buildLimits({})) {
  const texts = new Map<string, Buffer>();
  let block = 0;
  let calls = 0;
  const paint = (of: string, colour: string) =>
    texts.set(of, Buffer.from(`{"colour":${JSON.stringify(colour)}`));
  const getAnswer = (of: string): ReadyAnswer | Promise<ReadyAnswer> => {
    calls += 1;
    const long = texts.get(of);
    if (long === undefined) throw new AppError('ROUTE_NOT_FOUND', {});
    block += 1;
    const end = Buffer.from(`,"asOf":${block}}`);
    const bytes = Buffer.concat([long, end]);
    // Some are told apart by their bytes, some by their tag, and some come later.
    if (of !== 'z') return { kind: 'ready', bytes, parts: { long, end }, etag: null };
    const whole: ReadyAnswer = { kind: 'ready', bytes, etag: `W/"${long}"` };
    return Promise.resolve(whole);
  };
  const keys: string[] = [];
  const server = await startTestServer(t, {
    operations: [getColour],
    handlers: { getColour: (input) => getAnswer((input as { of: string }).of) },
    compat: [shape],
    limits,
    access: {
      identify: createIdentify({
        key: (token) => {
          keys.push(token);
          return null;
        },
        session: () => null,
      }),
      countUse: () => undefined,
    },
  });
  const read = async (path: string, init?: RequestInit) => {
    const response = await server.get(`/compat/test${path}`, init);
    return { response, status: response.status, text: await response.text() };
  };
  return { server, read, paint, keys, readCalls: () => calls };
}

const RED = '{"b":["red"],"a":1}';

test('a route is found with its parameters, a trailing slash, encoded commas and unknown fields', async (t) => {
  const { read, paint } = await startCompat(t);
  paint('x', 'red');
  paint('y', 'blue');
  for (const path of ['/v1/x/colours', '/v1/x/colours/', '/v1/%78/colours?foo=1&page_size=2']) {
    assert.deepEqual(await read(path).then(({ text }) => text), RED, path);
  }
  const both = '{"b":["red","blue"],"a":2}';
  for (const path of ['/v1/x,y/colours', '/v1/x%2Cy/colours', '/v1/x/colours?more=y']) {
    assert.equal((await read(path)).text, both, path);
  }
  const many = await read('/v1/x/colours?more=y&more=x,y');
  assert.equal(many.text, '{"b":["red","blue","red","blue"],"a":4}');
});

test('an answer says whose it is, may be read by any page, and has an ETag', async (t) => {
  const { read, paint } = await startCompat(t);
  paint('x', 'red');
  const { response } = await read('/v1/x/colours');
  assert.match(response.headers.get('server-timing') ?? '', /^mintwire;desc=/);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  const headers = { 'if-none-match': response.headers.get('etag') ?? assert.fail() };
  assert.equal((await read('/v1/x/colours', { headers })).status, 304);
  const preflight = await read('/v1/x/colours', { method: 'OPTIONS' });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.response.headers.get('access-control-allow-headers'), '*');
});

test('a kept answer is sent while what was asked holds, and made again when it changes', async (t) => {
  const { read, paint, readCalls } = await startCompat(t);
  paint('x', 'red');
  paint('y', 'blue');
  const first = await read('/v1/x,y/colours');
  // A new block, the same colours: asked again, and nothing is made.
  const second = await read('/v1/x,y/colours');
  assert.equal(second.text, first.text);
  assert.equal(readCalls(), 4);
  paint('y', 'green');
  assert.equal((await read('/v1/x,y/colours')).text, '{"b":["red","green"],"a":2}');
  assert.equal(readCalls(), 6, 'what a replay was told is not asked twice');
  paint('x', 'black');
  assert.equal((await read('/v1/x,y/colours')).text, '{"b":["black","green"],"a":2}');
  for (const colour of ['white', 'white', 'grey']) {
    paint('z', colour);
    const { text } = await read('/v1/z,x/colours');
    assert.equal(text, `{"b":["${colour}","black"],"a":2}`);
  }
  assert.equal(readCalls(), 14);
});

test('errors have the form of that API, whatever they come from', async (t) => {
  const { read } = await startCompat(t);
  for (const [path, init, status, code] of [
    ['/v1/nobody/colours', {}, 404, 'ROUTE_NOT_FOUND'],
    ['/v1/far-too-long/colours', {}, 400, 'INVALID_INPUT'],
    ['/v1/%ff/colours', {}, 400, 'MALFORMED_REQUEST'],
    ['/nothing/here', {}, 404, 'ROUTE_NOT_FOUND'],
    ['/v1/x/colours', { method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED'],
    ['/echo', { method: 'POST', body: 'x' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ] as const) {
    const answer = await read(path, init);
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [status, { oops: code, at: 36 }]);
    assert.equal(answer.response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.response.headers.get('access-control-allow-origin'), '*');
  }
  const refused = await read('/v1/x/colours?refuse=1');
  assert.deepEqual([refused.status, refused.text], [402, '{"pay":true}']);
});

test('a body is read, with fields that nobody knows', async (t) => {
  const { read } = await startCompat(t);
  const body = '{"b":[1],"a":{"x":null}}';
  const headers = { 'content-type': 'application/json' };
  assert.equal((await read('/echo', { method: 'POST', body, headers })).text, body);
});

test('each operation that is asked is paid for, kept or not', async (t) => {
  const limits = buildLimits({ anonymous: { policy: 'anonymous', perMinute: 1, burst: 10 } });
  const { read, paint } = await startCompat(t, limits);
  for (const name of ['x', 'y', 'z']) paint(name, name);
  const left = async (path: string) => {
    const { response } = await read(path);
    return /r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1];
  };
  assert.equal(await left('/v1/x,y,z/colours'), '7');
  assert.equal(await left('/v1/x,y,z/colours'), '4');
  assert.equal(await left('/v1/x/colours'), '3');
  assert.equal(await left('/v1/x,y/colours'), '1');
  const { status, text, response } = await read('/v1/x,y,z/colours');
  assert.deepEqual([status, JSON.parse(text).oops], [429, 'RATE_LIMITED']);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  assert.equal(await left('/v1/x/colours'), '0', 'a refusal costs nothing');
});

test('a key of this server counts wherever clients put it; keys of others are ignored', async (t) => {
  const { read, paint, keys } = await startCompat(t);
  paint('x', 'red');
  for (const headers of [
    { 'x-api-key': '0a1b2c3d-1111-2222-3333-444455556666' },
    { 'x-cg-pro-api-key': 'CG-abc' },
    { authorization: 'Bearer somebody-elses' },
    { authorization: 'Basic dXNlcjpwYXNz' },
  ]) {
    assert.equal((await read('/v1/x/colours', { headers })).text, RED);
  }
  assert.deepEqual(keys, []);
  const key = createToken('key');
  const given: [string, Record<string, string>][] = [
    ['', { 'x-api-key': key }],
    ['', { 'x-cg-demo-api-key': key }],
    ['', { authorization: `Bearer ${key}` }],
    [`?x_cg_pro_api_key=${key}`, {}],
  ];
  for (const [path, headers] of given) {
    const { status } = await read(`/v1/x/colours${path}`, { headers });
    assert.equal(status, 401, 'it was looked up, and nobody has it');
    assert.equal(keys.pop(), key);
  }
  const secret = { 'x-api-key': `0x${'ab'.repeat(32)}` };
  const exposed = await read('/v1/x/colours', { headers: secret });
  assert.equal(JSON.parse(exposed.text).oops, 'PRIVATE_KEY_REFUSED');
});
