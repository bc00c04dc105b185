// A key may be used within its scopes, its networks and its part of the budget, and not beyond.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findKeyScope } from '../../src/contract/operation.ts';
import { callMcp } from '../../src/contract/operations/call-mcp.ts';
import { getEntitlements } from '../../src/contract/operations/get-entitlements.ts';
import { getToken } from '../../src/contract/operations/get-token.ts';
import { quoteTrade } from '../../src/contract/operations/quote-trade.ts';
import { startAccess } from '../start-access.ts';
import { createEvmWallet } from '../wallets.ts';

const SMALL = { LIMIT_KEY_PER_MINUTE: '1200', LIMIT_KEY_BURST: '300' };

async function start(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const server = await startAccess(t, { env });
  const { token } = await server.signIn(createEvmWallet());
  const issue = (fields: object) =>
    server.send('POST', '/keys', { body: { name: 'test', ...fields }, bearer: token });
  const issueKey = async (fields: object) => {
    const { status, body } = await issue(fields);
    assert.equal(status, 201, JSON.stringify(body));
    return String(body['key']);
  };
  const use = (key: string, path = '/entitlements') => server.send('GET', path, { bearer: key });
  return { ...server, token, issue, issueKey, use };
}

test('a key without limits has all scopes but that of webhooks, everywhere', async (t) => {
  const { issue } = await start(t);
  const { body } = await issue({});
  assert.deepEqual(
    [body['scopes'], body['allowedIps'], body['perMinute']],
    [['data', 'mcp', 'quote'], [], null],
  );
});

test('outside its scopes a key is 403, and says which is missing', async (t) => {
  const { issueKey, use } = await start(t);
  const key = await issueKey({ scopes: ['quote'] });
  const refused = await use(key);
  assert.deepEqual([refused.status, refused.body.code], [403, 'KEY_NOT_PERMITTED']);
  assert.match(String(refused.body['detail']), /does not have the scope `data`/);
  assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"ip"/);
  assert.equal((await use(await issueKey({ scopes: ['data'] }))).status, 200);
  // A key never opens a route of sessions, whatever its scopes.
  assert.equal((await use(key, '/me')).status, 401);
});

test('agents and quotes have scopes of their own', () => {
  const scopes = [callMcp, quoteTrade, getToken, getEntitlements].map(findKeyScope);
  assert.deepEqual(scopes, ['mcp', 'quote', 'data', 'data']);
});

test('a key is used only from its networks', async (t) => {
  const { issueKey, use } = await start(t);
  const far = await use(await issueKey({ allowedIps: ['10.0.0.0/8', '2001:db8::/48'] }));
  assert.deepEqual([far.status, far.body.code], [403, 'KEY_NOT_PERMITTED']);
  assert.match(String(far.body['detail']), /may not be used from this address/);
  const near = await use(await issueKey({ allowedIps: ['10.0.0.0/8', '127.0.0.0/8', '::1/64'] }));
  assert.equal(near.status, 200);
});

test('networks that are none, and too small ones, are refused by their place', async (t) => {
  const { issue } = await start(t);
  for (const [allowedIps, path] of [
    [['10.0.0.0/8', 'nonsense'], 'allowedIps.1'],
    [['10.0.0.0/33'], 'allowedIps.0'],
    [['2001:db8::1'], 'allowedIps.0'],
    [[], 'allowedIps'],
  ] as const) {
    const { status, body } = await issue({ allowedIps });
    assert.equal(status, 400, JSON.stringify(allowedIps));
    assert.equal((body['errors'] as { path: string }[])[0]?.path, path);
  }
  assert.equal((await issue({ scopes: ['admin'] })).status, 400);
});

test('a part of the budget ends before the whole, which other keys still have', async (t) => {
  const { issueKey, use, clock } = await start(t, SMALL);
  const part = await issueKey({ perMinute: 60 });
  const whole = await issueKey({});
  const seen: (number | string | null)[] = [];
  for (let count = 0; count < 16; count += 1) {
    const { status, headers } = await use(part);
    seen.push(status);
    if (count === 0) seen.push(headers.get('ratelimit'), headers.get('ratelimit-policy'));
  }
  // 300 at once of 1200 a minute: a twentieth of both.
  assert.deepEqual(seen.slice(0, 3), [200, '"key-share";r=14;t=1', '"key-share";q=15;w=15']);
  assert.deepEqual(seen.slice(-2), [200, 429]);
  clock.advance(1000);
  const { budget } = (await use(part)).body as { budget: { perMinute: number; burst: number } };
  assert.deepEqual([budget.perMinute, budget.burst], [60, 15]);
  const other = await use(whole);
  assert.equal(other.status, 200);
  // What the part has used is used of the whole, too; a refused request is not.
  assert.match(other.headers.get('ratelimit') ?? '', /^"key";r=298;/);
  clock.advance(1000);
  assert.equal((await use(part)).status, 200);
});

test('the whole budget also ends for a key with a part of it', async (t) => {
  const env = { LIMIT_KEY_PER_MINUTE: '60', LIMIT_KEY_BURST: '12' };
  const { issueKey, use } = await start(t, env);
  const [part, whole] = [await issueKey({ perMinute: 60 }), await issueKey({})];
  for (let count = 0; count < 12; count += 1) assert.equal((await use(whole)).status, 200);
  const refused = await use(part);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"key"/);
});

test('a part cannot be larger than the whole', async (t) => {
  const { issue } = await start(t, SMALL);
  const { status, body } = await issue({ perMinute: 1201 });
  assert.equal(status, 400);
  assert.match(String(body['detail']), /perMinute: must be at most 1200, the budget of the wallet/);
});

test('a repeated request with other limits is a conflict', async (t) => {
  const { send, token } = await start(t);
  const ask = (fields: object) =>
    send('POST', '/keys', {
      ...{ body: { name: 'one', ...fields }, bearer: token },
      headers: { 'idempotency-key': 'same' },
    });
  assert.equal((await ask({ scopes: ['data'] })).status, 201);
  assert.equal((await ask({ scopes: ['data'] })).headers.get('idempotency-replayed'), 'true');
  assert.deepEqual((await ask({})).body.code, 'IDEMPOTENCY_CONFLICT');
});

test('a key has the scope of webhooks and alerts only if its owner names it', async (t) => {
  const { issue } = await start(t);
  const { body } = await issue({ scopes: ['webhooks', 'data'] });
  assert.deepEqual(body['scopes'], ['data', 'webhooks']);
});
