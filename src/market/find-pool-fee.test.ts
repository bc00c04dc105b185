// A fee that nobody told is unknown, not nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolRecord } from '../model/pool.ts';
import { findPoolFee } from './pool-answers.ts';

function find(row: object): number | null {
  const pool = { feePips: 0, complete: true, state: {}, terms: {}, ...row } as PoolRecord;
  return findPoolFee(pool, { seconds: 1000, block: 10 });
}

test('the fee of a pool whose swaps are not computed is not known', () => {
  assert.equal(find({ kind: 'tradesOnly' }), null);
});

test('the fee of a pair is that of its first direction, if it was read', () => {
  const pair = (fee0: number | null, flags: string) =>
    find({ kind: 'solidlyPair', state: { fee0, flags } });
  assert.equal(pair(3000, ''), 3000);
  assert.equal(pair(0, ''), 0);
  assert.equal(pair(null, ''), null);
  assert.equal(pair(0, 'feeUnknown'), null);
});

test('a fee of nothing counts once the pool has been read', () => {
  assert.equal(find({ kind: 'concentrated', complete: false }), null);
  assert.equal(find({ kind: 'concentrated', complete: true }), 0);
  assert.equal(find({ kind: 'concentrated', complete: false, feePips: 500 }), 500);
});
