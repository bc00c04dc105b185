// The order in which pools are adopted.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { poolId } from '../../../test/test-ids.ts';
import { AdoptionQueue } from './pool-adopter.ts';

const [DEEP, THIN] = [poolId('deep'), poolId('thin')];

function createQueue(): AdoptionQueue {
  const queue = new AdoptionQueue(() => 0.5);
  queue.add(DEEP, { demand: 'none', weight: 1000 });
  queue.add(THIN, { demand: 'none', weight: 1 });
  return queue;
}

it('a pool that is incomplete again does not come before others', () => {
  const queue = createQueue();
  assert.equal(queue.take(0)?.pool, DEEP);
  queue.succeed(DEEP, 0);
  queue.add(DEEP, { demand: 'none', weight: 1000 });
  assert.equal(queue.take(5000)?.pool, THIN);
  assert.equal(queue.take(5000), null);
  assert.equal(queue.take(10_000)?.pool, DEEP);
});

it('a pool that is requested, or whose adoption was undone, does not wait', () => {
  const queue = createQueue();
  queue.succeed(DEEP, 0);
  queue.add(DEEP, { demand: 'shown', weight: 0 });
  assert.equal(queue.take(1)?.pool, DEEP);
  queue.succeed(THIN, 1);
  assert.equal(queue.take(2), null);
  queue.forgetAdopted([THIN]);
  assert.equal(queue.take(2)?.pool, THIN);
});

it('a pool that somebody waits for comes before deeper ones that are only shown', () => {
  const queue = createQueue();
  const mid = poolId('mid');
  queue.add(DEEP, { demand: 'shown', weight: 0 });
  queue.add(THIN, { demand: 'shown', weight: 0 });
  queue.add(mid, { demand: 'none', weight: 100 });
  queue.add(THIN, { demand: 'awaited', weight: 0 });
  // What is shown later does not take that back.
  queue.add(THIN, { demand: 'shown', weight: 0 });
  const taken = [THIN, DEEP, mid].map(() => queue.take(0)?.pool);
  assert.deepEqual(taken, [THIN, DEEP, mid]);
});
