// Copied rows are read back as they were given, and one that is refused refuses the transaction.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '../../../test/postgres.ts';
import { buildCommand } from '../migrations/migration.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { PostgresPool } from './postgres-pool.ts';

const TABLE = defineTable('notes', {
  key: { owner: 'hex', place: 'integer' },
  data: { note: 'text' },
});
const SELECT_ALL = {
  sql: 'SELECT owner, place, note FROM notes ORDER BY place',
  takes: [],
  gives: TABLE.types,
};
const OWNERS = [`0x${'0a'.repeat(20)}`, `0x${'ff'.repeat(32)}`, 'hi', ''];
const NOTES = ['', 'a\tb', 'line\nline\r', '\\N', '\\.', '\\\\x00', '€ 𝄞 "quoted", {x}', null];

/** More than one statement has. */
const ROWS: readonly SqlRow[] = Array.from({ length: 4_500 }, (_, place) => [
  OWNERS[place % OWNERS.length] ?? '',
  place,
  NOTES[place % NOTES.length] ?? null,
]);

async function openPool(t: TestContext): Promise<PostgresPool> {
  const database = await createTestDatabase();
  const pool = new PostgresPool({ url: database.url, poolSize: 1 });
  t.after(async () => {
    await pool.close();
    await database.drop();
  });
  await pool.session.execute(
    buildCommand(`CREATE TABLE notes (owner BYTEA NOT NULL, place BIGINT NOT NULL, note TEXT,
      PRIMARY KEY (owner, place))`),
    [],
  );
  return pool;
}

test('copied rows are read back as they were given', async (t) => {
  const pool = await openPool(t);
  await pool.transaction('BEGIN', (session) => session.insertRows(TABLE, ROWS));
  assert.deepEqual(await pool.session.query(SELECT_ALL, []), ROWS);
});

test('a key that is stored refuses the copy, and nothing of the transaction stays', async (t) => {
  const pool = await openPool(t);
  const [first = []] = ROWS;
  await pool.session.insertRows(TABLE, [first]);
  const other: SqlRow = ['hi', -1, null];
  await assert.rejects(
    pool.transaction('BEGIN', async (session) => {
      await session.upsertRows(TABLE, [other]);
      await session.insertRows(TABLE, ROWS);
      await session.upsertRows(TABLE, [['hi', -2, null]]);
    }),
    { code: '23505' },
  );
  assert.deepEqual(await pool.session.query(SELECT_ALL, []), [first]);
});

test('a copy behind a statement that failed does not disturb the connection', async (t) => {
  const pool = await openPool(t);
  await assert.rejects(
    pool.transaction('BEGIN', async (session) => {
      await session.executeLater(buildCommand('SELECT 1 / 0'), []);
      await session.insertRows(TABLE, ROWS);
    }),
    { code: '22012' },
  );
  assert.deepEqual(await pool.session.query(SELECT_ALL, []), []);
  await pool.transaction('BEGIN', (session) => session.insertRows(TABLE, ROWS));
  assert.equal((await pool.session.query(SELECT_ALL, [])).length, ROWS.length);
});
