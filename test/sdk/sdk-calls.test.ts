// Calls of the SDK: what is sent, what is thrown, what is tried again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createClient, isProblem, MintwireError } from '../../sdk/src/client.ts';
import { answerJson, answerProblem, breakOff, startScriptedServer } from './scripted-server.ts';

const AT_ONCE = { 'retry-after': '0' };

async function catchError(work: Promise<unknown>): Promise<MintwireError> {
  const error = await work.then(
    () => assert.fail('it did not throw'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MintwireError, String(error));
  return error;
}

describe('a request', () => {
  test('has its input in the query or the body, with lists joined and gaps left out', async (t) => {
    const { baseUrl, requests } = await startScriptedServer(t, [answerJson({ ok: true })]);
    const client = createClient({ baseUrl: `${baseUrl}/` });
    assert.deepEqual(await client.getChains(), { ok: true });
    await client.getHolders({ chain: 'base', mint: '0xA b', exclude: ['pool', 'burn'] });
    await client.getPrices({ tokens: [{ chain: 'base', mint: '0xA' }] });
    await client.revokeKey({ id: 'key_1' });
    await client.createKey({ name: 'a' }, { idempotencyKey: 'once' });
    assert.deepEqual(
      requests.map(({ method, path, body }) => [method, path, body]),
      [
        ['GET', '/v1/chains', ''],
        ['GET', '/v1/token/holders?chain=base&mint=0xA+b&exclude=pool%2Cburn', ''],
        ['POST', '/v1/prices', '{"tokens":[{"chain":"base","mint":"0xA"}]}'],
        ['DELETE', '/v1/keys?id=key_1', ''],
        ['POST', '/v1/keys', '{"name":"a"}'],
      ],
    );
    assert.equal(requests[4]?.headers['idempotency-key'], 'once');
  });

  test('carries the key or the session, each where it belongs', async (t) => {
    const { baseUrl, requests } = await startScriptedServer(t, [answerJson({})]);
    const client = createClient({ baseUrl, apiKey: 'KEY' });
    await client.getMe();
    client.setSessionToken('SESSION');
    await client.getMe();
    await client.getChains();
    await client.callMcp({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const keyless = createClient({ baseUrl, sessionToken: 'SESSION' });
    await keyless.getChains();
    await keyless.callMcp({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await keyless.endSession();
    await keyless.getChains();
    assert.deepEqual(
      requests.map(({ headers }) => headers.authorization ?? null),
      [
        null,
        'Bearer SESSION',
        'Bearer KEY',
        'Bearer KEY',
        'Bearer SESSION',
        null,
        'Bearer SESSION',
        null,
      ],
    );
  });

  test('sends cookies only where sessions are cookies, and only to operations that take them', async () => {
    const modes: unknown[] = [];
    const fakeFetch: typeof fetch = async (_url, init) => {
      modes.push(init !== undefined && 'credentials' in init ? init.credentials : 'none');
      return new Response('{}');
    };
    const shared = { baseUrl: 'http://a/v1', fetch: fakeFetch };
    for (const session of ['token', 'cookie'] as const) {
      const client = createClient({ ...shared, session });
      await client.getChains();
      await client.getMe();
      await client.createChallenge({ address: '0x', chain: 'base' });
    }
    assert.deepEqual(modes, ['none', 'none', 'none', 'none', 'include', 'include']);
  });

  test('gives texts and pictures as such', async (t) => {
    const { baseUrl } = await startScriptedServer(t, [(response) => response.end('hello')]);
    const client = createClient({ baseUrl });
    assert.equal(await client.getLlms(), 'hello');
    const logo = await client.getTokenLogo({ chain: 'base', mint: '0xA' });
    assert.equal(await logo.text(), 'hello');
  });
});

describe('a problem', () => {
  test('is thrown with everything that the server says of it', async (t) => {
    const body = {
      ...{ type: '/x', title: 'Invalid input', status: 400, detail: 'limit: too high' },
      ...{
        code: 'INVALID_INPUT',
        requestId: 'r7',
        errors: [{ path: 'limit', message: 'too high' }],
      },
    };
    const { baseUrl, requests } = await startScriptedServer(t, [answerJson(body, 400)]);
    const error = await catchError(createClient({ baseUrl }).getChains());
    assert.ok(isProblem(error, 'TOKEN_NOT_FOUND', 'INVALID_INPUT'));
    assert.ok(!isProblem(error, 'TOKEN_NOT_FOUND'));
    assert.deepEqual(
      [error.status, error.title, error.detail, error.requestId, error.retryAfterMs],
      [400, 'Invalid input', 'limit: too high', 'r7', null],
    );
    assert.deepEqual(error.errors, body.errors);
    assert.equal(error.message, 'INVALID_INPUT: limit: too high');
    assert.equal(requests.length, 1);
  });

  test('of something else than the API says so', async (t) => {
    const { baseUrl } = await startScriptedServer(t, [
      (response) => response.writeHead(502).end('<html>'),
    ]);
    const client = createClient({ baseUrl, retry: { countMax: 0 } });
    const error = await catchError(client.getChains());
    assert.deepEqual([error.code, error.status], ['UNEXPECTED_ANSWER', 502]);
  });
});

describe('a retry', () => {
  test('comes no earlier than Retry-After says', async (t) => {
    const limited = answerProblem('RATE_LIMITED', 429, { 'retry-after': '1' });
    const { baseUrl, requests } = await startScriptedServer(t, [limited, answerJson({ ok: 1 })]);
    assert.deepEqual(await createClient({ baseUrl }).getChains(), { ok: 1 });
    const [first, second] = requests;
    // Timers may be a millisecond early.
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 998);
  });

  test('is not made if the wait is too long, nor more often than allowed', async (t) => {
    const late = await startScriptedServer(t, [
      answerProblem('RATE_LIMITED', 429, { 'retry-after': '3600' }),
    ]);
    const error = await catchError(createClient(late).getChains());
    assert.deepEqual([error.code, error.retryAfterMs], ['RATE_LIMITED', 3_600_000]);
    assert.equal(late.requests.length, 1);
    const busy = await startScriptedServer(t, [answerProblem('NOT_READY', 503, AT_ONCE)]);
    const refused = await catchError(createClient({ ...busy, retry: { countMax: 1 } }).getChains());
    assert.equal(refused.code, 'NOT_READY');
    assert.equal(busy.requests.length, 2);
  });

  test('of a write is made after 429 alone; a read also after 503 and a lost answer', async (t) => {
    const unavailable = answerProblem('UPSTREAM_UNAVAILABLE', 503, AT_ONCE);
    const limited = answerProblem('RATE_LIMITED', 429, AT_ONCE);
    const cases = [
      { fault: limited, write: 2, read: 2 },
      { fault: unavailable, write: 1, read: 2 },
      { fault: breakOff, write: 1, read: 2 },
    ];
    for (const { fault, write, read } of cases) {
      const first = await startScriptedServer(t, [fault, answerJson({})]);
      await createClient(first)
        .createKey({ name: 'a' })
        .catch((error: unknown) => assert.ok(error instanceof MintwireError));
      assert.equal(first.requests.length, write);
      const second = await startScriptedServer(t, [fault, answerJson({})]);
      await createClient(second).quoteTrade({
        ...{ chain: 'base', mint: '0xA', side: 'buy', amountInRaw: '1' },
      });
      assert.equal(second.requests.length, read);
    }
  });
});

describe('an end', () => {
  test('by the time limit is a TIMEOUT, and a lost answer is UNREACHABLE', async (t) => {
    const silent = await startScriptedServer(t, [() => undefined]);
    const retry = { countMax: 0 };
    const slow = createClient({ ...silent, timeoutMs: 30, retry });
    assert.equal((await catchError(slow.getChains())).code, 'TIMEOUT');
    const cut = await startScriptedServer(t, [
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"a":');
        setTimeout(() => response.destroy(), 5);
      },
    ]);
    assert.equal(
      (await catchError(createClient({ ...cut, retry }).getChains())).code,
      'UNREACHABLE',
    );
  });

  test('by the signal throws its reason, before, during and between requests', async (t) => {
    const silent = await startScriptedServer(t, [() => undefined]);
    const busy = await startScriptedServer(t, [
      answerProblem('NOT_READY', 503, { 'retry-after': '20' }),
    ]);
    const reason = new Error('enough');
    for (const server of [silent, busy]) {
      const abort = new AbortController();
      const call = createClient(server).getChains({}, { signal: abort.signal });
      while (server.requests.length === 0) await new Promise((done) => setTimeout(done, 1));
      abort.abort(reason);
      await assert.rejects(call, reason);
      await assert.rejects(createClient(server).getChains({}, { signal: abort.signal }), reason);
      assert.equal(server.requests.length, 1);
    }
  });
});
