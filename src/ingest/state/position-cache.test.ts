// Pins that positions in memory are bounded by their bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import type { PositionRecord } from '../../model/position.ts';
import { PositionCache } from './position-cache.ts';

const token = address('0x01');

function add(cache: PositionCache, number: number, periods: number): void {
  const wallet = address(`0x${number}`);
  const row = { periods: Array(periods).fill({}) } as unknown as PositionRecord;
  cache.setRow(cache.add(token, wallet), row);
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
      return cache.find(token, address(`0x${number}`)) === undefined ? 0 : 1;
    }).reduce<number>((sum, one) => sum + one, 0);
  assert.equal(count(few), 100);
  assert.ok(count(many) < 13 && many.bytes <= bytesMax);
  // The newest stay.
  assert.notEqual(many.find(token, address('0x99')), undefined);
});

test('a row that is replaced, evicted or cleared frees its bytes', () => {
  const cache = new PositionCache();
  add(cache, 1, 54);
  const before = cache.bytes;
  const entry = cache.find(token, address('0x1'));
  assert.ok(entry !== undefined);
  cache.setRow(entry, { periods: [] } as unknown as PositionRecord);
  assert.ok(cache.bytes < before);
  assert.deepEqual([...cache.trim(0)], [token]);
  assert.equal(cache.bytes, 0);
  add(cache, 2, 3);
  cache.clear();
  assert.equal(cache.bytes, 0);
});

test('the tokens that came first are evicted first, each with its oldest positions first', () => {
  const cache = new PositionCache();
  const tokens = [address('0x0a'), address('0x0b')] as const;
  const [first, second] = [address('0x1'), address('0x2')];
  for (const wallet of [first, second]) {
    for (const one of tokens) cache.add(one, wallet);
  }
  const each = cache.bytes / 4;
  assert.deepEqual([...cache.trim(3 * each)], [tokens[0]]);
  assert.equal(cache.find(tokens[0], first), undefined);
  assert.notEqual(cache.find(tokens[0], second), undefined);
  assert.deepEqual([...cache.trim(each)], [...tokens]);
  assert.equal(cache.find(tokens[0], second), undefined);
  assert.equal(cache.find(tokens[1], first), undefined);
  assert.notEqual(cache.find(tokens[1], second), undefined);
});
