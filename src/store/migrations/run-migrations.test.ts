// Pins when the upgrade of a store is reported.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SqliteWriter } from '../sqlite/sqlite-writer.ts';
import type { Migration } from './migration.ts';
import { runMigrations } from './run-migrations.ts';

function buildMigration(id: number, count: number): Migration {
  const tables = Array.from(
    { length: count },
    (_, index) => `CREATE TABLE t${id}_${index} (v INT);`,
  );
  return { id, name: `step-${id}`, sql: tables.join('\n') };
}

function openScene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-migrations-'));
  const writer = new SqliteWriter(join(folder, 'a.sqlite'));
  t.after(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const reports: string[] = [];
  let nowMs = 0;
  async function migrate(migrations: readonly Migration[], stepMs: number): Promise<string[]> {
    reports.length = 0;
    await runMigrations(
      (work) => writer.transaction(work),
      { table: 'history', migrations, startingOver: 'Delete it' },
      {
        onMigrating: ({ id, name, statement, statementCount }) =>
          reports.push(`${id} ${name} ${statement}/${statementCount}`),
      },
      () => {
        nowMs += stepMs;
        return nowMs;
      },
    );
    return [...reports];
  }
  return { migrate };
}

test('a new store reports nothing, an upgrade each migration', async (t) => {
  const { migrate } = openScene(t);
  const first = [buildMigration(1, 2), buildMigration(2, 1)];
  assert.deepEqual(await migrate(first, 60_000), []);
  const all = [...first, buildMigration(3, 2), buildMigration(4, 1)];
  assert.deepEqual(await migrate(all, 0), ['3 step-3 1/2', '4 step-4 1/1']);
  assert.deepEqual(await migrate(all, 0), []);
});

test('a store with newer migrations is used if they only add, and refused otherwise', async (t) => {
  const { migrate } = openScene(t);
  const [first, second, third] = [1, 2, 3].map((id) => buildMigration(id, 1));
  if (first === undefined || second === undefined || third === undefined) assert.fail();
  const additive = { ...second, isAdditive: true } as const;
  await migrate([first, additive], 0);
  // The version before, and the one after it again.
  assert.deepEqual(await migrate([first], 0), []);
  assert.deepEqual(await migrate([first, additive], 0), []);
  await assert.rejects(migrate([first, second], 0), /is not the one that this version knows/);
  await migrate([first, additive, third], 0);
  await assert.rejects(migrate([first], 0), /written by a newer version/);
  await assert.rejects(migrate([first, additive], 0), /written by a newer version/);
});

test('an upgrade that takes long reports its statements', async (t) => {
  const { migrate } = openScene(t);
  const first = [buildMigration(1, 1)];
  await migrate(first, 0);
  assert.deepEqual(await migrate([...first, buildMigration(2, 5)], 1000), [
    '2 step-2 1/5',
    '2 step-2 3/5',
    '2 step-2 5/5',
  ]);
});
