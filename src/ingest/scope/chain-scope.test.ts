// The times of a token in scope, in memory as in the store.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from '../../../test/conformance/store-samples.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import { ScopeEntries } from './chain-scope.ts';

const TOKEN = toAddress(1);

function buildEntry(fromBlock: number, leftBlock: number | null): ScopeEntry {
  return { token: TOKEN, fromBlock, fromMs: 0, leftBlock, pool: null };
}

test('a token that came back stays in through a rollback, and is as it was before it left', () => {
  const entries = new ScopeEntries();
  const find = () => entries.open.get(TOKEN)?.fromBlock;
  entries.add([buildEntry(5, null)]);
  entries.add([buildEntry(5, 20)]);
  assert.equal(find(), undefined);
  entries.add([buildEntry(31, null)]);
  entries.rollBack(30);
  assert.equal(find(), 31);
  entries.rollBack(29);
  assert.equal(find(), undefined);
  entries.rollBack(19);
  assert.equal(find(), 5);
  entries.rollBack(3);
  assert.equal(find(), undefined);
});
