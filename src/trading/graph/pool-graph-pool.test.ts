// A pool with features that were never checked is in the graph without the promise of exactness, or
// not at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAIN_RULES } from '../../../test/fakes/trade-costs.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import { joinFlags, type UncheckedFlag } from '../../amm/unchecked-flag.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { createGraphPool } from './pool-graph-pool.ts';

function createFlagged(flags: readonly UncheckedFlag[]) {
  const row: PoolRecord = {
    ...{ kind: 'ceiledProduct', venue: 'raydium-cpmm', pool: poolId('pool'), feePips: 2500 },
    ...{ token0: address('a'), token1: address('b'), vault: address('vault') },
    ...{ createdBlock: 1, createdAtMs: 1, complete: true, lastSwapAtMs: null },
    terms: {
      ...{ creatorFeePips: 0, creatorFeeOn: 'input', protocolSharePips: 0, fundSharePips: 0 },
    },
    state: { reserve0: 1000n, reserve1: 1000n, flags: joinFlags(flags) },
    liquidityUsdE18: null,
  };
  return createGraphPool(row, [], PLAIN_RULES);
}

test('a pool without such features is exact', () => {
  assert.equal(createFlagged([])?.inexact, null);
});

test('a pool with one is not exact, and the feature is named', () => {
  const pool = createFlagged(['creatorFeeOnOutput', 'feeScheduler']);
  assert.equal(pool?.inexact, 'unchecked');
  assert.equal(pool?.unchecked, 'creatorFeeOnOutput feeScheduler');
});

test('a pool whose swaps cannot be computed is not in the graph', () => {
  assert.equal(createFlagged(['transferHook']), null);
});
