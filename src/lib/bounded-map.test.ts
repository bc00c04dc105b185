// Pins that the map never grows beyond its bound and forgets the oldest first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('behavior: the oldest entry goes when the map is full', () => {
  const map = new BoundedMap<number, string>(2);
  map.set(1, 'a');
  map.set(2, 'b');
  map.set(3, 'c');
  assert.equal(map.size, 2);
  assert.equal(map.has(1), false);
  assert.equal(map.get(2), 'b');
  assert.equal(map.get(3), 'c');
});

test('behavior: setting a known key again does not push anything out', () => {
  const map = new BoundedMap<number, string>(2);
  map.set(1, 'a');
  map.set(2, 'b');
  map.set(2, 'B');
  assert.equal(map.get(1), 'a');
  assert.equal(map.get(2), 'B');
});

test('behavior: by weight as many of the oldest go as make room, and each is told', () => {
  const evicted: string[] = [];
  const map = new BoundedMap<string, number>(10, {
    weigh: (value) => value,
    onEvict: (key, value) => evicted.push(`${key}${value}`),
  });
  map.set('a', 3);
  map.set('b', 3);
  map.set('c', 4);
  assert.equal(map.weight, 10);
  map.set('c', 1);
  map.delete('b');
  assert.deepEqual([map.weight, evicted], [4, []]);
  map.set('d', 10);
  assert.deepEqual([map.weight, map.size, evicted], [10, 1, ['a3', 'c1']]);
});

test('behavior: what is heavier than the whole bound is not kept', () => {
  const map = new BoundedMap<string, number>(10, { weigh: (value) => value });
  map.set('a', 11);
  assert.deepEqual([map.weight, map.size], [0, 0]);
});
