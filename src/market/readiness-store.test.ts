// Readiness checks the store repeatedly, but at most once a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { createReadiness } from './chain-status.ts';

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

test('what endpoints cannot do, and why a chain is slow, is told whether ready or not', async () => {
  const chain = {
    ...{ slug: 'base', notReady: null as string | null, progress: null },
    answer: { head: 7, slowed: 'slowed down to keep within 1,000 credits a day' },
    limitations: ['rpc.example.com#0 does not offer eth_getBlockReceipts; blocks are read by logs'],
  };
  const read = createReadiness({
    store: { engine: 'sqlite', ping: async () => undefined },
    chains: { list: () => [chain] } as never,
    clock: new ManualClock(),
    isDraining: () => false,
  });
  const { checks } = await read();
  assert.deepEqual(checks.slice(1), [
    { name: 'base', detail: `at block 7, ${chain.answer.slowed}` },
    { name: 'base endpoint', detail: chain.limitations[0] },
  ]);
  chain.notReady = 'indexing fails, see the log';
  await assert.rejects(read(), (error: Error) => {
    assert.match(error.message, /indexing fails.*base endpoint: rpc.example.com#0 does not/);
    return true;
  });
});
