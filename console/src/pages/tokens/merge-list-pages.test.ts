// Each row of the joined list is as old as the page that it came with.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TokenListReply } from '../../api/contract-types.ts';
import { mergeListPages } from './merge-list-pages.ts';

function buildListPage(block: number, mints: readonly string[]): TokenListReply {
  const tokens = mints.map((mint) => ({ chain: 'devnet', mint }));
  return { tokens, asOf: { devnet: { block } } } as unknown as TokenListReply;
}

test('a row has the block of its own page, and is shown once, where it is first', () => {
  const rows = mergeListPages([buildListPage(90, ['a', 'b']), buildListPage(80, ['b', 'c'])]);
  assert.deepEqual(
    rows.map(({ mint, block }) => `${mint}:${block}`),
    ['a:90', 'b:90', 'c:80'],
  );
});
