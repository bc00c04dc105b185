// An asynchronous standby of PostgreSQL takes over, commits are lost, and nobody is restarted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import { PostgresPool } from '../../src/store/postgres/postgres-pool.ts';
import { drillFailover } from '../drill/failover.ts';
import { startFailoverServers } from '../failover-servers.ts';

test('after a failover no name has the number of another, and what was lost is not remembered', async (t) => {
  const servers = await startFailoverServers(t);
  const store = await createPostgresStore({ url: servers.url });
  await store.close();
  const pool = new PostgresPool({ url: servers.url });
  t.after(() => pool.close());
  const toNames = (prefix: string) =>
    new Set(Array.from({ length: 200 }, (_, index) => `${prefix}${index}`));
  await pool.names.addIds(toNames('kept'));
  await servers.untilReplayed();
  servers.cutStandby();
  const lost = await pool.names.addIds(toNames('lost'));
  await servers.failOver();
  // In a transaction, as rows are written: the first may fail, because its server is gone.
  const addIds = async (names: ReadonlySet<string>) => {
    for (;;) {
      try {
        return await pool.transaction('BEGIN', async (session) => {
          await session.query({ sql: 'SELECT 1', takes: [], gives: ['integer'] }, []);
          return await pool.names.addIds(names);
        });
      } catch {}
    }
  };
  const others = await addIds(toNames('other'));
  const reused = new Set(others.values());
  assert.ok(
    [...lost.values()].some((id) => reused.has(id)),
    'no number was given again',
  );
  const again = await addIds(toNames('lost'));
  for (const id of again.values()) assert.ok(!reused.has(id), `${id} has two names`);
  const stored = await servers.run('SELECT id, name FROM names');
  for (const { id, name } of stored) {
    const known = again.get(String(name)) ?? others.get(String(name)) ?? id;
    assert.equal(known, id, `${name}`);
  }
});

test('nodes go on after a failover that lost commits: a new epoch, new streams, no difference', async (t) => {
  t.diagnostic(await drillFailover(t, { count: 1, log: (line) => t.diagnostic(line) }));
});
