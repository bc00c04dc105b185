// Pins what every response has, and that every kind of bad request gets a proper problem.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { getThing, startTestServer, type TestServer } from '../../test/start-http-server.ts';
import { AppError } from '../errors/app-error.ts';
import { UnavailableError } from '../errors/unavailable-error.ts';
import { buildStaticFile } from './static-files.ts';

interface ExpectedProblem {
  readonly status: number;
  readonly code: string;
}

const PROBLEM_FIELDS = ['code', 'detail', 'requestId', 'status', 'title', 'type'];

async function assertProblem(response: Response, expected: ExpectedProblem) {
  assert.equal(response.status, expected.status);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  const body = (await response.json()) as Record<string, unknown>;
  assert.deepEqual(
    Object.keys(body)
      .filter((key) => key !== 'errors')
      .sort(),
    PROBLEM_FIELDS,
  );
  assert.equal(body['code'], expected.code);
  assert.equal(body['status'], expected.status);
  assert.equal(body['requestId'], response.headers.get('x-request-id'));
  return body;
}

function post(app: TestServer, body: string, headers: Record<string, string> = {}) {
  return app.get('/v1/thing/make', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

test('an answer has its declared fields, budget, request id and browser headers', async (t) => {
  const app = await startTestServer(t);
  const response = await app.get('/v1/thing');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { ok: true });
  assert.match(response.headers.get('ratelimit') ?? '', /^"anonymous";r=\d+;t=\d+$/);
  assert.match(response.headers.get('ratelimit-policy') ?? '', /^"anonymous";q=\d+;w=\d+$/);
  assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('access-control-allow-credentials'), null);
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /Retry-After/);
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});

test('HEAD answers like GET without a body', async (t) => {
  const app = await startTestServer(t);
  const response = await app.get('/v1/thing', { method: 'HEAD' });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), '');
});

test('a POST without a body gets an error that says so', async (t) => {
  const app = await startTestServer(t);
  const asked = 'POST /v1/thing/make HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const answer = await app.raw(`${asked}Connection: close\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(answer, /"path":"body","message":"must not be empty"/);
});

test('unknown paths are 404, wrong methods 405 with Allow', async (t) => {
  const app = await startTestServer(t);
  for (const path of [
    '/nope',
    '/v1/nope',
    '/v1/thing/',
    '/v1//thing',
    '/V1/thing',
    '/v1/thing%00',
  ]) {
    await assertProblem(await app.get(path), { status: 404, code: 'ROUTE_NOT_FOUND' });
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
    const response = await app.get('/v1/thing', { method });
    await assertProblem(response, { status: 405, code: 'METHOD_NOT_ALLOWED' });
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS', method);
  }
});

test('the preflight allows any origin and no Authorization', async (t) => {
  const app = await startTestServer(t);
  const response = await app.get('/v1/thing', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://page.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.match(response.headers.get('access-control-allow-methods') ?? '', /GET/);
  assert.doesNotMatch(response.headers.get('access-control-allow-headers') ?? '', /authorization/i);
  await assertProblem(await app.get('/v1/nope', { method: 'OPTIONS' }), {
    status: 404,
    code: 'ROUTE_NOT_FOUND',
  });
});

test('the start pages link to the reference', async (t) => {
  const app = await startTestServer(t);
  for (const path of ['/', '/docs', '/v1']) {
    const response = await app.get(path);
    assert.equal(response.status, 302);
    assert.equal(response.headers.get('location'), '/v1/docs');
  }
});

test('unknown, repeated and badly encoded query fields are 400 by name', async (t) => {
  const app = await startTestServer(t);
  const unknown = await assertProblem(await app.get('/v1/thing?x=1'), {
    status: 400,
    code: 'INVALID_INPUT',
  });
  assert.deepEqual(unknown['errors'], [{ path: 'x', message: 'is not a known field' }]);
  for (const query of ['__proto__=1', 'constructor=1', 'a=1&a=2', 'a=%00']) {
    await assertProblem(await app.get(`/v1/thing?${query}`), {
      status: 400,
      code: 'INVALID_INPUT',
    });
  }
  const encoding = { status: 400, code: 'MALFORMED_REQUEST' };
  await assertProblem(await app.get('/v1/thing?a=%ff'), encoding);
  await assertProblem(await app.get('/v1/%zz'), encoding);
  await assertProblem(await app.get('/v1/thing%'), encoding);
});

test('bad bodies get the status that names their fault', async (t) => {
  const app = await startTestServer(t);
  assert.deepEqual(await (await post(app, '{"name":"a"}')).json(), { name: 'a' });
  const invalid = { status: 400, code: 'INVALID_INPUT' };
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{"name":"a","extra":1}',
    '{"name":""}',
    '{"name":1}',
    '{"name":"a","__proto__":{"x":1}}',
    '{"name":"a","constructor":{"prototype":{}}}',
    `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    '\u0000',
  ];
  for (const body of bodies) await assertProblem(await post(app, body), invalid);
  const named = (await (await post(app, '{"count":"1"}')).json()) as { errors: unknown };
  assert.deepEqual(named.errors, [
    { path: 'name', message: 'is required' },
    { path: 'count', message: 'must be an integer' },
  ]);
  await assertProblem(await post(app, `{"name":"${'a'.repeat(70_000)}"}`), {
    status: 413,
    code: 'BODY_TOO_LARGE',
  });
  const media = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' };
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'nonsense']) {
    await assertProblem(await post(app, 'name=a', { 'content-type': type }), media);
  }
});

test('a long URL is 414, long headers 431, broken HTTP 400', async (t) => {
  const app = await startTestServer(t);
  await assertProblem(await app.get(`/v1/thing?a=${'x'.repeat(13_000)}`), {
    status: 414,
    code: 'URI_TOO_LONG',
  });
  const cases: [string, RegExp][] = [
    [`GET /v1/thing HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431/],
    [`GET /v1/thing?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, /^HTTP\/1.1 431/],
    ['GET /v1/thing HTTP/9.9\r\n\r\n', /^HTTP\/1.1 400/],
    ['nonsense\r\n\r\n', /^HTTP\/1.1 400/],
    ['GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1.1 400/],
    ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', /^HTTP\/1.1 400/],
    ['GET /v1/thing HTTP/1.1\r\nconnection: close\r\n\r\n', /^HTTP\/1.1 400/],
    ['CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', /^HTTP\/1.1 405/],
    [
      'POST /v1/thing/make HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      /^HTTP\/1.1 400/,
    ],
  ];
  for (const [text, expected] of cases) {
    const answer = await app.raw(text);
    assert.match(answer, expected, text.slice(0, 60));
    assert.match(answer, /application\/problem\+json/);
    assert.match(answer, /"requestId":"[0-9a-f-]{36}"/);
    assert.match(answer, /x-content-type-options: nosniff/);
  }
});

test('an absolute URL as target and an unknown Expect header are answered', async (t) => {
  const app = await startTestServer(t);
  const tail = 'host: x\r\nconnection: close\r\n';
  for (const head of [
    `GET http://x/v1/thing HTTP/1.1\r\n${tail}`,
    `GET /v1/thing HTTP/1.1\r\nexpect: foo\r\n${tail}`,
  ]) {
    const answer = await app.raw(`${head}\r\n`);
    assert.match(answer, /^HTTP\/1.1 200/);
    assert.match(answer, /x-request-id/);
  }
});

test('a client that leaves in the middle of its body is one line and no error', async (t) => {
  const app = await startTestServer(t);
  const socket = connect(app.port, '127.0.0.1');
  socket.write(
    'POST /v1/thing/make HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.resetAndDestroy();
  while (app.logLines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const lines = app.logLines.map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ level, operation, status }) => ({ level, operation, status })),
    [{ level: 30, operation: 'postThing', status: 499 }],
  );
});

test('slow headers and slow bodies are cut off with 408', async (t) => {
  const app = await startTestServer(t, {
    timeouts: { headersMs: 150, requestMs: 300, bodyMs: 5000, keepAliveMs: 1000 },
  });
  assert.match(await app.raw('GET /v1/thing HTTP/1.1\r\nhost: x\r\n'), /^HTTP\/1.1 408/);
  const body =
    'POST /v1/thing/make HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
  assert.match(await app.raw(body), /^HTTP\/1.1 408/);
});

const CUT_OFF = { timeout: 60_000 };

test(
  'a body that continues after its answer does not keep the connection open',
  CUT_OFF,
  async (t) => {
    const app = await startTestServer(t, {
      timeouts: { headersMs: 150, requestMs: 300, bodyMs: 5000, keepAliveMs: 3_600_000 },
    });
    // Answered from the head alone; the rest of the body never arrives.
    const head = 'POST /v1/nope HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{';
    const bytes = await app.raw(head);
    assert.match(bytes, /^HTTP\/1.1 404/);
  },
);

test('a handler that never answers becomes 503', async (t) => {
  const app = await startTestServer(t, {
    handlers: { getThing: () => new Promise(() => {}), postThing: () => ({}) },
    timeouts: { headersMs: 150, requestMs: 200, bodyMs: 5000, keepAliveMs: 1000 },
  });
  const response = await app.get('/v1/thing');
  await assertProblem(response, { status: 503, code: 'OVERLOADED' });
  assert.equal(response.headers.get('retry-after'), '1');
});

test('a failing handler is 500 without internals, with the cause in the log', async (t) => {
  const app = await startTestServer(t, {
    handlers: {
      getThing: () => {
        throw new Error('table "users" is missing');
      },
      postThing: async () => {
        throw new Error('table "users" is missing');
      },
    },
  });
  for (const response of [await app.get('/v1/thing'), await post(app, '{"name":"a"}')]) {
    const body = await assertProblem(response, { status: 500, code: 'INTERNAL' });
    assert.doesNotMatch(JSON.stringify(body), /users/);
  }
  assert.match(app.logLines.join(''), /table \\"users\\" is missing/);
});

test('an outage that is logged where it begins is not logged for each request', async (t) => {
  const outage = Object.assign(new UnavailableError('The store', new Error('disk')), {
    isLoggedOutage: true,
  });
  let fault: Error = outage;
  const app = await startTestServer(t, {
    handlers: {
      getThing: () => {
        throw fault;
      },
      postThing: () => ({ name: 'a' }),
    },
  });
  const wrapped = new AppError('UPSTREAM_UNAVAILABLE', { upstream: 'x' }, { cause: outage });
  for (fault of [outage, outage, wrapped, new UnavailableError('A node', null)]) {
    const response = await app.get('/v1/thing');
    await assertProblem(response, { status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  }
  const failed = app.logLines.filter((line) => line.includes('"request failed"'));
  assert.equal(failed.length, 1, 'only of the last');
  assert.match(failed.join(''), /A node does not answer/);
});

test('a bearer that is no key is 401, never a silent downgrade', async (t) => {
  const app = await startTestServer(t);
  for (const authorization of ['Bearer nonsense', 'Basic dTpw', 'x', 'Bearer mw_live_AAAA']) {
    const response = await app.get('/v1/thing', { headers: { authorization } });
    await assertProblem(response, { status: 401, code: 'INVALID_API_KEY' });
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer /);
    assert.match(response.headers.get('ratelimit') ?? '', /^"ip";r=\d+;t=\d+$/);
  }
  const hex = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
  for (const key of [hex, `0x${hex}`, JSON.stringify(Array.from({ length: 64 }, (_, i) => i))]) {
    const response = await app.get('/v1/thing', { headers: { authorization: `Bearer ${key}` } });
    await assertProblem(response, { status: 401, code: 'PRIVATE_KEY_REFUSED' });
  }
});

test('too many requests in work are refused at once, and the rest is answered', async (t) => {
  const waiting: (() => void)[] = [];
  const app = await startTestServer(t, {
    overload: { requestsMax: 3, lagMaxMs: 60_000 },
    handlers: {
      getThing: () => new Promise((resolve) => waiting.push(() => resolve({ ok: true }))),
      postThing: () => ({}),
    },
  });
  const held = [1, 2, 3].map(() => app.get('/v1/thing'));
  while (waiting.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  const refused = await app.get('/v1/thing');
  await assertProblem(refused, { status: 503, code: 'OVERLOADED' });
  assert.equal(refused.headers.get('retry-after'), '1');
  for (const release of waiting) release();
  for (const response of await Promise.all(held)) assert.equal(response.status, 200);
});

test('health is answered however busy the server is', async (t) => {
  const app = await startTestServer(t, {
    overload: { requestsMax: 0, lagMaxMs: 60_000 },
    operations: [getThing, { ...getThing, id: 'getHealth', path: '/health' }],
    handlers: { getThing: () => ({ ok: true }), getHealth: () => ({ ok: true }) },
  });
  assert.equal((await app.get('/v1/thing')).status, 503);
  assert.equal((await app.get('/v1/health')).status, 200);
});

test("the console's files are answered however busy the server is", async (t) => {
  const file = buildStaticFile('index.html', Buffer.from('<!doctype html>'));
  const app = await startTestServer(t, {
    overload: { requestsMax: 0, lagMaxMs: 60_000 },
    findFile: (path) => (path === '/' ? file : null),
  });
  assert.equal((await app.get('/v1/thing')).status, 503);
  const page = await app.get('/');
  assert.equal(page.status, 200);
  assert.equal(await page.text(), '<!doctype html>');
});

test('a stalled event loop sheds load, then recovers', async (t) => {
  const app = await startTestServer(t, { overload: { requestsMax: 1000, lagMaxMs: 100 } });
  let shed = await app.get('/v1/thing');
  // On a busy machine a request may come only after the next look at the delay.
  for (let stall = 0; stall < 20 && shed.status !== 503; stall += 1) {
    const pending = app.get('/v1/thing');
    const untilMs = performance.now() + 500;
    while (performance.now() < untilMs);
    shed = await pending;
  }
  await assertProblem(shed, { status: 503, code: 'OVERLOADED' });
  let status = 503;
  for (let i = 0; i < 100 && status === 503; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    status = (await app.get('/v1/thing')).status;
  }
  assert.equal(status, 200);
});

test('each request gives one log line and one count, by operation', async (t) => {
  const app = await startTestServer(t);
  await (await app.get('/v1/thing')).text();
  await (await app.get('/v1/nope?secret=hunter2')).text();
  while (app.logLines.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const lines = app.logLines.map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ operation, status, identity, msg }) => ({ operation, status, identity, msg })),
    [
      { operation: 'getThing', status: 200, identity: 'anonymous', msg: 'request' },
      { operation: 'unknown', status: 404, identity: 'none', msg: 'request' },
    ],
  );
  assert.equal(typeof lines[0].ms, 'number');
  assert.match(lines[0].requestId, /^[0-9a-f-]{36}$/);
  const text = await app.metrics.render();
  assert.match(text, /mintwire_http_requests_total\{operation="getThing",status="200"\} 1/);
  assert.match(text, /mintwire_http_request_duration_seconds_count\{operation="getThing"\} 1/);
  assert.match(text, /mintwire_limiter_decisions_total\{policy="anonymous",outcome="allowed"\} 1/);
});

test('behind https browsers are told to stay with it, on every response', async (t) => {
  const [secure, plain] = [await startTestServer(t, { isSecure: true }), await startTestServer(t)];
  for (const path of ['/v1/thing', '/v1/nope']) {
    const field = (await secure.get(path)).headers.get('strict-transport-security');
    assert.equal(field, 'max-age=31536000');
    assert.equal((await plain.get(path)).headers.get('strict-transport-security'), null);
  }
});
