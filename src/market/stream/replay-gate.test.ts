// Pins that work waits for its turn, and that all of it is done.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ReplayGate } from './replay-gate.ts';

test('of very many at once a few run at a time, and all of them are done', async () => {
  const gate = new ReplayGate(16);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
  };
  const failing = gate.run(() => Promise.reject(new Error('mine')));
  await assert.rejects(failing, /mine/);
  await Promise.all(Array.from({ length: 300 }, () => gate.run(work)));
  assert.equal(most, 16);
  assert.equal(running, 0);
});
