// Readiness checks the store repeatedly, but at most once a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { createReadiness } from './readiness.ts';

test("a store's failure and recovery show within a second", async () => {
  const clock = new ManualClock();
  let isBroken = false;
  let asked = 0;
  const ping = async () => {
    asked += 1;
    if (isBroken) throw new Error('disk I/O error');
  };
  const read = createReadiness({
    store: { engine: 'sqlite', ping },
    chains: { list: () => [] } as never,
    clock,
    isDraining: () => false,
  });
  for (let i = 0; i < 5; i += 1) assert.equal((await read()).status, 'ready');
  assert.equal(asked, 1, 'however often it is asked for within a second');
  isBroken = true;
  clock.advance(1000);
  await assert.rejects(read(), { code: 'NOT_READY' });
  isBroken = false;
  clock.advance(1000);
  assert.equal((await read()).status, 'ready');
  assert.equal(asked, 3);
});

test('a stopping server is not ready', async () => {
  const read = createReadiness({
    store: { engine: 'sqlite', ping: async () => undefined },
    chains: { list: () => [] } as never,
    clock: new ManualClock(),
    isDraining: () => true,
  });
  await assert.rejects(read(), { code: 'NOT_READY' });
});
