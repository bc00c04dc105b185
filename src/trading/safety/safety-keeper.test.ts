// Probe results survive a restart, and a store that fails for a while.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createSqlitePlace, type StorePlace } from '../../../test/conformance/store-place.ts';
import { toAddress } from '../../../test/conformance/store-samples.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { Store } from '../../store/store.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { SafetyKeeper, type SafetyKeeperOptions } from './safety-keeper.ts';

let place: StorePlace;
let store: Store;

beforeEach(async () => {
  place = await createSqlitePlace();
  store = await place.open();
});

afterEach(async () => {
  await store.close();
  await place.remove();
});

function buildSafety(number: number, checkedAtMs = 1000): PoolSafety {
  const side = { outBps: 300, inBps: 0, sellable: true };
  const tokens = { token0: toAddress(1), token1: toAddress(2) };
  const hookFees = { zeroForOne: 1, oneForZero: 2 };
  return {
    pool: poolId(toAddress(number)),
    ...tokens,
    side0: side,
    side1: side,
    hookFees,
    checkedAtMs,
  };
}

function createKeeper(options: Partial<SafetyKeeperOptions> = {}) {
  const safetyCache = new SafetyCache();
  const errors: unknown[] = [];
  const keeper = new SafetyKeeper({
    chain: 'devnet',
    store: store.market,
    isShared: true,
    safetyCache,
    clock: { nowMs: () => 0 },
    onError: (error) => errors.push(error),
    ...options,
  });
  return { keeper, safetyCache, errors };
}

test('a run knows what the last one measured', async () => {
  const first = createKeeper();
  first.keeper.keep(buildSafety(11));
  first.keeper.keep(buildSafety(12));
  first.keeper.keep(buildSafety(11, 2000));
  await first.keeper.stop();
  const second = createKeeper();
  await second.keeper.load();
  assert.equal(second.safetyCache.size, 2);
  assert.deepEqual(second.safetyCache.get(poolId(toAddress(11))), buildSafety(11, 2000));
  assert.ok(second.safetyCache.mayBeTaxed(toAddress(1)));
});

test('measurements made while the store was read are newer and stay', async () => {
  const first = createKeeper();
  first.keeper.keep(buildSafety(11));
  await first.keeper.stop();
  const { keeper, safetyCache } = createKeeper();
  safetyCache.set(buildSafety(11, 5000));
  await keeper.load();
  assert.equal(safetyCache.get(poolId(toAddress(11)))?.checkedAtMs, 5000);
});

test('a store that fails is reported, and gets everything when it is back', async () => {
  let isDown = true;
  const { keeper, errors } = createKeeper({
    store: {
      scanPoolSafety: (chain) => store.market.scanPoolSafety(chain),
      readPoolSafetySince: (chain, sinceMs) => store.market.readPoolSafetySince(chain, sinceMs),
      putPoolSafety: async (chain, rows) => {
        if (isDown) throw new Error('down');
        await store.market.putPoolSafety(chain, rows);
      },
    },
  });
  keeper.keep(buildSafety(11));
  await keeper.flush();
  assert.equal(errors.length, 1);
  keeper.keep(buildSafety(12));
  isDown = false;
  await keeper.stop();
  const { keeper: next, safetyCache } = createKeeper();
  await next.load();
  assert.equal(safetyCache.size, 2);
});

test('a result of another process counts, and clears only the doubts before its probe', async () => {
  let nowMs = 1_000_000;
  const { keeper, safetyCache } = createKeeper({
    clock: { nowMs: () => nowMs },
  });
  const { pool, token0 } = buildSafety(11);
  await keeper.poll();
  await store.market.putPoolSafety('devnet', [buildSafety(11, nowMs)]);
  nowMs += 2000;
  await keeper.poll();
  assert.equal(
    safetyCache.findDoubt(pool),
    'unwatched',
    'its probe may be older than the first look',
  );
  safetyCache.doubt(token0);
  nowMs += 2000;
  await keeper.poll();
  nowMs += 6000;
  await store.market.putPoolSafety('devnet', [buildSafety(11, nowMs)]);
  await keeper.poll();
  assert.equal(safetyCache.findDoubt(pool), null);
  safetyCache.doubt(token0);
  await keeper.poll();
  assert.equal(safetyCache.findDoubt(pool), 'seen', 'the doubt is newer than the probe');
});
