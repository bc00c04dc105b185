// Pins that positions in memory are bounded by their bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import type { PositionRecord } from '../../model/position.ts';
import { PositionCache } from './position-cache.ts';

const token = address('0x01');

function add(cache: PositionCache, number: number, periods: number): void {
  const wallet = address(`0x${number}`);
  cache.add({ token, wallet });
  cache.setRow({ token, wallet }, {
    periods: Array(periods).fill({}),
  } as unknown as PositionRecord);
}

test('positions with many periods take the room of several with few', () => {
  const [few, many] = [new PositionCache(), new PositionCache()];
  for (let number = 0; number < 100; number += 1) {
    add(few, number, 1);
    add(many, number, 54);
  }
  assert.ok(many.bytes > 8 * few.bytes);
  const bytesMax = few.bytes;
  for (const cache of [few, many]) cache.trim(bytesMax);
  const count = (cache: PositionCache) =>
    Array.from({ length: 100 }, (_, number) => {
      return cache.find({ token, wallet: address(`0x${number}`) }) === undefined ? 0 : 1;
    }).reduce<number>((sum, one) => sum + one, 0);
  assert.equal(count(few), 100);
  assert.ok(count(many) < 13 && many.bytes <= bytesMax);
  // The newest stay.
  assert.notEqual(many.find({ token, wallet: address('0x99') }), undefined);
});

test('a row that is replaced, evicted or cleared frees its bytes', () => {
  const cache = new PositionCache();
  add(cache, 1, 54);
  const before = cache.bytes;
  const wallet = address('0x1');
  cache.setRow({ token, wallet }, { periods: [] } as unknown as PositionRecord);
  assert.ok(cache.bytes < before);
  assert.deepEqual([...cache.trim(0)], [token]);
  assert.equal(cache.bytes, 0);
  add(cache, 2, 3);
  cache.clear();
  assert.equal(cache.bytes, 0);
});
