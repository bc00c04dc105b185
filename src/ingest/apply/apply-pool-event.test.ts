// A pool whose tokens' transfer fees are no longer certain is read again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createPool, indexEvents } from '../../../test/fakes/index-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { PoolChange, PoolDescription } from '../../model/pool.ts';

const POOL = poolId(buildFakeAddress('dddd', 2));
const TOKENS = [buildFakeAddress('aaaa', 11), buildFakeAddress('aaaa', 21)] as const;

const TERMS = {
  ...{ creatorFeePips: 0, creatorFeeOn: 'input', protocolSharePips: 0, fundSharePips: 0 },
};

async function isComplete(transferFees: string): Promise<boolean | undefined> {
  const created = createPool(POOL, [...TOKENS], {
    ...{ kind: 'ceiledProduct', venue: 'raydium-cpmm', terms: TERMS },
  } as Partial<PoolDescription>);
  const set = { reserve0: 5n, reserve1: 7n, flags: '', transferFees };
  const change = { poolKind: 'ceiledProduct', set } as PoolChange;
  const changed: MarketEvent = { kind: 'poolChanged', pool: POOL, change };
  const { pools } = await indexEvents([created], [changed]);
  return pools.find(({ pool }) => pool === POOL)?.complete;
}

test('the pool is complete until the block at which a fee may change', async () => {
  assert.equal(await isComplete(''), true);
  assert.equal(await isComplete('200:5//1000000000'), true);
  assert.equal(await isComplete('200:5//1'), false);
});
