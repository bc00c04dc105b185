// The scripts that operators run on PostgreSQL, with its own programs: backup, restore, standby.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import { createAccessClient } from '../access-client.ts';
import { createClusterScene, untilSo, untilThere } from '../cluster/cluster-scene.ts';
import { assertVerified } from '../indexed-service.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { requirePostgresPrograms } from '../postgres-programs.ts';
import { after, before } from '../root-hooks.ts';
import { startStandby } from '../standby-server.ts';
import { type Cleanup, createTempFolder } from '../start-service-process.ts';
import { createSolanaWallet } from '../wallets.ts';

const execFileAsync = promisify(execFile);

let programs: string;
let server: PostgresServer;

before(async () => {
  programs = requirePostgresPrograms();
  server = await startPostgres({ programs });
});

after(() => server.stop());

async function query(url: string, sql: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function createDatabase(name: string): Promise<string> {
  await query(server.url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a script of deploy/ and returns what it printed. */
async function runScript(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  first = join(programs, 'bin'),
): Promise<string> {
  const path = `${first}:${join(programs, 'bin')}:${process.env['PATH'] ?? ''}`;
  const options = { env: { ...env, PATH: path } };
  const { stdout } = await execFileAsync(join('deploy', name), [...args], options);
  return stdout.trim();
}

test('a store is backed up while it is written, restored, verified and served again', async (t) => {
  const databaseUrl = await createDatabase('lived');
  const { chain, startNode } = await createClusterScene(t, { seed: 11, blocks: 30, databaseUrl });
  const node = await startNode();
  await untilThere(chain, node);
  const client = createAccessClient(node.origin);
  // The test family stands in the place of EVM chains.
  const { token } = await client.signIn(createSolanaWallet());
  const { key } = await client.issueKey(token);
  const folder = join(createTempFolder(t), 'backups');
  const source = { DATABASE_URL: databaseUrl, BACKUP_DIR: folder };
  chain.extend(10);
  const whole = await runScript('backup.sh', [], source);
  const access = await runScript('backup.sh', ['access'], source);
  assert.deepEqual(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
    [access, whole],
  );
  await untilThere(chain, node);
  await node.kill('SIGTERM');

  const restoredUrl = await createDatabase('restored');
  await runScript('restore.sh', [whole], { DATABASE_URL: restoredUrl });
  await assertVerified({ ...node.env, DATABASE_URL: restoredUrl });
  await assert.rejects(
    runScript('restore.sh', [whole], { DATABASE_URL: restoredUrl }),
    /tables already; restore into an empty one/,
  );
  const again = await startNode({ DATABASE_URL: restoredUrl });
  await untilThere(chain, again);
  const answer = await createAccessClient(again.origin).send('GET', '/entitlements', {
    bearer: key,
  });
  assert.equal(answer.body['level'], 'key');
  await again.kill('SIGTERM');

  const keysUrl = await createDatabase('keys');
  await runScript('restore.sh', [access], { DATABASE_URL: keysUrl });
  const anew = await startNode({ DATABASE_URL: keysUrl });
  await untilThere(chain, anew);
  const kept = await createAccessClient(anew.origin).send('GET', '/entitlements', { bearer: key });
  assert.equal(kept.body['level'], 'key');
  await anew.kill('SIGTERM');
});

/** Programs that note their arguments and password before they run. */
function watchPrograms(t: Cleanup, names: readonly string[]) {
  const folder = createTempFolder(t);
  const log = join(folder, 'log');
  for (const name of names) {
    const program = join(programs, 'bin', name);
    const script = `#!/bin/sh\necho "$PGPASSWORD ${name} $*" >> '${log}'\nexec '${program}' "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  return { folder, read: () => readFileSync(log, 'utf8').trim().split('\n') };
}

test('the password of the database is in no argument of a program', async (t) => {
  const url = new URL(await createDatabase('secretive'));
  await query(url.href, "CREATE ROLE discreet SUPERUSER LOGIN PASSWORD 'p@ss/%w'");
  const discreet = { username: 'discreet', password: encodeURIComponent('p@ss/%w') };
  Object.assign(url, discreet);
  await query(url.href, 'CREATE TABLE access_samples (id integer)');
  const restoredUrl = new URL(await createDatabase('secretive_copy'));
  Object.assign(restoredUrl, discreet);
  const watched = watchPrograms(t, ['pg_dump', 'pg_restore', 'psql']);
  const source = { DATABASE_URL: url.href, BACKUP_DIR: join(createTempFolder(t), 'backups') };
  const file = await runScript('backup.sh', [], source, watched.folder);
  await runScript('restore.sh', [file], { DATABASE_URL: restoredUrl.href }, watched.folder);
  const calls = watched.read();
  assert.equal(calls.length, 5);
  for (const call of calls) {
    assert.ok(call.startsWith('p@ss/%w '), call);
    assert.doesNotMatch(call.slice('p@ss/%w '.length), /p(@|%40)ss/);
  }
});

test('the role of the nodes owns the database, and has no rights on the server', async () => {
  const admin = new URL(await createDatabase('owned'));
  const secret = "own'er";
  await runScript('postgres/create-owner.sh', [], {
    ...{ PGHOST: admin.hostname, PGPORT: admin.port, PGPASSWORD: admin.password },
    ...{ POSTGRES_USER: admin.username, POSTGRES_DB: 'owned', DATABASE_PASSWORD: secret },
  });
  const url = Object.assign(new URL(admin), { username: 'mintwire', password: secret }).href;
  const sql = 'SELECT rolsuper OR rolreplication AS may FROM pg_roles WHERE rolname = current_user';
  assert.deepEqual(await query(url, sql), [{ may: false }]);
  const store = await createPostgresStore({ url });
  assert.equal(await store.market.readCheckpoint('devnet'), null);
  await store.close();
});

test('as many backups are kept as asked for, and a failed one leaves nothing', async (t) => {
  const url = await createDatabase('small');
  await query(url, 'CREATE TABLE access_samples (id integer)');
  const folder = createTempFolder(t);
  const source = { DATABASE_URL: url, BACKUP_DIR: folder, BACKUPS_KEPT: '2' };
  for (const hour of ['01', '02', '03']) {
    appendFileSync(join(folder, `mintwire-all-20260101T${hour}0000Z.dump`), '');
  }
  const last = await runScript('backup.sh', [], source);
  assert.deepEqual(
    readdirSync(folder).map((name) => join(folder, name)),
    [join(folder, 'mintwire-all-20260101T030000Z.dump'), last],
  );
  const nowhere = { ...source, DATABASE_URL: `${url}_that_is_not_there` };
  await assert.rejects(runScript('backup.sh', [], nowhere), /does not exist/);
  assert.equal(readdirSync(folder).length, 2);
});

test("the standby's scripts copy a primary and follow it", async (t) => {
  const primaryUrl = await createDatabase('followed');
  const standby = await startStandby({ programs, primaryUrl });
  t.after(() => standby.stop());
  assert.match(standby.rules, /^host replication replicator all scram-sha-256$/m);
  const [row] = await query(standby.url, 'SELECT pg_is_in_recovery() AS is_standby');
  assert.equal(row?.is_standby, true);
  await query(primaryUrl, 'CREATE TABLE later AS SELECT 7 AS number');
  await untilSo('a row arrives', () =>
    query(standby.url, 'SELECT number FROM later').then(
      ([later]) => later?.number === 7,
      () => false,
    ),
  );
  await assert.rejects(query(standby.url, 'DELETE FROM later'), /read-only/);
});
