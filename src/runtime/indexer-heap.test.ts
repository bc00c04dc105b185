// Pins that V8 has the settings on which the speed and the memory of an indexer depend: it only
// warns otherwise.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { pickHeapGrowth } from './indexer-heap.ts';

test('V8 knows how much heaps may grow', () => {
  const script = '(await import(process.argv[1])).watchHeapGrowth()();';
  const module = new URL('./indexer-heap.ts', import.meta.url).href;
  const flags = ['--input-type=module', '--eval', script, module];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});

test('a large heap grows less', () => {
  assert.ok(pickHeapGrowth(1000 * 2 ** 20) < pickHeapGrowth(0));
});

test('a thread has a young heap of its own, whatever the flag of the main thread was', () => {
  const script = `
    const { setMemoryLimits } = await import(process.argv[1]);
    const { INDEXER_HEAP } = await import(process.argv[2]);
    const { Worker } = await import('node:worker_threads');
    setMemoryLimits();
    const source = \`
      import { parentPort } from 'node:worker_threads';
      import { getHeapSpaceStatistics } from 'node:v8';
      const kept = [];
      let most = 0;
      for (let round = 0; round < 3000000; round += 1) {
        kept[round % 200000] = { round };
        if (round % 10000 > 0) continue;
        const young = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
        most = Math.max(most, young.space_size);
      }
      parentPort.postMessage(most);
    \`;
    new Worker(source, { eval: true, resourceLimits: INDEXER_HEAP }).on('message', console.log);
  `;
  const modules = ['../cli/set-memory-limits.ts', './indexer-heap.ts'].map(
    (path) => new URL(path, import.meta.url).href,
  );
  const flags = ['--max-semi-space-size=8', '--input-type=module', '--eval', script, ...modules];
  const env = { MINTWIRE_MEMORY_SET: '1' };
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8', env });
  assert.equal(stderr, '');
  assert.ok(Number(stdout) > 20 * 2 ** 20, `the young heap had ${stdout} bytes`);
});
