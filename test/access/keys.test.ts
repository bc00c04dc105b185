// The life of keys: issue once, count, expire, revoke, repeat requests.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPages } from '../read-pages.ts';
import { createTestAccess, createTestPeppers, startAccess } from '../start-access.ts';
import { createEvmWallet } from '../wallets.ts';

const DAY_MS = 86_400_000;

test('issue, use, list, revoke', async (t) => {
  const server = await startAccess(t);
  const { token } = await server.signIn(createEvmWallet());
  const issued = await server.send('POST', '/keys', {
    body: { name: '  prices backend ' },
    bearer: token,
  });
  assert.equal(issued.status, 201);
  assert.equal(issued.headers.get('cache-control'), 'no-store');
  const { key, ...metadata } = issued.body;
  assert.match(String(key), /^mw_live_[0-9A-Za-z]{49}$/);
  assert.equal(metadata['name'], 'prices backend');
  assert.equal(metadata['status'], 'active');
  assert.equal(metadata['prefix'], String(key).slice(0, 12));
  assert.equal(metadata['last4'], String(key).slice(-4));
  server.clock.advance(5000);
  for (let i = 0; i < 3; i += 1) {
    const answer = await server.send('GET', '/entitlements', { bearer: String(key) });
    assert.equal(answer.body['level'], 'key');
  }
  const listed = await server.send('GET', '/keys', { bearer: token });
  assert.deepEqual(listed.body, {
    keys: [{ ...metadata, lastUsedAt: server.clock.nowMs(), requests24h: 3 }],
    active: 1,
    limit: 10,
    nextCursor: null,
  });
  const path = `/keys?id=${metadata['id']}`;
  const revoked = await server.send('DELETE', path, { bearer: token });
  assert.equal(revoked.status, 200);
  assert.equal(revoked.body['status'], 'revoked');
  assert.equal(revoked.body['revokedAt'], server.clock.nowMs());
  const dead = await server.send('GET', '/entitlements', { bearer: String(key) });
  assert.deepEqual([dead.status, dead.body.code], [401, 'INVALID_API_KEY']);
  const again = await server.send('DELETE', path, { bearer: token });
  assert.deepEqual([again.status, again.body.code], [409, 'KEY_ALREADY_REVOKED']);
});

test('names are 1 to 64 printable characters', async (t) => {
  const server = await startAccess(t);
  const { token } = await server.signIn(createEvmWallet());
  const bad = ['', ' ', 'x'.repeat(65), 'a\nb', 'a\u0000b', 'a\u202eb', '\ud800', 'a\u200bb'];
  for (const name of bad) {
    const answer = await server.send('POST', '/keys', { body: { name }, bearer: token });
    assert.deepEqual(
      [answer.status, answer.body.code],
      [400, 'INVALID_INPUT'],
      JSON.stringify(name),
    );
    assert.equal((answer.body['errors'] as { path: string }[])[0]?.path, 'name');
  }
  for (const name of ['x', '名'.repeat(64), 'Müller & Söhne', '🙂']) {
    await server.issueKey(token, name);
  }
  for (const expiresInDays of [0, -1, 1.5, '1', 3651]) {
    const body = { name: 'x', expiresInDays };
    const answer = await server.send('POST', '/keys', { body, bearer: token });
    assert.equal(answer.status, 400, String(expiresInDays));
  }
});

test('a key expires on its day and frees its place', async (t) => {
  const server = await startAccess(t);
  const { token } = await server.signIn(createEvmWallet());
  const body = { name: 'brief', expiresInDays: 1 };
  const issued = await server.send('POST', '/keys', { body, bearer: token });
  const key = String(issued.body['key']);
  assert.equal(issued.body['expiresAt'], server.clock.nowMs() + DAY_MS);
  for (let i = 0; i < 9; i += 1) await server.issueKey(token);
  const full = await server.send('POST', '/keys', { body: { name: 'x' }, bearer: token });
  assert.deepEqual([full.status, full.body.code], [409, 'KEY_LIMIT_REACHED']);
  server.clock.advance(DAY_MS - 1);
  assert.equal((await server.send('GET', '/entitlements', { bearer: key })).status, 200);
  const listed = await server.send('GET', '/keys', { bearer: token });
  assert.equal(listed.body['active'], 10);
  server.clock.advance(1);
  const dead = await server.send('GET', '/entitlements', { bearer: key });
  assert.deepEqual([dead.status, dead.body.code], [401, 'INVALID_API_KEY']);
  await server.issueKey(token);
  const keys = (await server.send('GET', '/keys', { bearer: token })).body['keys'] as {
    status: string;
    name: string;
  }[];
  assert.equal(keys.find((one) => one.name === 'brief')?.status, 'expired');
});

test('of two hundred requests at once ten get a key', async (t) => {
  const server = await startAccess(t);
  const { token } = await server.signIn(createEvmWallet());
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      server.send('POST', '/keys', { body: { name: `key ${index}` }, bearer: token }),
    ),
  );
  const counts = Object.groupBy(answers, ({ status, body }) => `${status} ${body.code ?? ''}`);
  assert.deepEqual(
    Object.entries(counts)
      .sort()
      .map(([outcome, list]) => [outcome, list?.length]),
    [
      ['201 ', 10],
      ['409 KEY_LIMIT_REACHED', 190],
    ],
  );
  const { body } = await server.send('GET', '/keys?limit=100', { bearer: token });
  assert.equal(body['active'], 10);
  assert.equal((body['keys'] as unknown[]).length, 10);
  const issued = answers.filter(({ status }) => status === 201).map((one) => one.body['key']);
  assert.equal(new Set(issued).size, 10);
  for (const key of issued) {
    const { status } = await server.send('GET', '/entitlements', { bearer: String(key) });
    assert.equal(status, 200);
  }
});

test('a repeated request is answered without the secret, a changed one is a conflict', async (t) => {
  const server = await startAccess(t);
  const { token } = await server.signIn(createEvmWallet());
  const headers = { 'idempotency-key': 'deploy-42' };
  const send = (body: object, more = headers) =>
    server.send('POST', '/keys', { body, bearer: token, headers: more });
  const first = await send({ name: 'a' });
  const { key, ...metadata } = first.body;
  assert.equal(first.headers.get('idempotency-replayed'), null);
  const replay = await send({ name: 'a' });
  assert.equal(replay.status, 201);
  assert.deepEqual(replay.body, metadata);
  assert.equal(replay.headers.get('idempotency-replayed'), 'true');
  const conflict = await send({ name: 'b' });
  assert.deepEqual([conflict.status, conflict.body.code], [409, 'IDEMPOTENCY_CONFLICT']);
  assert.equal((await send({ name: 'a' }, { 'idempotency-key': ' ' })).status, 400);
  assert.equal((await send({ name: 'a' }, { 'idempotency-key': 'x'.repeat(256) })).status, 400);
  const other = await server.signIn(createEvmWallet());
  const theirs = await server.send('POST', '/keys', {
    body: { name: 'b' },
    bearer: other.token,
    headers,
  });
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body['key'], undefined);
  assert.equal((await server.send('GET', '/entitlements', { bearer: String(key) })).status, 200);
});

test("another wallet's keys do not exist", async (t) => {
  const server = await startAccess(t);
  const [alice, mallory] = [
    await server.signIn(createEvmWallet()),
    await server.signIn(createEvmWallet()),
  ];
  const { id } = await server.issueKey(alice.token);
  const answer = await server.send('DELETE', `/keys?id=${id}`, { bearer: mallory.token });
  assert.deepEqual([answer.status, answer.body.code], [404, 'KEY_NOT_FOUND']);
  const none = await server.send('DELETE', '/keys?id=key_none', { bearer: alice.token });
  assert.deepEqual([none.status, none.body.code], [404, 'KEY_NOT_FOUND']);
  assert.deepEqual((await server.send('GET', '/keys', { bearer: mallory.token })).body['keys'], []);
});

test('pages follow each other by cursor, and a cursor works for its owner only', async (t) => {
  const server = await startAccess(t);
  const { token } = await server.signIn(createEvmWallet());
  const made: string[] = [];
  for (let i = 0; i < 7; i += 1) made.push((await server.issueKey(token)).id);
  const seen = await readPages(made.length, async (cursor: string | null) => {
    const next = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await server.send('GET', `/keys?limit=3${next}`, { bearer: token });
    const rows = (page.body['keys'] as { id: string }[]).map((key) => key.id);
    return { rows, next: page.body['nextCursor'] as string | null };
  });
  assert.deepEqual([...seen].sort(), [...made].sort());
  const first = await server.send('GET', '/keys?limit=3', { bearer: token });
  const other = await server.signIn(createEvmWallet());
  for (const bad of ['x', 'e30', Buffer.from('[1,2,3]').toString('base64url'), '%F0%9F']) {
    const answer = await server.send('GET', `/keys?cursor=${bad}`, { bearer: token });
    assert.equal(answer.status, 400, bad);
  }
  const path = `/keys?cursor=${first.body['nextCursor']}`;
  const foreign = await server.send('GET', path, { bearer: other.token });
  assert.deepEqual([foreign.status, foreign.body.code], [400, 'INVALID_CURSOR']);
  const tooMany = await server.send('GET', '/keys?limit=101', { bearer: token });
  assert.match(String(tooMany.body['detail']), /limit: must be at most 100/);
});

test('a revocation on one node takes effect on the other within a second', async (t) => {
  const server = await startAccess(t);
  const peppers = createTestPeppers();
  const nodes = [0, 1].map(() => createTestAccess(server.store, server.clock, { peppers }));
  const context = { requestId: 'x', addressGroup: 'x', origin: null, idempotencyKey: null };
  const wallet = createEvmWallet();
  const anonymous = { ...context, identity: { kind: 'anonymous', key: 'x' } } as const;
  const { handlers } = nodes[0]!;
  const { address, chain } = wallet;
  const opened = await handlers.createChallenge({ address, chain }, anonymous);
  const { challengeId, message } = opened as { challengeId: string; message: string };
  const signature = await wallet.sign(message);
  const input = { challengeId, signature, transport: 'token' } as const;
  const { token } = (await handlers.verifyChallenge(input, anonymous)) as { token: string };
  const use = (node: number, bearer: string) =>
    Promise.resolve()
      .then(() =>
        nodes[node]!.identify({
          authorization: `Bearer ${bearer}`,
          sessionCookie: undefined,
          addressGroup: 'x',
        }),
      )
      .catch(() => null);
  const identity = (await use(0, token))!;
  const issued = await handlers.createKey({ name: 'x' }, { ...context, identity });
  const { id, key } = issued as { id: string; key: string };
  assert.equal((await use(1, key))?.kind, 'key', 'the other node has it in mind now');
  let notifiedCount = 0;
  const watched = (await use(1, key))!;
  nodes[1]!.watch.watch(watched, () => {
    notifiedCount += 1;
  });
  await handlers.revokeKey({ id }, { ...context, identity });
  assert.equal(await use(0, key), null, 'at once where it was revoked');
  server.clock.advance(1000);
  assert.equal(await use(1, key), null);
  await nodes[1]!.watch.poll(() => true);
  assert.equal(notifiedCount, 1, 'whoever holds something open is notified');
  assert.equal(nodes[1]!.watch.size, 0);
});

test('all keys of a wallet share one budget, other wallets and levels have their own', async (t) => {
  const env = { LIMIT_KEY_PER_MINUTE: '60', LIMIT_KEY_BURST: '10' };
  const server = await startAccess(t, { env });
  const { token } = await server.signIn(createEvmWallet());
  const [a, b] = [await server.issueKey(token), await server.issueKey(token)];
  const other = await server.issueKey((await server.signIn(createEvmWallet())).token);
  const get = (bearer: string) => server.send('GET', '/entitlements', { bearer });
  for (const { key } of Array.from({ length: 5 }, () => [a, b]).flat()) {
    const answer = await get(key);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('ratelimit-policy'), '"key";q=10;w=10');
  }
  for (const { key } of [a, b]) {
    const refused = await get(key);
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    const retryAfter = refused.headers.get('retry-after');
    assert.equal(refused.headers.get('ratelimit'), `"key";r=0;t=${retryAfter}`);
  }
  assert.equal((await get(other.key)).status, 200);
  assert.equal((await get(token)).body['level'], 'session');
  server.clock.advance(1000);
  assert.equal((await get(b.key)).status, 200);
});

test("/me and /entitlements show what is configured for the caller's level", async (t) => {
  const env = { LIMIT_SESSION_PER_MINUTE: '77', LIMIT_SESSION_BURST: '33' };
  const server = await startAccess(t, { env });
  const wallet = createEvmWallet();
  const { token, walletId, sessionId } = await server.signIn(wallet);
  const { key } = await server.issueKey(token);
  for (let i = 0; i < 4; i += 1) await server.send('GET', '/entitlements', { bearer: key });
  const me = await server.send('GET', '/me', { bearer: token });
  const depth = {
    ...{ streams: 50, trades: 500, holders: 1000, klines: 5000, prices: 100 },
    ...{ streamTokens: 100, alerts: 100, webhooks: 20, lookups: 60 },
  };
  assert.deepEqual(me.body['wallet'], { id: walletId, address: wallet.address, chain: 'base' });
  assert.equal((me.body['session'] as { id: string }).id, sessionId);
  const entitlements = me.body['entitlements'] as Record<string, unknown>;
  assert.equal(entitlements['level'], 'session');
  assert.deepEqual(entitlements['limits'], depth);
  const { perMinute, burst } = entitlements['budget'] as { perMinute: number; burst: number };
  assert.deepEqual({ perMinute, burst }, { perMinute: 77, burst: 33 });
  assert.deepEqual(me.body['keys'], { active: 1, limit: 10 });
  // Four with the key; one to issue it and this one with the session.
  assert.deepEqual(me.body['usage'], { requests24h: 6 });
  const anonymous = await server.send('GET', '/entitlements');
  assert.equal(anonymous.body['level'], 'anonymous');
  assert.deepEqual(anonymous.body['limits'], {
    streams: 4,
    trades: 300,
    holders: 100,
    klines: 1000,
    prices: 30,
    streamTokens: 10,
    alerts: 0,
    webhooks: 0,
    lookups: 12,
  });
  const own = await server.send('GET', '/entitlements', { bearer: token });
  assert.deepEqual(own.body, entitlements);
});
