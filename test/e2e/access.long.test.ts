// Keys and sessions of a running service: secrets on disk and in logs, races, other processes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type AccessClient, type ClientAnswer, createAccessClient } from '../access-client.ts';
import { createTestDatabase } from '../postgres.ts';
import { PLENTY_ENV } from '../start-access.ts';
import {
  createTempFolder,
  type RunningService,
  spawnService,
  startServiceProcess,
} from '../start-service-process.ts';
import { createEvmWallet, createSolanaWallet, type TestWallet } from '../wallets.ts';

const run = promisify(execFile);

interface Place {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly env: Readonly<Record<string, string>>;
  /** Everything stored, as bytes. */
  dump(): Promise<string>;
}

function createSqlitePlace(t: TestContext): Place {
  const folder = createTempFolder(t);
  return {
    name: 'SQLite',
    env: { DATA_DIR: folder },
    dump: async () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
        .join('\n'),
  };
}

async function createPostgresPlace(t: TestContext): Promise<Place> {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  return {
    name: 'PostgreSQL',
    env: {
      DATA_DIR: createTempFolder(t),
      DATABASE_URL: url,
      KEY_PEPPER: `1:${randomBytes(32).toString('base64')}`,
    },
    dump: async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        const { rows } = await client.query<{ name: string }>(
          "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
        );
        let text = '';
        for (const { name } of rows) {
          text += JSON.stringify((await client.query(`TABLE ${name}`)).rows);
        }
        return text;
      } finally {
        await client.end();
      }
    },
  };
}

async function start(
  t: TestContext,
  place: Place,
): Promise<RunningService & { client: AccessClient }> {
  const env = { ...PLENTY_ENV, ...place.env, LOG_LEVEL: 'trace' };
  const service = await startServiceProcess(t, { env });
  return { ...service, client: createAccessClient(service.origin) };
}

async function stop(service: RunningService): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

const PLACES = [createSqlitePlace, createPostgresPlace];

for (const createPlace of PLACES) {
  const engine = createPlace === createSqlitePlace ? 'SQLite' : 'PostgreSQL';

  test(`secrets are shown once and are nowhere else (${engine})`, async (t) => {
    const place = await createPlace(t);
    const service = await start(t, place);
    const { client } = service;
    const { token } = await client.signIn(createEvmWallet());
    const page = service.origin;
    const cookie = await client.signInByCookie(createSolanaWallet(), page);
    const { key, id } = await client.issueKey(token, 'secret bearer');
    const secrets = [token, cookie.split('=')[1] ?? '', key].map((secret) => secret.slice(8));
    const later: string[] = [];
    for (const path of ['/me', '/keys', '/auth/sessions', '/entitlements']) {
      later.push(JSON.stringify((await client.send('GET', path, { bearer: token })).body));
    }
    await client.send('GET', '/entitlements', { bearer: key });
    await client.send('GET', `/entitlements?key=${key}`, { bearer: key });
    await client.send('POST', '/keys', { body: { name: key.repeat(3) }, bearer: token });
    later.push(JSON.stringify((await client.send('GET', '/keys', { bearer: token })).body));
    later.push(await (await fetch(service.metricsUrl)).text());
    later.push(await place.dump());
    await client.send('DELETE', `/keys?id=${id}`, { bearer: token });
    await stop(service);
    later.push(await place.dump(), service.output());
    assert.match(later.join('\n'), /secret bearer/, 'the search looks at the right places');
    for (const secret of secrets) {
      assert.equal(secret.length, 49);
      for (const text of later) assert.ok(!text.includes(secret));
    }
  });

  test(`ten of 200 parallel requests get a key, one of 100 verifies signs in (${engine})`, async (t) => {
    const service = await start(t, await createPlace(t));
    const { client } = service;
    const { token } = await client.signIn(createEvmWallet());
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        untilAccepted(() =>
          client.send('POST', '/keys', { body: { name: `key ${n}` }, bearer: token }),
        ),
      ),
    );
    const codes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim());
    assert.deepEqual(countEach(codes), { '201': 10, '409 KEY_LIMIT_REACHED': 190 });
    const wallet = createEvmWallet();
    const { challengeId, message } = await client.challenge(wallet);
    const body = { challengeId, signature: await wallet.sign(message), transport: 'token' };
    const verifies = await Promise.all(
      Array.from({ length: 100 }, () =>
        untilAccepted(() => client.send('POST', '/auth/verify', { body })),
      ),
    );
    assert.equal(verifies.filter(({ status }) => status === 200).length, 1);
    const refused = verifies.filter(({ body: { code } }) => code === 'CHALLENGE_EXPIRED');
    assert.equal(refused.length, 99);
  });

  test(`keys and sessions outlive a restart, revocations too (${engine})`, async (t) => {
    const place = await createPlace(t);
    const first = await start(t, place);
    const { token } = await first.client.signIn(createEvmWallet());
    const [kept, revoked] = [
      await first.client.issueKey(token, 'kept'),
      await first.client.issueKey(token, 'revoked'),
    ];
    await first.client.send('GET', '/entitlements', { bearer: kept.key });
    await first.client.send('DELETE', `/keys?id=${revoked.id}`, { bearer: token });
    await stop(first);
    const { client } = await start(t, place);
    const level = await client.send('GET', '/entitlements', { bearer: kept.key });
    assert.equal(level.body['level'], 'key');
    const dead = await client.send('GET', '/entitlements', { bearer: revoked.key });
    assert.equal(dead.body.code, 'INVALID_API_KEY');
    const listed = await client.send('GET', '/keys', { bearer: token });
    const keys = listed.body['keys'] as { name: string; requests24h: number }[];
    assert.equal(keys.find((one) => one.name === 'kept')?.requests24h, 2);
  });

  test(`a revocation by another process takes effect within a second (${engine})`, async (t) => {
    const place = await createPlace(t);
    const service = await start(t, place);
    const { client } = service;
    const wallet = createEvmWallet();
    const { token } = await client.signIn(wallet);
    const [one, two] = [await client.issueKey(token, 'one'), await client.issueKey(token, 'two')];
    const use = async (key: string) =>
      (await client.send('GET', '/entitlements', { bearer: key })).status;
    assert.deepEqual([await use(one.key), await use(two.key)], [200, 200]);
    const env = { ...process.env, ...place.env };
    const cli = (...args: string[]) =>
      run(process.execPath, ['src/cli/main.ts', 'keys', ...args], { env });
    const list = await cli('list', '--wallet', wallet.address.toLowerCase());
    assert.match(list.stdout, /2 active, 2 in total/);
    assert.ok(list.stdout.includes(one.id) && !list.stdout.includes(one.key.slice(12)));
    assert.equal(await use(one.key), 200);
    const revoke = await cli('revoke', '--wallet', wallet.address, '--id', one.id);
    assert.match(revoke.stdout, new RegExp(`revoked ${one.id}`));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.deepEqual([await use(one.key), await use(two.key)], [401, 200]);
    const all = await cli('revoke', '--wallet', `eip155:${wallet.address}`);
    assert.match(all.stdout, /1 revoked/);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal(await use(two.key), 401);
    await assert.rejects(cli('revoke', '--wallet', createEvmWallet().address), /ever signed in/);
    await assert.rejects(cli('list'), /usage/);
  });
}

test('the pepper is a private file, and another one of the same version stops the start', async (t) => {
  const folder = createTempFolder(t);
  const env = { ...PLENTY_ENV, DATA_DIR: folder };
  const service = await startServiceProcess(t, { env });
  const client = createAccessClient(service.origin);
  const { token } = await client.signIn(createEvmWallet());
  const { key } = await client.issueKey(token);
  await stop(service);
  const file = join(folder, 'key-pepper');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const old = readFileSync(file, 'utf8').trim();
  writeFileSync(file, `1:${randomBytes(32).toString('base64')}`);
  const refused = spawnService(t, { env });
  assert.equal(await refused.exited, 1);
  assert.match(refused.output(), /pepper of version 1 is not the one/);
  assert.doesNotMatch(refused.output(), /\n\s+at .*\.ts/, 'no stack trace');
  // The new pepper beside the old one: old keys work and are rehashed when they are used.
  const next = `2:${randomBytes(32).toString('base64')}`;
  writeFileSync(file, `${old},${next}`);
  const both = await startServiceProcess(t, { env });
  const use = async (origin: string, bearer: string) =>
    (await createAccessClient(origin).send('GET', '/entitlements', { bearer })).status;
  assert.equal(await use(both.origin, key), 200);
  assert.equal(await use(both.origin, token), 200);
  const unused = await createAccessClient(both.origin).issueKey(token);
  await stop(both);
  writeFileSync(file, next);
  const newer = await startServiceProcess(t, { env });
  assert.deepEqual([await use(newer.origin, key), await use(newer.origin, unused.key)], [200, 200]);
  assert.equal(await use(newer.origin, token), 401, 'sessions sign in again');
});

test('PostgreSQL without a pepper stops the start', async (t) => {
  const service = spawnService(t, { env: { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' } });
  assert.equal(await service.exited, 1);
  assert.match(service.output(), /KEY_PEPPER must be set with DATABASE_URL/);
});

test('a flood of sign-ins from many wallets leaves the service answering', async (t) => {
  const service = await start(t, createSqlitePlace(t));
  const { client } = service;
  const wallets: TestWallet[] = Array.from({ length: 15 }, () => createEvmWallet());
  const signedIn = await Promise.all(wallets.map((wallet) => client.signIn(wallet)));
  const ids = new Set(signedIn.map(({ walletId }) => walletId));
  assert.equal(ids.size, wallets.length);
  assert.equal((await client.send('GET', '/health')).status, 200);
});

/** A busy machine refuses what waits too long, before it does anything; clients ask again. */
async function untilAccepted(ask: () => Promise<ClientAnswer>): Promise<ClientAnswer> {
  for (;;) {
    const answer = await ask();
    if (answer.body.code !== 'OVERLOADED') return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function countEach(codes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
