// Pins that what an indexer keeps of the file does not grow with it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteConnection } from './sqlite-connection.ts';

const MIB = 1024 ** 2;

test('only connections that serve reads map the file', (t) => {
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
  const writing = open({ readOnly: false });
  const serving = open({ readOnly: true });
  const indexing = open({ readOnly: true, isIndexing: true });
  assert.equal(writing.mapped, 0);
  assert.equal(indexing.mapped, 0);
  assert.ok(serving.mapped > 100 * MIB, `${serving.mapped} bytes may be mapped`);
  assert.ok(indexing.cacheKiB < serving.cacheKiB);
});
