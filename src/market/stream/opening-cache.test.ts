// Pins that shared openings are built once, and never used after the chain has moved.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildCheckpoint } from '../../../test/conformance/store-samples.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import { OpeningCache } from './opening-cache.ts';

function createCache() {
  let at: Checkpoint = buildCheckpoint(1);
  let made = 0;
  const cache = new OpeningCache({ states: { current: () => at } });
  return {
    cache,
    step: (version: number) => {
      at = buildCheckpoint(version);
    },
    get: (key: string, isKept = true) =>
      cache.get(key, ['devnet'], {
        make: async () => {
          made += 1;
          return made;
        },
        isKept: () => isKept,
      }),
  };
}

describe('openings', () => {
  test('all requests at one commit get the same opening, built once', async () => {
    const { get } = createCache();
    assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), [1, 1, 2]);
    assert.equal(await get('a'), 1);
  });

  test('the next commit builds a new one, also if it has the same number', async () => {
    const { get, step } = createCache();
    assert.equal(await get('a'), 1);
    step(2);
    assert.equal(await get('a'), 2);
    step(2);
    assert.equal(await get('a'), 3);
  });

  test('openings that are not cacheable or failed are built again', async () => {
    const { cache, get } = createCache();
    assert.equal(await get('a', false), 1);
    assert.equal(await get('a'), 2);
    const failing = cache.get('c', ['devnet'], {
      make: () => Promise.reject(new Error('mine')),
      isKept: () => true,
    });
    await assert.rejects(failing, /mine/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await get('c'), 3);
  });

  test('very many keys stay within the bound', async () => {
    const { cache, get } = createCache();
    for (let index = 0; index < 1000; index += 1) await get(`key ${index}`);
    assert.ok(cache.size <= 200);
  });

  test('many different openings are built a few at a time, and all of them are', async () => {
    const { cache } = createCache();
    let making = 0;
    let most = 0;
    const make = async () => {
      making += 1;
      most = Math.max(most, making);
      await new Promise((resolve) => setImmediate(resolve));
      making -= 1;
      return making;
    };
    const asked = Array.from({ length: 300 }, (_, index) =>
      cache.get(`key ${index}`, ['devnet'], { make, isKept: () => true }),
    );
    assert.equal((await Promise.all(asked)).length, 300);
    assert.equal(most, 16);
  });
});
