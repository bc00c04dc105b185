// Pins that counting by operation loses nothing at the turn of an hour or when the store fails.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { walletId } from '../../test/test-ids.ts';
import type { Identity } from '../contract/identity.ts';
import type { AccessStore, OperationUse } from '../store/access-store.ts';
import { OperationUsage } from './operation-usage.ts';

const HOUR_MS = 3_600_000;
const KEY: Identity = {
  ...{ kind: 'key', key: 'w', walletId: walletId('w'), keyId: 'key_a' },
  ...{ tier: null, limits: null },
};
const OK = { operation: 'getToken', cost: 1, status: 200 };

function createUsage() {
  const stored: OperationUse[] = [];
  const state = { isBroken: false };
  // A store that can be disconnected.
  const store = {
    addOperationUsage: async (uses: readonly OperationUse[]) => {
      if (state.isBroken) throw new Error('no store');
      stored.push(...uses);
    },
  } as unknown as AccessStore;
  const clock = new ManualClock(HOUR_MS * 1000);
  return { usage: new OperationUsage({ store, clock }), clock, stored, state };
}

test('requests, costs, limits and errors are counted apart', async () => {
  const { usage, stored } = createUsage();
  for (const status of [200, 304, 404, 500, 499]) usage.count(KEY, { ...OK, cost: 0.1, status });
  usage.count(KEY, { ...OK, status: 429 });
  usage.count(KEY, { ...OK, cost: 2, isMore: true });
  usage.count({ kind: 'anonymous', key: 'x' }, OK);
  await usage.flush();
  const use = { walletId: 'w', source: 'key_a', hour: 1000, operation: 'getToken' };
  assert.deepEqual(stored, [{ ...use, requests: 5, costMilli: 2500, limited: 1, errors: 2 }]);
  await usage.flush();
  assert.equal(stored.length, 1, 'nothing is reported twice');
});

test('a request belongs to the hour in which it was answered', async () => {
  const { usage, clock, stored } = createUsage();
  clock.advance(HOUR_MS - 1);
  usage.count(KEY, OK);
  clock.advance(1);
  usage.count(KEY, OK);
  usage.count(KEY, { ...OK, operation: 'getKlines' });
  await usage.flush();
  assert.deepEqual(
    stored.map(({ hour, operation, requests }) => [hour, operation, requests]),
    [
      [1000, 'getToken', 1],
      [1001, 'getToken', 1],
      [1001, 'getKlines', 1],
    ],
  );
});

test('what a failing store did not take is written later', async () => {
  const { usage, stored, state } = createUsage();
  usage.count(KEY, OK);
  state.isBroken = true;
  await assert.rejects(usage.flush(), /no store/);
  usage.count(KEY, OK);
  state.isBroken = false;
  await usage.flush();
  assert.equal(
    stored.reduce((sum, { requests }) => sum + requests, 0),
    2,
  );
});
