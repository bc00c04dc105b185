// Fees are read on a schedule, never by a request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { FeeWatch } from './fee-watch.ts';

const FEES = { perUnit: 3n, perUnitMax: 4n, data: { kind: 'none' } as const };

function createWatch() {
  const clock = new ManualClock();
  const state = { asked: 0, isDown: false, errors: 0 };
  const watch = new FeeWatch({
    readFees: async () => {
      state.asked += 1;
      if (state.isDown) throw new Error('down');
      return FEES;
    },
    clock,
    onError: () => {
      state.errors += 1;
    },
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    watch.poll();
    await watch.settled();
  };
  return { watch, state, pass };
}

test('nothing is known before the first reading, and a quote asks no node', async () => {
  const { watch, state, pass } = createWatch();
  assert.equal(watch.read(), null);
  assert.equal(state.asked, 0);
  await pass(0);
  for (let i = 0; i < 100; i += 1) assert.deepEqual(watch.read(), FEES);
  assert.equal(state.asked, 1);
});

test('every six seconds while somebody reads, every minute while nobody does', async () => {
  const { watch, state, pass } = createWatch();
  await pass(0);
  for (let second = 0; second < 30; second += 1) {
    watch.read();
    await pass(1000);
  }
  assert.equal(state.asked, 6);
  const before = state.asked;
  // The last read still counts once.
  for (let second = 0; second < 120; second += 1) {
    watch.peek();
    await pass(1000);
  }
  assert.ok(state.asked - before <= 3, `${state.asked - before}`);
});

test('a node that is down is asked again soon, and fees that are too old are not shown', async () => {
  const { watch, state, pass } = createWatch();
  await pass(0);
  state.isDown = true;
  for (let second = 0; second < 299; second += 1) await pass(1000);
  assert.deepEqual(watch.read(), FEES);
  assert.ok(state.errors > 100, `${state.errors}`);
  await pass(2000);
  assert.equal(watch.read(), null);
  state.isDown = false;
  await pass(1000);
  assert.deepEqual(watch.read(), FEES);
  await watch.stop();
});
