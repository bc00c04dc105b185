// Pins that V8 has the setting on which the memory of an indexer depends: it only warns otherwise.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

test('V8 knows by how much a heap may grow', () => {
  const script = '(await import(process.argv[1])).watchHeapGrowth(() => true)();';
  const module = new URL('./indexer-heap.ts', import.meta.url).href;
  const flags = ['--input-type=module', '--eval', script, module];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});
