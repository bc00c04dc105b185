// The cache keeps what is used and forgets only at a trim.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BoundedCache } from './bounded-cache.ts';

describe('BoundedCache', () => {
  it('keeps everything until it is trimmed, however much that is', () => {
    const cache = new BoundedCache<number, number>(2);
    for (let key = 0; key < 100; key += 1) cache.set(key, key);
    assert.equal(cache.get(0), 0);
    assert.equal(cache.size, 100);
  });

  it('keeps what was used since the last trim and drops the rest', () => {
    const cache = new BoundedCache<string, number>(6);
    for (const key of ['a', 'b', 'c']) cache.set(key, 1);
    cache.trim();
    assert.equal(cache.get('a'), 1);
    for (const key of ['d', 'e']) cache.set(key, 1);
    cache.trim();
    assert.equal(cache.get('a'), 1);
    assert.equal(cache.get('b'), undefined);
    assert.equal(cache.get('d'), 1);
  });

  it('never holds more than its size after trims', () => {
    const cache = new BoundedCache<number, number>(10);
    for (let key = 0; key < 1000; key += 1) {
      cache.set(key, key);
      if (key % 7 === 0) {
        cache.trim();
        assert.ok(cache.size <= 10);
      }
    }
    for (let key = 0; key < 50; key += 1) cache.set(key, key);
    cache.trim();
    assert.ok(cache.size <= 10);
  });

  it('has one value for a key, the last', () => {
    const cache = new BoundedCache<string, number>(3);
    cache.set('a', 1);
    cache.set('b', 1);
    cache.trim();
    cache.set('a', 2);
    assert.equal(cache.get('a'), 2);
    assert.equal(cache.size, 2);
    cache.clear();
    assert.equal(cache.get('a'), undefined);
  });
});
