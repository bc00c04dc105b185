// Pins what is reported of streams after the ledger was down.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SharedStreams } from './shared-streams.ts';

test('owners that came and went while the ledger was down take a bounded amount of memory', async (t) => {
  const told = new Map<string, number>();
  let [isUp, isFailing] = [false, true];
  const ledger = {
    get isUp() {
      return isUp;
    },
    term: 1,
    settle: () => assert.fail('no budget is asked for'),
    takeStream: () => assert.fail('a ledger that is down is not asked'),
    putStreams: async (counts: ReadonlyMap<string, number>) => {
      if (isFailing && told.size >= 1000) throw new Error('lost again');
      for (const [owner, count] of counts) told.set(owner, count);
    },
  };
  const census = { list: () => ['a'], count: () => 1 };
  const streams = new SharedStreams({ ledger, census });
  t.after(() => streams.stop());
  for (let owner = 0; owner < 12_000; owner += 1) assert.ok(await streams.take(`open ${owner}`, 4));
  for (let owner = 0; owner < 50_000; owner += 1) {
    assert.ok(await streams.take(`gone ${owner}`, 4));
    streams.release(`gone ${owner}`);
  }
  isUp = true;
  while (told.size < 1000) await sleep(10);
  isFailing = false;
  const read = (kind: string) => [...told].filter(([owner]) => owner.startsWith(kind));
  const isWhole = () => read('open').length === 12_000 && told.has('gone 49999');
  while (!isWhole()) await sleep(10);
  assert.ok(read('open').every(([, count]) => count === 1));
  assert.ok(read('gone').every(([, count]) => count === 0));
  assert.ok(read('gone').length <= 10_000, `${read('gone').length}`);
});
