// Pins that what a process keeps of the file does not grow with it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteConnection } from './sqlite-connection.ts';

const CACHES_MAX_KIB = 32 * 1024;

test('no connection maps the file, and their caches are small', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-connection-'));
  const open = (options: ConstructorParameters<typeof SqliteConnection>[1]) => {
    const connection = new SqliteConnection(join(folder, 'a.sqlite'), options);
    t.after(() => connection.close());
    const read = (name: string): unknown => {
      const row = connection.prepare({ sql: `PRAGMA ${name}`, takes: [] }).get();
      return (row as unknown as unknown[] | undefined)?.[0];
    };
    return { mapped: Number(read('mmap_size')), cacheKiB: -Number(read('cache_size')) };
  };
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const connections = [
    open({ readOnly: false }),
    open({ readOnly: true }),
    open({ readOnly: true, isSnapshot: true }),
  ];
  for (const { mapped } of connections) assert.equal(mapped, 0);
  const cachesKiB = connections.reduce((sum, { cacheKiB }) => sum + cacheKiB, 0);
  assert.ok(cachesKiB > 0 && cachesKiB <= CACHES_MAX_KIB, `${cachesKiB} KiB`);
});
