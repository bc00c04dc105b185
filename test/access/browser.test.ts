// What browsers may do: which pages, with which cookies, and what a foreign page cannot do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../src/contract/operations.ts';
import { startAccess } from '../start-access.ts';
import { OWN_PAGE } from '../start-http-server.ts';
import { createEvmWallet } from '../wallets.ts';

const EVIL = 'https://evil.example';
const ALLOWED = 'https://app.example';
const COOKIE = '__Host-mw_session';

test('a page signs in by cookie, uses it and logs out', async (t) => {
  const server = await startAccess(t);
  const wallet = createEvmWallet();
  const { challengeId, message } = await server.challenge(wallet);
  const signature = await wallet.sign(message);
  const answer = await server.send('POST', '/auth/verify', {
    body: { challengeId, signature, transport: 'cookie' },
    headers: { origin: OWN_PAGE },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.body['token'], undefined, 'a page never sees the token');
  assert.ok(!JSON.stringify(answer.body).includes('mw_sess_'));
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const [pair = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
  assert.match(pair, new RegExp(`^${COOKIE}=mw_sess_[0-9A-Za-z]{49}$`));
  assert.deepEqual(attributes.sort(), [
    'HttpOnly',
    `Max-Age=${30 * 86_400}`,
    'Path=/',
    'SameSite=Lax',
    'Secure',
  ]);
  const headers = { cookie: `theme=dark; ${pair}; x=y` };
  assert.equal((await server.send('GET', '/me', { headers })).status, 200);
  const level = await server.send('GET', '/entitlements', { headers });
  assert.equal(level.body['level'], 'session');
  const out = await server.send('DELETE', '/auth/session', {
    headers: { ...headers, origin: OWN_PAGE },
  });
  assert.equal(out.status, 200);
  assert.match(out.headers.get('set-cookie') ?? '', new RegExp(`^${COOKIE}=; Max-Age=0;`));
  const over = await server.send('GET', '/me', { headers });
  assert.deepEqual([over.status, over.body.code], [401, 'INVALID_SESSION']);
});

test('a server without https uses a plain cookie on its own addresses', async (t) => {
  const server = await startAccess(t, { env: { PUBLIC_ORIGIN: '' } });
  server.access.origins.listenOn(server.server.port);
  const page = `http://localhost:${server.server.port}`;
  const cookie = await server.signInByCookie(createEvmWallet(), page);
  assert.match(cookie, /^mw_session=mw_sess_/);
  assert.equal((await server.send('GET', '/me', { headers: { cookie } })).status, 200);
  const secure = { cookie: cookie.replace('mw_session', COOKIE) };
  assert.equal((await server.send('GET', '/me', { headers: secure })).status, 401);
});

test('login CSRF: no page but an allowed one can set the cookie', async (t) => {
  const server = await startAccess(t, { env: { SESSION_ORIGINS: ALLOWED } });
  const wallet = createEvmWallet();
  for (const origin of [EVIL, 'null', `${OWN_PAGE}.evil.example`, `${OWN_PAGE}:444`, undefined]) {
    const { challengeId, message } = await server.challenge(wallet);
    const body = { challengeId, signature: await wallet.sign(message), transport: 'cookie' };
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const answer = await server.send('POST', '/auth/verify', { body, headers });
    assert.deepEqual([answer.status, answer.body.code], [403, 'ORIGIN_NOT_ALLOWED'], origin);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
  // The signed message named another page than the one that requests the cookie.
  const { challengeId, message } = await server.challenge(wallet);
  const body = { challengeId, signature: await wallet.sign(message), transport: 'cookie' };
  const crossed = await server.send('POST', '/auth/verify', { body, headers: { origin: ALLOWED } });
  assert.deepEqual([crossed.status, crossed.body.code], [403, 'ORIGIN_NOT_ALLOWED']);
});

test('a cookie write needs an allowed origin, a read does not', async (t) => {
  const server = await startAccess(t, { env: { SESSION_ORIGINS: ALLOWED } });
  const cookie = await server.signInByCookie(createEvmWallet(), OWN_PAGE);
  const body = { name: 'x' };
  for (const origin of [EVIL, 'null', undefined]) {
    const headers: Record<string, string> = { cookie, ...(origin ? { origin } : {}) };
    const answer = await server.send('POST', '/keys', { body, headers });
    assert.deepEqual([answer.status, answer.body.code], [403, 'ORIGIN_NOT_ALLOWED'], origin);
    const out = await server.send('DELETE', '/auth/session', { headers });
    assert.equal(out.status, 403);
  }
  for (const origin of [OWN_PAGE, ALLOWED]) {
    const answer = await server.send('POST', '/keys', { body, headers: { cookie, origin } });
    assert.equal(answer.status, 201);
  }
  assert.equal((await server.send('GET', '/keys', { headers: { cookie } })).body['active'], 2);
});

test('POST bodies are JSON, DELETE has none', async (t) => {
  const server = await startAccess(t);
  const cookie = await server.signInByCookie(createEvmWallet(), OWN_PAGE);
  const headers = { cookie, origin: OWN_PAGE };
  const form = await server.server.get('/v1/keys', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain' },
    body: '{"name":"x"}',
  });
  assert.equal(form.status, 415);
  const withBody = await server.send('DELETE', '/auth/session', { headers, body: {} });
  assert.deepEqual([withBody.status, withBody.body.code], [400, 'INVALID_INPUT']);
  assert.equal((await server.send('GET', '/me', { headers })).status, 200);
});

test('a stale cookie counts as anonymous, and the newer one of the browser stays', async (t) => {
  const server = await startAccess(t);
  const [, replaced = ''] = (await server.signInByCookie(createEvmWallet(), OWN_PAGE)).split('=');
  await server.signInByCookie(createEvmWallet(), OWN_PAGE, `${COOKIE}=${replaced}`);
  for (const value of ['garbage', '', 'mw_sess_x', `mw_sess_${'0'.repeat(49)}`, replaced]) {
    const headers = { cookie: `${COOKIE}=${value}` };
    const read = await server.send('GET', '/entitlements', { headers });
    assert.deepEqual([read.status, read.body['level']], [200, 'anonymous'], value);
    const me = await server.send('GET', '/me', { headers });
    assert.deepEqual([me.status, me.body.code], [401, 'INVALID_SESSION'], value);
    // Sent before a sign-in, answered after it: a browser would take it for the new cookie.
    for (const answer of [read, me]) assert.equal(answer.headers.get('set-cookie'), null, value);
  }
});

test('every operation answers browsers by its own rule, errors and preflights too', async (t) => {
  const server = await startAccess(t);
  const names = new Set(Object.keys(server.access.handlers));
  for (const operation of operations.filter((one) => names.has(one.id))) {
    const isOwn = operation.pages === 'own';
    assert.ok(isOwn || operation.access === 'public', operation.id);
    const request = { 'access-control-request-method': operation.method };
    for (const origin of [EVIL, OWN_PAGE]) {
      const preflight = await server.send('OPTIONS', operation.path, {
        headers: { ...request, origin, 'access-control-request-headers': 'authorization' },
      });
      const answer = await server.send(operation.method, operation.path, { headers: { origin } });
      for (const { headers } of [preflight, answer]) {
        const allowed = headers.get('access-control-allow-origin');
        const credentials = headers.get('access-control-allow-credentials');
        const expected = isOwn
          ? origin === OWN_PAGE
            ? [OWN_PAGE, 'true']
            : [null, null]
          : ['*', null];
        assert.deepEqual([allowed, credentials], expected, `${operation.id} from ${origin}`);
        const varies = headers.get('vary');
        if (isOwn) assert.equal(varies, 'Origin');
        else assert.ok(varies === null || varies === 'Accept-Encoding', `${varies}`);
        assert.doesNotMatch(headers.get('access-control-allow-headers') ?? '', /authorization/i);
      }
      assert.equal(preflight.status, 204);
    }
  }
});
