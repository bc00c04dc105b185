// A store whose connections are all in use is busy, not broken; a deadlock is not an error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../../test/postgres.ts';
import { buildCommand } from '../migrations/migration.ts';
import { withFaults } from '../with-faults.ts';
import { createPostgresStore } from './create-postgres-store.ts';
import { findPostgresFault } from './find-postgres-fault.ts';
import { PostgresPool } from './postgres-pool.ts';

const LOOKS = 10;
/** Fails every statement that changes the schema under a time limit of less than an hour. */
const REFUSE_LIMITS = [
  `CREATE FUNCTION refuse_limits() RETURNS event_trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF current_setting('statement_timeout')::interval < interval '1 hour' THEN
       RAISE EXCEPTION 'a time limit of %', current_setting('statement_timeout');
     END IF;
   END $$`,
  'CREATE EVENT TRIGGER refuse_limits ON ddl_command_end EXECUTE FUNCTION refuse_limits()',
];
const ADD_ONE = buildCommand('UPDATE counts SET n = n + 1 WHERE id = $1');

test('the store is healthy while requests wait for a connection', async (t) => {
  const database = await createTestDatabase();
  const store = await createPostgresStore({ url: database.url, poolSize: 1 });
  t.after(async () => {
    await store.close();
    await database.drop();
  });
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writing = store.market.transaction('devnet', async () => {
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const waiting = store.market.readCheckpoint('devnet');
  try {
    // On a slow machine one check may take too long, but not all of them.
    let isInOrder = false;
    for (let look = 0; look < LOOKS && !isInOrder; look += 1) {
      isInOrder = await store.ping().then(
        () => true,
        () => false,
      );
    }
    assert.ok(isInOrder, `${LOOKS} looks in a row found it out of order`);
  } finally {
    held.resolve();
  }
  await Promise.all([writing, waiting]);
});

test('of two transactions that wait for each other, both commit', async (t) => {
  const database = await createTestDatabase();
  const pool = new PostgresPool({ url: database.url });
  t.after(async () => {
    await pool.close();
    await database.drop();
  });
  await pool.session.execute(
    buildCommand('CREATE TABLE counts (id TEXT PRIMARY KEY, n BIGINT)'),
    [],
  );
  await pool.session.execute(buildCommand("INSERT INTO counts VALUES ('a', 0), ('b', 0)"), []);
  // As the store uses it: errors are classified inside of the transaction.
  const engine = withFaults(
    {
      session: pool.session,
      transaction: (work) => pool.transaction('BEGIN', work),
      snapshot: (work) => pool.transaction('BEGIN', work),
    },
    { findFault: findPostgresFault, onError: () => undefined },
  );
  const both = Promise.withResolvers<void>();
  const runs: Promise<void>[] = [];
  let [waiting, begun] = [0, 0];
  const count = (own: number, first: string, second: string) =>
    engine.transaction(async (session) => {
      begun += 1;
      // The one that was ended waits for the other, so that they meet once only.
      if (begun > 2) await runs[1 - own];
      await session.execute(ADD_ONE, [first]);
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      await session.execute(ADD_ONE, [second]);
    });
  runs.push(count(0, 'a', 'b'), count(1, 'b', 'a'));
  await Promise.all(runs);
  assert.equal(begun, 3, 'one of them ran twice');
  const rows = await pool.session.query(buildCommand('SELECT id, n FROM counts ORDER BY id'), []);
  assert.deepEqual(rows, [
    ['a', 2],
    ['b', 2],
  ]);
});

test('no statement of an upgrade has a time limit, whatever the database says', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const pool = new PostgresPool({ url: database.url });
  const name = new URL(database.url).pathname.slice(1);
  for (const text of [...REFUSE_LIMITS, `ALTER DATABASE "${name}" SET statement_timeout = '20s'`]) {
    await pool.session.execute(buildCommand(text), []);
  }
  const create = buildCommand('CREATE TABLE limited (n BIGINT)');
  await assert.rejects(pool.session.execute(create, []), /a time limit of 25s/);
  await pool.close();
  const store = await createPostgresStore({ url: database.url });
  await store.close();
});

const SLOW_MS = 400;
const SHORT_TIMEOUTS = { statementMs: 200, queryMs: 300, idleMs: 10_000 };
/** One index takes longer to build than a statement of a store that serves may. */
const SLOW_INDEX = [
  `CREATE FUNCTION build_slowly() RETURNS event_trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands()
                WHERE object_identity LIKE '%.trades_by_wallet') THEN
       PERFORM pg_sleep(${SLOW_MS / 1000});
     END IF;
   END $$`,
  `CREATE EVENT TRIGGER build_slowly ON ddl_command_end
   WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION build_slowly()`,
];

test('an index is built, however long that takes, by statements that serving would end', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const options = { url: database.url, timeouts: SHORT_TIMEOUTS };
  const [pool, serving] = [new PostgresPool({ url: database.url }), new PostgresPool(options)];
  for (const text of SLOW_INDEX) await pool.session.execute(buildCommand(text), []);
  const sleep = buildCommand(`SELECT pg_sleep(${SLOW_MS / 1000})`);
  await assert.rejects(serving.session.execute(sleep, []), /timeout/);
  await serving.close();
  const migrated: string[] = [];
  const startedMs = performance.now();
  const store = await createPostgresStore({
    ...options,
    onMigrated: (name) => migrated.push(name),
  });
  assert.ok(performance.now() - startedMs >= SLOW_MS, 'the index took its time');
  await store.close();
  const found = await pool.session.query(
    buildCommand("SELECT 1 FROM pg_indexes WHERE indexname = 'trades_by_wallet'"),
    [],
  );
  await pool.close();
  assert.equal(found.length, 1);
  assert.ok(migrated.length > 0);
});
