// Pins that rows do not pile up between the indexer's thread and the writer's.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildCommand } from '../migrations/migration.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { ThreadedSqliteWriter } from './threaded-sqlite-writer.ts';

const TABLE = defineTable('t', { key: { k: 'integer' }, data: { v: 'integer' } });

async function createWriter(t: TestContext): Promise<ThreadedSqliteWriter> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-writer-'));
  const writer = new ThreadedSqliteWriter(join(folder, 'a.sqlite')).start();
  t.after(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await writer.transaction((session) =>
    session.execute(buildCommand('CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)'), []),
  );
  return writer;
}

function buildRows(count: number): SqlRow[] {
  return Array.from({ length: count }, (_, key) => [key, 1]);
}

test('rows of many messages are all written', async (t) => {
  const writer = await createWriter(t);
  const rows = buildRows(65_001);
  await writer.transaction((session) => session.insertRows(TABLE, rows));
  await writer.transaction(async (session) => {
    await session.upsertRows(
      TABLE,
      rows.slice(1).map(([key]) => [key ?? 0, 2]),
    );
    await session.deleteRows(
      TABLE,
      rows.slice(0, 2).map(([key]) => [key ?? 0]),
    );
  });
  const sql = 'SELECT COUNT(*), MIN(k), MIN(v) FROM t';
  const sums = { sql, takes: [], gives: ['integer', 'integer', 'integer'] } as const;
  const found = await writer.transaction((session) => session.query(sums, []));
  assert.deepEqual(found, [[64_999, 2, 2]]);
});

test('few rows are sent without waiting for them, many wait until they are written', async (t) => {
  const writer = await createWriter(t);
  const twice = (count: number) => [...buildRows(1), ...buildRows(count)];
  const known: boolean[] = [];
  for (const rows of [twice(100), twice(60_000)]) {
    await assert.rejects(
      writer.transaction(async (session) => {
        // A failure is known to the call itself only if it has waited.
        await session.insertRows(TABLE, rows).then(
          () => known.push(false),
          () => known.push(true),
        );
      }),
      /UNIQUE/,
    );
  }
  assert.deepEqual(known, [false, true]);
});
