// The priority of one thread is lowered, not that of its process.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const SOURCE = `
  const { readFileSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData).then(({ lowerThreadPriority }) => {
    lowerThreadPriority();
    // The fields behind the name, which may contain spaces: the 19th of all is the priority.
    const fields = readFileSync('/proc/thread-self/stat', 'utf8').split(') ').at(-1).split(' ');
    parentPort.postMessage(Number(fields[16]));
  });
`;

test('a thread lowers its own priority and no other', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = getPriority(process.pid);
  const url = new URL('./lower-thread-priority.ts', import.meta.url).href;
  const worker = new Worker(SOURCE, { eval: true, workerData: url });
  const [lowered] = await once(worker, 'message');
  await worker.terminate();
  assert.equal(lowered, Math.max(before, 5));
  assert.equal(getPriority(process.pid), before);
});
