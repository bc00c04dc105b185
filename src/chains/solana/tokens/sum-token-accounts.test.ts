// Adding up many accounts, beside other work.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HELD_SLICE, sumTokenAccounts } from './sum-token-accounts.ts';

test('other work has its turn while many accounts are added up', async () => {
  const data = Buffer.alloc(HELD_SLICE.length);
  data.writeBigUInt64LE(3n, 32);
  const row = { account: { data: [data.toString('base64'), 'base64'], space: 165 } };
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const { balances, sumRaw } = await sumTokenAccounts(
    new Array(20_000).fill(row),
    HELD_SLICE,
    assert.fail,
  );
  isDone = true;
  assert.ok(turns >= 5, `${turns} turns`);
  assert.deepEqual([sumRaw, balances.size], [60_000n, 1]);
});
