// Several chains are searched as one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSearchToken, inSegment, oneByOne, parse } from '../../../test/plain-search.ts';
import type { ChainSearch } from './chain-search.ts';
import type { Listing } from './listing.ts';
import { computeProminence } from './prominence.ts';
import { searchChains } from './search-chains.ts';

function buildListing(number: number, symbol: string, liquidityUsd: number): Listing {
  const standing = { isVerified: true, liquidityUsd, volumeUsd: liquidityUsd, ageMs: 0 };
  return {
    ...{ token: buildSearchToken(number), symbol, name: null, isVerified: true },
    prominence: computeProminence(standing),
  };
}

const SMALL = buildListing(1, 'ETHRELLA', 0);
const LARGE = buildListing(2, 'ETHER', 900_000_000);

test('a token of one chain shows that a query is spelt as meant on all chains', () => {
  for (const build of [inSegment, oneByOne]) {
    const search = (indexes: readonly (readonly ['base' | 'bsc', ChainSearch])[]) =>
      searchChains(indexes, parse('ethre'), { limit: 5, isHidden: () => false }).map(
        ({ chain, kind }) => `${chain} ${kind}`,
      );
    const base = ['base', build([SMALL])] as const;
    const bsc = ['bsc', build([LARGE])] as const;
    const expected = ['base symbolPrefix', 'bsc oneEdit'];
    assert.deepEqual(search([base, bsc]), expected);
    // As on one chain with both.
    assert.deepEqual(search([['base', build([SMALL, LARGE])]]), [
      'base symbolPrefix',
      'base oneEdit',
    ]);
    assert.deepEqual(search([bsc]), ['bsc oneEdit']);
  }
});
