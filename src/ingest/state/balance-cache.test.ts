// Pins what is evicted from the balances in memory, and when.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from '../../../test/conformance/store-samples.ts';
import { BalanceCache } from './position-cache.ts';

function createCache(balances: readonly (readonly [token: number, owner: number])[]) {
  const cache = new BalanceCache();
  for (const [token, owner] of balances) {
    const row = { token: toAddress(token), owner: toAddress(owner), amountRaw: 1n };
    const blocks = { imagedBlock: -1, batch: -1, changedBlock: -1 };
    cache.set({ row, isStored: false, ...blocks, beforeRaw: 0n });
  }
  const has = (token: number, owner: number) =>
    cache.get(toAddress(token), toAddress(owner)) !== undefined;
  return { cache, has };
}

test('nothing is evicted before a trim, nor by one that finds room', () => {
  const { cache, has } = createCache([
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
  assert.deepEqual(cache.trim(3), []);
  assert.ok(has(1, 1) && has(2, 1) && has(2, 2));
});

test('a trim evicts the tokens that came first, whole', () => {
  const { cache, has } = createCache([
    [1, 1],
    [2, 1],
    [1, 2],
    [3, 1],
  ]);
  assert.deepEqual(cache.trim(3), [toAddress(1)]);
  assert.deepEqual([has(1, 1), has(1, 2), has(2, 1), has(3, 1)], [false, false, true, true]);
  // The size continues from what is left.
  cache.trim(2);
  assert.ok(has(2, 1));
  cache.trim(1);
  assert.deepEqual([has(2, 1), has(3, 1)], [false, true]);
});
