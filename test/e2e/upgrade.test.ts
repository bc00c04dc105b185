// A start on an SQLite store of the version before: the process answers during its upgrade.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSqliteStore } from '../../src/store/sqlite/create-sqlite-store.ts';
import { SQLITE_MARKET } from '../../src/store/sqlite/sqlite-migrations.ts';
import { findFreePort } from '../guarded-server.ts';
import { createNextVersion } from '../next-version.ts';
import { createTempFolder, spawnService } from '../start-service-process.ts';

/** Null while the port is closed. */
async function ask(url: string): Promise<{ status: number; detail: string } | null> {
  try {
    const response = await fetch(url);
    const { detail = '' } = (await response.json()) as { detail?: string };
    return { status: response.status, detail };
  } catch {
    return null;
  }
}

test('health and the reason of the wait are answered while the store is upgraded', async (t) => {
  const folder = createTempFolder(t);
  const file = join(folder, 'market.sqlite');
  await (await createSqliteStore({ file })).close();
  const root = createNextVersion(t);
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  // The upgrade cannot begin before this lock is released.
  database.exec('BEGIN IMMEDIATE');
  const port = await findFreePort();
  const service = spawnService(t, { root, env: { DATA_DIR: folder, PORT: String(port) } });
  const origin = `http://127.0.0.1:${port}/v1`;
  for (;;) {
    const ready = await ask(`${origin}/ready`);
    if (ready?.detail === 'The store is being upgraded.') break;
    assert.equal(service.child.exitCode, null, service.output());
    await sleep(10);
  }
  assert.equal((await ask(`${origin}/health`))?.status, 200);
  database.exec('COMMIT');
  while ((await ask(`${origin}/entitlements`))?.status !== 200) {
    assert.equal(service.child.exitCode, null, service.output());
    await sleep(20);
  }
  const [row] = database.prepare(`SELECT COUNT(*) AS n FROM ${SQLITE_MARKET.table}`).all();
  assert.equal(row?.['n'], SQLITE_MARKET.migrations.length + 1);
});
