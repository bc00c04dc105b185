// When a measurement is valid: until it is too old, doubted, or from an unwatched time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import { type PoolSafety, SAFETY_LIFE_MS } from '../../model/pool-safety.ts';
import { SafetyCache } from './safety-cache.ts';

const CLEAN = { outBps: 0, inBps: 0, sellable: true };
const NOW_MS = 1_790_000_000_000;

function buildSafety(pool: string, more: Partial<PoolSafety> = {}): PoolSafety {
  const tokens = { token0: address('0xaa'), token1: address('0xee') };
  const sides = { side0: CLEAN, side1: CLEAN, hookFees: null };
  return { pool: poolId(pool), ...tokens, ...sides, checkedAtMs: NOW_MS, ...more };
}

function isPromised(safetyCache: SafetyCache, pool: string, nowMs = NOW_MS): boolean {
  return [true, false].every((zeroForOne) => safetyCache.isClean(poolId(pool), zeroForOne, nowMs));
}

test('a clean measurement makes quotes exact for half an hour', () => {
  const safetyCache = new SafetyCache();
  safetyCache.set(buildSafety('0x01'));
  assert.equal(SAFETY_LIFE_MS, 1_800_000);
  assert.equal(isPromised(safetyCache, '0x01', NOW_MS + SAFETY_LIFE_MS), true);
  assert.equal(isPromised(safetyCache, '0x01', NOW_MS + SAFETY_LIFE_MS + 1), false);
  assert.equal(isPromised(safetyCache, '0x02'), false);
});

test('a doubt about the pool or a token ends exactness until it is measured again', () => {
  for (const subject of [poolId('0x01'), address('0xaa'), address('0xee')]) {
    const safetyCache = new SafetyCache();
    safetyCache.set(buildSafety('0x01'));
    safetyCache.set(buildSafety('0x02', { token0: address('0xbb'), token1: address('0xcc') }));
    safetyCache.doubt(subject);
    assert.equal(safetyCache.findDoubt(poolId('0x01')), 'seen');
    assert.equal(isPromised(safetyCache, '0x01'), false);
    assert.equal(isPromised(safetyCache, '0x02'), true);
    safetyCache.set(buildSafety('0x01'));
    assert.equal(safetyCache.findDoubt(poolId('0x01')), null);
    assert.equal(isPromised(safetyCache, '0x01'), true);
  }
});

test('a measurement that began before a doubt does not settle it', () => {
  const safetyCache = new SafetyCache();
  safetyCache.set(buildSafety('0x01'));
  const { doubtCount } = safetyCache;
  safetyCache.doubt(address('0xaa'));
  safetyCache.set(buildSafety('0x01'), doubtCount);
  assert.equal(isPromised(safetyCache, '0x01'), false);
  safetyCache.set(buildSafety('0x01'), safetyCache.doubtCount);
  assert.equal(isPromised(safetyCache, '0x01'), true);
});

test('a measurement of an earlier run is known, but not exact', () => {
  const safetyCache = new SafetyCache();
  safetyCache.restore(buildSafety('0x01'));
  assert.equal(safetyCache.get(poolId('0x01'))?.side0.sellable, true);
  assert.equal(safetyCache.findDoubt(poolId('0x01')), 'unwatched');
  assert.equal(isPromised(safetyCache, '0x01'), false);
  safetyCache.doubt(address('0xaa'));
  assert.equal(safetyCache.findDoubt(poolId('0x01')), 'seen');
});

test('a measurement from before the end of an unwatched time is not exact', () => {
  const safetyCache = new SafetyCache();
  safetyCache.set(buildSafety('0x01', { checkedAtMs: NOW_MS - 10 }));
  safetyCache.set(buildSafety('0x02', { checkedAtMs: NOW_MS + 10 }));
  safetyCache.doubtBefore(NOW_MS);
  safetyCache.doubtBefore(NOW_MS - 1000);
  assert.deepEqual(
    [isPromised(safetyCache, '0x01'), isPromised(safetyCache, '0x02')],
    [false, true],
  );
});

test('the cost of a sale is that of the token that is paid in', () => {
  const safetyCache = new SafetyCache();
  safetyCache.set(buildSafety('0x01', { side0: { ...CLEAN, sellUnits: 900_000 } }));
  assert.deepEqual(
    [safetyCache.extraUnits(poolId('0x01'), true), safetyCache.extraUnits(poolId('0x01'), false)],
    [900_000, 0],
  );
  assert.equal(safetyCache.extraUnits(poolId('0x02'), true), 0);
  assert.equal(
    safetyCache.ofToken([poolId('0x01')], (token) => token === address('0xaa'))?.sellUnits,
    900_000,
  );
  assert.equal(
    safetyCache.ofToken([poolId('0x01')], (token) => token === address('0xee'))?.sellUnits,
    undefined,
  );
});

test('a cleared cache has no doubts about later measurements', () => {
  const safetyCache = new SafetyCache();
  safetyCache.doubt(address('0xaa'));
  safetyCache.doubtBefore(NOW_MS + 1);
  safetyCache.clear();
  safetyCache.set(buildSafety('0x01'), 0);
  assert.equal(isPromised(safetyCache, '0x01'), true);
});
