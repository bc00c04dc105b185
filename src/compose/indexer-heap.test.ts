// Pins that V8 has the setting on which the memory of an indexer depends: it only warns otherwise.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { pickHeapGrowth } from './indexer-heap.ts';

test('V8 knows by how much a heap may grow', () => {
  const script = '(await import(process.argv[1])).watchHeapGrowth(() => true)();';
  const module = new URL('./indexer-heap.ts', import.meta.url).href;
  const flags = ['--input-type=module', '--eval', script, module];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});

test('a large heap grows less, unless history is indexed beside it', () => {
  const megabytes = 2 ** 20;
  const [small, large] = [pickHeapGrowth(0, false), pickHeapGrowth(1000 * megabytes, true)];
  assert.ok(large < small);
  assert.equal(pickHeapGrowth(100 * megabytes, false), large);
  assert.equal(pickHeapGrowth(100 * megabytes, true), small);
});
