// Events are taken only by pools that they can be of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId, transactionId } from '../../../../test/test-ids.ts';
import { buildUnpricedSwap, describeUnpriced } from '../venues/unpriced-pools.ts';
import { fitToKind } from './accept-events.ts';

const POOL = poolId(`0x${'ba'.repeat(32)}`);
const [TOKEN0, TOKEN1, OTHER] = ['11', '22', '33'].map((byte) => address(`0x${byte.repeat(20)}`));

test('a swap whose id collides with that of a row of other tokens is dropped', () => {
  assert.ok(TOKEN0 && TOKEN1 && OTHER);
  const description = describeUnpriced({
    ...{ pool: POOL, venue: 'balancer-v2', vault: OTHER, token0: TOKEN0, token1: TOKEN1 },
    feePips: 0,
  });
  const log = { txHash: transactionId(`0x${'44'.repeat(32)}`), logIndex: 1 };
  const swap = buildUnpricedSwap(log, POOL, { isZeroIn: true, paid: 5n, received: 3n });
  const own = { ...swap, tokens: [TOKEN0, TOKEN1] } as const;
  assert.equal(fitToKind(own, description), own);
  assert.equal(fitToKind({ ...swap, tokens: [TOKEN0, OTHER] }, description), null);
  assert.equal(fitToKind({ ...swap, tokens: [OTHER, TOKEN1] }, description), null);
});
