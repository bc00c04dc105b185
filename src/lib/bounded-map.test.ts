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
