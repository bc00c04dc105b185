// Pins how long a lookup is cached, and that nothing outlives its revocation.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { AppError } from '../errors/app-error.ts';
import { CredentialCache } from './credential-cache.ts';
import { createToken } from './secret-token.ts';

interface Key {
  readonly id: string;
  readonly state: number;
}

function createCache(options: { sizeMax?: number } = {}) {
  const clock = new ManualClock();
  const loads: { token: string; settle: (key: Key | null) => void; fail: () => void }[] = [];
  const cache = new CredentialCache<Key>({
    clock,
    lifeMs: 750,
    sizeMax: options.sizeMax ?? 100,
    load: (token) =>
      new Promise((resolve, reject) => {
        loads.push({ token, settle: resolve, fail: () => reject(new Error('no store')) });
      }),
  });
  return { cache, clock, loads };
}

test('one look-up serves everybody for less than a second', async () => {
  const { cache, clock, loads } = createCache();
  const token = createToken('key');
  const asked = [cache.get(token), cache.get(token)];
  assert.equal(loads.length, 1, 'those who come meanwhile wait for the same one');
  clock.advance(100);
  loads[0]!.settle({ id: 'a', state: 1 });
  assert.deepEqual(await Promise.all(asked), [
    { id: 'a', state: 1 },
    { id: 'a', state: 1 },
  ]);
  assert.deepEqual(cache.get(token), { id: 'a', state: 1 }, 'at once');
  clock.advance(649);
  assert.ok(!(cache.get(token) instanceof Promise));
  // Counted from when the lookup began: its result is as old as that.
  clock.advance(1);
  assert.ok(cache.get(token) instanceof Promise);
  assert.equal(loads.length, 2);
});

test('malformed tokens are rejected without a look-up', () => {
  const { cache, loads } = createCache();
  for (const text of ['', 'mw_live_x', `mw_live_${'x'.repeat(49)}`, createToken('key').slice(1)]) {
    assert.equal(cache.get(text), null);
  }
  assert.equal(loads.length, 0);
});

test('the result of a look-up that began before a revocation is not used after it', async () => {
  const { cache, loads } = createCache();
  const token = createToken('key');
  const before = cache.get(token);
  cache.forget('a');
  const after = cache.get(token);
  assert.equal(loads.length, 2, 'whoever comes after the revocation looks anew');
  loads[1]!.settle(null);
  assert.equal(await after, null);
  loads[0]!.settle({ id: 'a', state: 1 });
  await before;
  assert.ok(cache.get(token) instanceof Promise, 'the old state was not kept');
});

test('forgotten, purged and evicted entries are looked up again', async () => {
  const { cache, clock, loads } = createCache({ sizeMax: 2 });
  const tokens = [1, 2, 3].map(() => createToken('key'));
  for (const [n, token] of tokens.entries()) {
    const asked = cache.get(token);
    loads[n]!.settle({ id: `k${n}`, state: n });
    await asked;
  }
  assert.equal(cache.size, 2);
  assert.ok(cache.get(tokens[0]!) instanceof Promise);
  assert.ok(!(cache.get(tokens[2]!) instanceof Promise));
  cache.forget('k2');
  assert.ok(cache.get(tokens[2]!) instanceof Promise);
  clock.advance(750);
  cache.purge();
  assert.equal(cache.size, 0, 'no token stays in memory');
});

test('a failing store authenticates nobody and is asked again', async () => {
  const { cache, loads } = createCache();
  const token = createToken('key');
  const asked = cache.get(token) as Promise<unknown>;
  loads[0]!.fail();
  await assert.rejects(asked, (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'UPSTREAM_UNAVAILABLE');
    assert.equal(error.retryAfterSeconds, 1);
    return true;
  });
  assert.ok(cache.get(token) instanceof Promise);
  assert.equal(loads.length, 2);
});

test('unknown tokens are not cached', async () => {
  const { cache, loads } = createCache();
  const token = createToken('key');
  const asked = cache.get(token);
  loads[0]!.settle(null);
  assert.equal(await asked, null);
  assert.equal(cache.size, 0);
  assert.ok(cache.get(token) instanceof Promise, 'it may exist by now');
});
