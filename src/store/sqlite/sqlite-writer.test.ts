// Pins that a transaction is atomic even if SQLite itself rolls it back halfway.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildCommand } from '../migrations/migration.ts';
import { SqliteWriter } from './sqlite-writer.ts';

test('nothing is written after a failure that rolled the transaction back', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-writer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const writer = new SqliteWriter(join(folder, 'a.sqlite'));
  t.after(() => writer.close());
  const execute = (sql: string) =>
    writer.transaction((session) => session.execute(buildCommand(sql), []));
  await execute('CREATE TABLE t (v INTEGER)');
  // Like a full disk: the statement fails and rolls back the whole transaction.
  await execute(`CREATE TRIGGER fail BEFORE INSERT ON t WHEN NEW.v = 2
    BEGIN SELECT RAISE(ROLLBACK, 'as if the disk were full'); END`);
  await assert.rejects(
    writer.transaction((session) =>
      Promise.all(
        [1, 2, 3].map((v) => session.execute(buildCommand(`INSERT INTO t (v) VALUES (${v})`), [])),
      ),
    ),
    /as if the disk were full/,
  );
  const count = { sql: 'SELECT COUNT(*) FROM t', takes: [], gives: ['integer'] } as const;
  assert.deepEqual(await writer.transaction((session) => session.query(count, [])), [[0]]);
});
