// Pins what a probe of the embedded store checks.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createSqliteStore } from './create-sqlite-store.ts';

async function openStore(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-sqlite-'));
  const reported: string[] = [];
  const store = await createSqliteStore({
    file: join(folder, 'market.sqlite'),
    onOutage: ({ fault }) => void reported.push(fault),
    onRecovered: () => void reported.push('recovered'),
  });
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, store, reported };
}

test('a ping writes, since a disk that can be read may still be full', async (t) => {
  const { folder, store } = await openStore(t);
  const other = new DatabaseSync(join(folder, 'access.sqlite'));
  t.after(() => other.close());
  // Changes with each commit by another connection.
  const readVersion = () => other.prepare('PRAGMA data_version').get()?.['data_version'];
  const before = readVersion();
  assert.equal(readVersion(), before);
  await store.ping();
  assert.notEqual(readVersion(), before);
});

test('a log that was replaced refuses writes and snapshots until it is back', async (t) => {
  const { folder, store } = await openStore(t);
  const log = join(folder, 'market.sqlite-wal');
  renameSync(log, `${log}.aside`);
  await assert.rejects(store.market.putAccounts('base', new Map()), { fault: 'gone' });
  await assert.rejects(
    store.market.snapshot(async () => 1),
    { fault: 'gone' },
  );
  await assert.rejects(store.ping(), { fault: 'gone' });
  await assert.rejects(store.market.readCheckpoint('base'), { fault: 'gone' });
  renameSync(`${log}.aside`, log);
  await store.ping();
  assert.equal(await store.market.readCheckpoint('base'), null);
});

test('a fault of another thread is reported until a probe succeeds', async (t) => {
  const { store, reported } = await openStore(t);
  store.report('io', 'a commit of the indexer');
  assert.deepEqual(reported, ['io']);
  await store.ping();
  assert.deepEqual(reported, ['io', 'recovered']);
  store.report('damaged', 'a page of the indexer');
  await assert.rejects(store.ping(), { fault: 'damaged' });
});

test('the files are for their owner alone', async (t) => {
  const { folder } = await openStore(t);
  for (const name of readdirSync(folder)) {
    assert.equal((statSync(join(folder, name)).mode & 0o777).toString(8), '600', name);
  }
});
