// What is read of a pool must fit its last event, also where events do not repeat the state.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import { kindOf } from '../../amm/pool-kinds.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { PoolReading } from './pool-reading.ts';

const STATE = {
  ...{ balance0: 10n ** 24n, balance1: 10n ** 12n, decimals0: 18, decimals1: 6 },
  ...{ weight0: 8n * 10n ** 17n, weight1: 2n * 10n ** 17n },
  ...{ swapFee: 3n * 10n ** 15n, tokenCount: 2, flags: '', lastSwap: '' },
};

const POOL = {
  ...{ pool: poolId('0xpool'), kind: 'weighted', venue: 'balancer-v2', feePips: 3000 },
  ...{ token0: address('0xa'), token1: address('0xb'), vault: address('0xvault') },
  terms: { poolWord: '0xpool', tokens: '0xa 0xb', hasShortcuts: true },
  ...{ createdBlock: 1, createdAtMs: 1, lastSwapAtMs: null, liquidityUsdE18: null },
  ...{ complete: true, state: STATE },
} as PoolRecord;

test('a weighted pool that was read wrongly is not adopted: its last swap shows it', () => {
  const pool = kindOf(POOL).createSwapPool(POOL, [], undefined) ?? assert.fail();
  const { amountIn: amount0, amountOut } = pool.swapIn(true, 10n ** 20n);
  const lastSwap = `${amount0} ${-amountOut}`;
  const unread = { ...kindOf(POOL).stateAtStart, lastSwap };
  const row = { ...POOL, complete: false, state: unread } as PoolRecord;
  const after = { balance0: STATE.balance0 + amount0, balance1: STATE.balance1 - amountOut };
  const join = (read: object) => {
    const reading = new PoolReading(row, 5);
    const state = { ...STATE, ...after, ...read };
    reading.add({ state, feePips: 3000, ticks: [], covered: null, isLast: true });
    return reading.join(row, []);
  };
  assert.deepEqual(join({})?.state, { ...STATE, ...after });
  assert.equal(join({ balance0: STATE.balance0, balance1: STATE.balance1 }), null, 'a block ago');
  assert.equal(join({ swapFee: 10n ** 15n }), null);
  assert.equal(join({ weight0: 5n * 10n ** 17n, weight1: 5n * 10n ** 17n }), null);
});
