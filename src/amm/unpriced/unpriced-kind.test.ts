// Pools of which only the trades are known.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolRecordOf } from '../../model/pool.ts';
import type { PoolTicks } from '../pool-kind.ts';
import { unpricedKind as kind } from './unpriced-kind.ts';

const TICKS: PoolTicks = { get: () => undefined, change: () => true, order: [] };

it('a swap tells the price, and nothing else', () => {
  const draft: PoolRecordOf<'tradesOnly'> = {
    ...{ pool: poolId(`0x${'1'.repeat(64)}`), kind: 'tradesOnly', venue: 'curve', terms: null },
    ...{ token0: address(`0x${'2'.repeat(40)}`), token1: address(`0x${'3'.repeat(40)}`) },
    ...{ vault: address(`0x${'4'.repeat(40)}`), feePips: 0, createdBlock: 1, createdAtMs: 0 },
    ...{ complete: false, state: kind.stateAtStart, lastSwapAtMs: null, liquidityUsdE18: null },
  };
  assert.equal(kind.price(draft.state), null);
  const set = { last0: 4n, last1: 10n };
  const row = { ...draft };
  kind.apply(row, { poolKind: 'tradesOnly', set }, { ticks: TICKS, swapped: null });
  assert.equal(row.complete, true, 'there is nothing to adopt');
  assert.deepEqual(kind.price(row.state), { numerator: 10n, denominator: 4n });
  const dust = { poolKind: 'tradesOnly', set: { last0: 4n, last1: 0n } } as const;
  kind.apply(row, dust, { ticks: TICKS, swapped: null });
  assert.deepEqual(row.state, set, 'a swap that paid nothing has no price');
  assert.equal(kind.holdings(row.state), null);
  assert.equal(kind.payableRaw(row, 'token0', TICKS), 0n);
  assert.equal(kind.createSwapPool(row, [], undefined), null);
  assert.deepEqual(kind.decodeState(kind.encodeState(row.state)), row.state);
  assert.deepEqual(kind.decodeState(kind.encodeState(draft.state)), draft.state);
  assert.equal(kind.decodeTerms(kind.encodeTerms(null)), null);
});
