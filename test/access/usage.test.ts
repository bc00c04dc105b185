// What GET /usage says is what was asked, exactly, under load and over several processes.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startAccess } from '../start-access.ts';
import { createEvmWallet } from '../wallets.ts';

const HOUR_MS = 3_600_000;

interface Row {
  readonly time: number;
  readonly keyId: string | null;
  readonly operation: string;
  readonly requests: number;
  readonly cost: number;
  readonly limited: number;
  readonly errors: number;
}

async function start(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const server = await startAccess(t, { env });
  const { token } = await server.signIn(createEvmWallet());
  const issueKey = async () => {
    const { body } = await server.send('POST', '/keys', { body: { name: 'a' }, bearer: token });
    return { id: String(body['id']), key: String(body['key']) };
  };
  const read = async (query = '') => {
    const { status, body } = await server.send('GET', `/usage${query}`, { bearer: token });
    assert.equal(status, 200, JSON.stringify(body));
    return body['rows'] as readonly Row[];
  };
  const use = (key: string, path = '/entitlements') => server.send('GET', path, { bearer: key });
  return { ...server, token, issueKey, read, use };
}

test('every request is counted once, by key and operation, under load', async (t) => {
  const { issueKey, read, use, clock } = await start(t);
  const [a, b] = [await issueKey(), await issueKey()];
  await Promise.all([
    ...Array.from({ length: 150 }, () => use(a.key)),
    ...Array.from({ length: 70 }, () => use(b.key)),
    ...Array.from({ length: 30 }, () => use(a.key, '/entitlements?odd=1')),
  ]);
  const time = Math.floor(clock.nowMs() / HOUR_MS) * HOUR_MS;
  const rows = (await read()).filter(({ keyId }) => keyId !== null);
  const row = { time, operation: 'getEntitlements', limited: 0 };
  const expected = [
    { ...row, keyId: a.id, requests: 180, cost: 180, errors: 30 },
    { ...row, keyId: b.id, requests: 70, cost: 70, errors: 0 },
  ].sort((one, other) => (one.keyId < other.keyId ? -1 : 1));
  assert.deepEqual(rows, expected);
  assert.deepEqual(
    (await read(`?keyId=${b.id}`)).map(({ requests }) => requests),
    [70],
  );
});

test('sessions are counted without a key, and limited requests apart', async (t) => {
  const env = { LIMIT_KEY_PER_MINUTE: '60', LIMIT_KEY_BURST: '10' };
  const { issueKey, read, use } = await start(t, env);
  const { key } = await issueKey();
  for (let count = 0; count < 13; count += 1) await use(key);
  const rows = await read();
  const ofKey = rows.find(({ keyId }) => keyId !== null);
  assert.deepEqual([ofKey?.requests, ofKey?.cost, ofKey?.limited, ofKey?.errors], [10, 10, 3, 0]);
  const ofSession = rows.filter(({ keyId }) => keyId === null);
  assert.deepEqual(
    ofSession.map(({ operation, requests }) => [operation, requests]),
    [['createKey', 1]],
  );
});

test('hours and days are told apart, and a range is inclusive of its first interval', async (t) => {
  const { issueKey, read, use, clock } = await start(t);
  const { key, id } = await issueKey();
  await use(key);
  const first = clock.nowMs();
  clock.advance(HOUR_MS);
  await use(key);
  const list = async (query: string) =>
    (await read(`?keyId=${id}&${query}`)).map(({ requests }) => requests);
  assert.deepEqual(await list('interval=1h'), [1, 1]);
  assert.deepEqual(await list(`from=${first}&to=${first + 1}`), [1]);
  const days = await list(`interval=1d&to=${clock.nowMs() + 1}`);
  assert.equal(
    days.reduce((sum, one) => sum + one, 0),
    2,
  );
});

test('a key cannot read it, and a range that is none is refused', async (t) => {
  const { issueKey, use, send, token } = await start(t);
  const { key } = await issueKey();
  assert.equal((await use(key, '/usage')).status, 401);
  const { status, body } = await send('GET', '/usage?from=5&to=5', { bearer: token });
  assert.deepEqual([status, body.code], [400, 'INVALID_INPUT']);
});
