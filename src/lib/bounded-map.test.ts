// Pins that a bounded map holds its bound and evicts the oldest first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap, evictOldest } from './bounded-map.ts';

test('the oldest entry goes when the map is full', () => {
  const map = new BoundedMap<number, string>(2);
  map.set(1, 'a');
  map.set(2, 'b');
  map.set(3, 'c');
  assert.deepEqual(
    [...map],
    [
      [2, 'b'],
      [3, 'c'],
    ],
  );
  map.delete(2);
  map.set(4, 'd');
  map.set(5, 'e');
  assert.deepEqual([...map.keys()], [4, 5]);
});

test('setting a known key again neither evicts nor moves it', () => {
  const map = new BoundedMap<number, string>(2);
  map.set(1, 'a');
  map.set(2, 'b');
  map.set(1, 'A');
  assert.deepEqual(
    [...map],
    [
      [1, 'A'],
      [2, 'b'],
    ],
  );
  map.set(3, 'c');
  assert.deepEqual([...map.keys()], [2, 3]);
});

test('a cleared map fills up again', () => {
  const map = new BoundedMap<number, number>(2);
  for (let n = 0; n < 5; n += 1) map.set(n, n);
  map.clear();
  for (let n = 5; n < 10; n += 1) map.set(n, n);
  assert.deepEqual([...map.keys()], [8, 9]);
});

test('any map is brought down to a size', () => {
  const map = new Map([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  evictOldest(map, 3);
  assert.equal(map.size, 3);
  evictOldest(map, 1);
  assert.deepEqual([...map.keys()], [3]);
});

test('a large map evicts a sixteenth at once', () => {
  const map = new BoundedMap<number, number>(160);
  for (let n = 0; n < 160; n += 1) map.set(n, n);
  assert.equal(map.size, 160);
  map.set(160, 160);
  assert.deepEqual([map.size, [...map.keys()][0]], [150, 11]);
});
