// Sessions over time: listed, used, idle, expired, logged out here and everywhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAccess } from '../start-access.ts';
import { OWN_PAGE } from '../start-http-server.ts';
import { createEvmWallet } from '../wallets.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("the list shows every session, and which one is the caller's", async (t) => {
  const server = await startAccess(t);
  const wallet = createEvmWallet();
  const first = await server.signIn(wallet);
  server.clock.advance(1000);
  const second = await server.signIn({ ...wallet, chain: 'polygon' });
  await server.signInByCookie(wallet, OWN_PAGE);
  await server.signIn(createEvmWallet());
  server.clock.advance(1000);
  const answer = await server.send('GET', '/auth/sessions', { bearer: second.token });
  const sessions = answer.body['sessions'] as Record<string, unknown>[];
  assert.equal(sessions.length, 3);
  const nowMs = server.clock.nowMs();
  assert.deepEqual(
    sessions.find((session) => session['id'] === second.sessionId),
    {
      id: second.sessionId,
      createdAt: nowMs - 1000,
      lastUsedAt: nowMs,
      expiresAt: nowMs + DAY_MS,
      transport: 'token',
      chain: 'polygon',
      current: true,
    },
  );
  assert.equal(sessions.find((one) => one['id'] === first.sessionId)?.['current'], false);
  assert.equal(sessions.filter((one) => one['transport'] === 'cookie').length, 1);
  assert.ok(!JSON.stringify(answer.body).includes('mw_sess_'));
});

test('a session ends after a day without use, and never lives longer than thirty', async (t) => {
  const server = await startAccess(t);
  const idle = await server.signIn(createEvmWallet());
  const busy = await server.signIn(createEvmWallet());
  const endMs = server.clock.nowMs() + 30 * DAY_MS;
  const get = (token: string) => server.send('GET', '/me', { bearer: token });
  server.clock.advance(DAY_MS - 1);
  assert.equal((await get(busy.token)).status, 200);
  assert.equal((await get(idle.token)).status, 200);
  server.clock.advance(DAY_MS - 1);
  assert.equal((await get(busy.token)).status, 200);
  server.clock.advance(1);
  const over = await get(idle.token);
  assert.deepEqual([over.status, over.body.code], [401, 'INVALID_SESSION']);
  while (server.clock.nowMs() + HOUR_MS * 12 < endMs) {
    server.clock.advance(HOUR_MS * 12);
    const answer = await get(busy.token);
    assert.equal(answer.status, 200);
    const { expiresAt } = answer.body['session'] as { expiresAt: number };
    assert.equal(expiresAt, Math.min(endMs, server.clock.nowMs() + DAY_MS));
  }
  server.clock.advance(endMs - server.clock.nowMs() - 1);
  assert.equal((await get(busy.token)).status, 200);
  server.clock.advance(1);
  assert.equal((await get(busy.token)).body.code, 'INVALID_SESSION');
});

test('logging out ends one session, logging out everywhere all of them; keys stay', async (t) => {
  const server = await startAccess(t);
  const wallet = createEvmWallet();
  const sessions = [];
  for (let i = 0; i < 4; i += 1) sessions.push(await server.signIn(wallet));
  const other = await server.signIn(createEvmWallet());
  const [a, b, c, d] = sessions.map((session) => session.token);
  const { key } = await server.issueKey(a!);
  const status = async (token: string) =>
    (await server.send('GET', '/auth/sessions', { bearer: token })).status;
  const out = await server.send('DELETE', '/auth/session', { bearer: a! });
  assert.deepEqual([out.status, out.body], [200, { ended: 1 }]);
  assert.equal(out.headers.get('set-cookie'), null);
  assert.deepEqual([await status(a!), await status(b!)], [401, 200]);
  const all = await server.send('DELETE', '/auth/sessions', { bearer: b! });
  assert.deepEqual(all.body, { ended: 3 });
  for (const token of [b!, c!, d!]) assert.equal(await status(token), 401);
  assert.equal(await status(other.token), 200);
  assert.equal((await server.send('GET', '/entitlements', { bearer: key })).status, 200);
});

test('a cookie does not work as a bearer token, nor a token as a cookie', async (t) => {
  const server = await startAccess(t);
  const wallet = createEvmWallet();
  const { token } = await server.signIn(wallet);
  const cookie = await server.signInByCookie(wallet, OWN_PAGE);
  const value = cookie.split('=')[1]!;
  const asBearer = await server.send('GET', '/me', { bearer: value });
  assert.deepEqual([asBearer.status, asBearer.body.code], [401, 'INVALID_SESSION']);
  const headers = { cookie: cookie.replace(value, token) };
  const asCookie = await server.send('GET', '/me', { headers });
  assert.deepEqual([asCookie.status, asCookie.body.code], [401, 'INVALID_SESSION']);
  assert.equal((await server.send('GET', '/me', { headers: { cookie } })).status, 200);
});

test('a bearer token takes precedence over the cookie', async (t) => {
  const server = await startAccess(t);
  const cookie = await server.signInByCookie(createEvmWallet(), OWN_PAGE);
  const { key } = await server.issueKey((await server.signIn(createEvmWallet())).token);
  const headers = { cookie };
  const byKey = await server.send('GET', '/entitlements', { headers, bearer: key });
  assert.equal(byKey.body['level'], 'key');
  const onSessionRoute = await server.send('GET', '/me', { headers, bearer: key });
  assert.equal(onSessionRoute.body.code, 'WALLET_SESSION_REQUIRED');
  assert.match(onSessionRoute.body['detail'] as string, /; an API key is not enough\.$/);
  const nobody = await server.send('GET', '/me', {});
  assert.match(nobody.body['detail'] as string, /; none was sent\.$/);
  const garbage = await server.send('GET', '/entitlements', { headers, bearer: 'nonsense' });
  assert.equal(garbage.body.code, 'INVALID_API_KEY');
});

test('a wallet keeps its fifty most recently used sessions', async (t) => {
  const server = await startAccess(t);
  const wallet = createEvmWallet();
  const first = await server.signIn(wallet);
  server.clock.advance(1000);
  const second = await server.signIn(wallet);
  for (let i = 0; i < 49; i += 1) {
    server.clock.advance(1000);
    await server.send('GET', '/me', { bearer: first.token });
    await server.access.stop();
    await server.signIn(wallet);
  }
  const status = async (token: string) =>
    (await server.send('GET', '/me', { bearer: token })).status;
  assert.equal(await status(first.token), 200, 'used all along');
  assert.equal(await status(second.token), 401, 'used longest ago');
});
