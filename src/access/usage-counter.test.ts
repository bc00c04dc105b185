// Pins that counting loses nothing when the store fails, and memory stays bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { walletId } from '../../test/test-ids.ts';
import { type AccessStore, SESSION_SOURCE, type UsageEntry } from '../store/access-store.ts';
import { UsageCounter } from './usage-counter.ts';

function createCounter() {
  const stored: UsageEntry[] = [];
  let broken = false;
  // A store that can be disconnected, and fails once when it is back.
  const store = {
    addUsage: async (entries: readonly UsageEntry[]) => {
      const isBroken = broken;
      while (broken) await setImmediate();
      if (isBroken) throw new Error('no store');
      stored.push(...entries);
    },
  } as unknown as AccessStore;
  const clock = new ManualClock();
  const counter = new UsageCounter({ store, clock });
  return {
    counter,
    clock,
    stored,
    cut: (value: boolean) => {
      broken = value;
    },
  };
}

test('many requests are one entry', async () => {
  const { counter, clock, stored } = createCounter();
  for (let i = 0; i < 1000; i += 1) counter.count(walletId('w'), 'key_a');
  clock.advance(50);
  counter.count(walletId('w'), 'key_a');
  counter.count(walletId('w'), SESSION_SOURCE);
  counter.count(walletId('v'), SESSION_SOURCE);
  await counter.flush();
  const nowMs = clock.nowMs();
  assert.deepEqual(stored, [
    { walletId: 'w', source: 'key_a', requests: 1001, lastUsedAtMs: nowMs },
    { walletId: 'w', source: SESSION_SOURCE, requests: 1, lastUsedAtMs: nowMs },
    { walletId: 'v', source: SESSION_SOURCE, requests: 1, lastUsedAtMs: nowMs },
  ]);
  await counter.flush();
  assert.equal(stored.length, 3, 'nothing is reported twice');
});

test('uses that a failing store did not take are written later, with those counted since', async () => {
  const { counter, clock, stored, cut } = createCounter();
  counter.count(walletId('w'), 'key_a');
  cut(true);
  const failing = counter.flush();
  // The store is writing the first request when three more arrive.
  await setImmediate();
  clock.advance(50);
  for (let i = 0; i < 3; i += 1) counter.count(walletId('w'), 'key_a');
  counter.count(walletId('w'), 'key_b');
  cut(false);
  await assert.rejects(failing);
  await counter.flush();
  assert.deepEqual(
    stored.map(({ source, requests, lastUsedAtMs }) => [source, requests, lastUsedAtMs]),
    [
      ['key_a', 4, clock.nowMs()],
      ['key_b', 1, clock.nowMs()],
    ],
  );
});

test('a flood of different keys is bounded', async () => {
  const { counter, stored } = createCounter();
  for (let i = 0; i < 50_000; i += 1) counter.count(walletId('w'), `key_${i}`);
  await counter.flush();
  assert.equal(stored.length, 10_000);
});
