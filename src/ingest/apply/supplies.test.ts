// A supply that a node does not return this time is kept, and read again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHeader, buildToken } from '../../../test/conformance/store-samples.ts';
import { address } from '../../../test/test-ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { TokenEntry } from '../state/market-state.ts';
import { findSuppliesDue, isSupplyDue, setSupplies } from './supplies.ts';

test('without an answer the known supply stays and is due; with one it is replaced', () => {
  const moved = { supplyRaw: 100n, supplyBlock: 3, supplyBalanceSumRaw: 5n, balanceSumRaw: 6n };
  const rows = ['0xsilent', '0xread', '0xnew'].map((text) =>
    buildToken({ token: address(text), ...moved }),
  );
  const [silent, answered, unknown] = rows.map((row) => ({ ...row }));
  assert.ok(silent && answered && unknown);
  Object.assign(unknown, { supplyRaw: null });
  const entries = [silent, answered, unknown].map((row) => ({ row }) as TokenEntry);
  const missed = setSupplies(entries, new Map([[address('0xread'), 90n]]), buildHeader(9));
  const isDue = (row: TokenRecord) => isSupplyDue(row, { coin: address('0xcoin') });
  assert.deepEqual(missed, ['0xsilent']);
  assert.deepEqual([silent.supplyRaw, silent.supplyBlock, isDue(silent)], [100n, 3, true]);
  assert.deepEqual([answered.supplyRaw, answered.supplyBlock, isDue(answered)], [90n, 9, false]);
  assert.deepEqual([unknown.supplyRaw, unknown.supplyBlock], [null, 9]);
});

test('the native coin has no contract to read a supply from', () => {
  const row = buildToken({ token: address('0xcoin'), supplyBlock: null });
  assert.equal(isSupplyDue(row, { coin: address('0xcoin') }), false);
  assert.equal(isSupplyDue(row, { coin: address('0xother') }), true);
});

test('of the stored tokens that are due so many are read at once, and no more', async () => {
  const rows = ['0x1', '0x2', '0x3', '0x4'].map((text) =>
    buildToken({ token: address(text), supplyBlock: text === '0x1' ? 1 : null }),
  );
  async function* scanUnsuppliedTokens() {
    yield rows.slice(0, 2);
    yield rows.slice(2);
  }
  const chain = { chain: 'devnet', assets: { coin: address('0xcoin') } };
  const due = await findSuppliesDue(
    { scanUnsuppliedTokens },
    chain as unknown as Parameters<typeof findSuppliesDue>[1],
    2,
  );
  assert.deepEqual([...due], ['0x2', '0x3']);
});
