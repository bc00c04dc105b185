// Pins that what is kept is made once, and never used after the chain has moved.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildCheckpoint } from '../../test/conformance/store-samples.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { CommitCache } from './commit-cache.ts';

function createCache() {
  let at: Checkpoint = buildCheckpoint(1);
  let made = 0;
  const cache = new CommitCache({ states: { current: () => at }, sizeMax: 200 });
  return {
    cache,
    step: (version: number) => {
      at = buildCheckpoint(version);
    },
    get: (key: string, isKept = true) =>
      cache.get(key, ['devnet'], async (discard) => {
        made += 1;
        if (!isKept) discard();
        return made;
      }),
  };
}

describe('what is kept until the next commit', () => {
  test('all requests at one commit get the same, made once', async () => {
    const { get } = createCache();
    assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), [1, 1, 2]);
    assert.equal(await get('a'), 1);
  });

  test('the next commit makes it anew, also if it has the same number', async () => {
    const { get, step } = createCache();
    assert.equal(await get('a'), 1);
    step(2);
    assert.equal(await get('a'), 2);
    step(2);
    assert.equal(await get('a'), 3);
  });

  test('what was discarded or failed is made again', async () => {
    const { cache, get } = createCache();
    assert.equal(await get('a', false), 1);
    assert.equal(await get('a'), 2);
    const failing = cache.get('c', ['devnet'], () => Promise.reject(new Error('mine')));
    await assert.rejects(failing, /mine/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await get('c'), 3);
  });

  test('very many keys stay within the bound', async () => {
    const { cache, get } = createCache();
    for (let index = 0; index < 1000; index += 1) await get(`key ${index}`);
    assert.ok(cache.size <= 200);
  });
});
