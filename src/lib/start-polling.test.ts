// Tasks that take longer than the interval, or fail.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPolling } from './start-polling.ts';

test('a task never runs twice at once, and stopping waits for it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const works: PromiseWithResolvers<void>[] = [];
  const task = () => {
    const work = Promise.withResolvers<void>();
    works.push(work);
    return work.promise;
  };
  const stop = startPolling(task, { everyMs: 10, onError: (error) => assert.fail(String(error)) });
  t.mock.timers.tick(30);
  assert.equal(works.length, 1);
  works[0]?.resolve();
  await new Promise(setImmediate);
  t.mock.timers.tick(10);
  assert.equal(works.length, 2);
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(isStopped, false);
  works[1]?.resolve();
  await stopped;
  t.mock.timers.tick(50);
  assert.equal(works.length, 2);
});

test('a task that fails is reported and repeated', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const errors: unknown[] = [];
  const task = () => Promise.reject(new Error('no'));
  const stop = startPolling(task, { everyMs: 10, onError: (error) => errors.push(error) });
  for (let count = 1; count <= 2; count += 1) {
    t.mock.timers.tick(10);
    await new Promise(setImmediate);
    assert.equal(errors.length, count);
  }
  await stop();
});
