// How long a quote is told to wait for pools that are not known in full.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { PoolId } from '../../model/ids.ts';
import { AwaitedPools } from './awaited-pools.ts';

const [POOL, OTHER] = [poolId('pool'), poolId('other')];
const STEP_MS = 5000;

function createAwaited() {
  const clock = new ManualClock();
  const asked: PoolId[] = [];
  const state = { isOn: true };
  const awaited = new AwaitedPools({
    ...{ clock, isAdopting: () => state.isOn },
    adopt: (pools) => asked.push(...pools),
  });
  return { clock, asked, state, awaited };
}

it('pools are waited for a bounded time, however often they are asked for', () => {
  const { clock, asked, awaited } = createAwaited();
  let count = 0;
  while (awaited.ask([POOL]) === 'pending') {
    count += 1;
    assert.ok(count < 100, 'it never ends');
    clock.advance(STEP_MS);
  }
  assert.equal(count, 24);
  // It stays so, and the pool is asked for all the same: it may be read one day.
  for (let again = 0; again < 500; again += 1) {
    clock.advance(STEP_MS);
    assert.equal(awaited.ask([POOL]), 'failed');
  }
  assert.equal(asked.length, 525);
});

it('another pool that is new is worth waiting for', () => {
  const { clock, awaited } = createAwaited();
  awaited.ask([POOL]);
  clock.advance(200_000);
  assert.equal(awaited.ask([POOL]), 'failed');
  assert.equal(awaited.ask([POOL, OTHER]), 'pending');
});

it('a pool that nobody asked for a while is waited for anew', () => {
  const { clock, awaited } = createAwaited();
  awaited.ask([POOL]);
  clock.advance(200_000);
  assert.equal(awaited.ask([POOL]), 'failed');
  clock.advance(600_000);
  assert.equal(awaited.ask([POOL]), 'pending');
});

it('nothing is waited for, nor asked for, where no pools are read', () => {
  const { asked, state, awaited } = createAwaited();
  state.isOn = false;
  assert.equal(awaited.ask([POOL]), 'off');
  assert.deepEqual(asked, []);
});
