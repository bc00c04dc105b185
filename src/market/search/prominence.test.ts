// Which token comes first, where several match: the best known, not the best copy.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildSearchToken, inSegment, oneByOne, search } from '../../../test/plain-search.ts';
import type { Listing } from './listing.ts';
import { computeProminence } from './prominence.ts';

describe('who is who', () => {
  const list = (
    rows: readonly [symbol: string, name: string, isVerified: boolean, usd: number][],
  ) =>
    rows.map(([symbol, name, isVerified, usd], index) => ({
      ...{ token: buildSearchToken(index + 1), symbol, name, isVerified },
      prominence: computeProminence({ isVerified, liquidityUsd: usd, volumeUsd: 0, ageMs: 0 }),
    }));
  const assertOrder = (listings: readonly Listing[], text: string, order: readonly number[]) => {
    for (const index of [inSegment(listings), oneByOne(listings)]) {
      for (let limit = 1; limit <= order.length; limit += 1) {
        assert.deepEqual(
          search(index, text, limit).map(({ token }) => token),
          order.slice(0, limit).map(buildSearchToken),
        );
      }
    }
  };

  test('a verified token comes before the more liquid that copy its symbol', () => {
    const listings = list([
      ['USDT', 'Tether USD', false, 900_000],
      ['USDT', 'Tether USD', true, 10],
      ['USDT', 'Tether USD', false, 99_999],
    ]);
    assertOrder(listings, 'usdt', [2, 1, 3]);
  });

  test('a better match does not put an impostor before a verified or liquid token', () => {
    const tether = list([
      ['SCAM', 'Tether', false, 99_999],
      ['USDT', 'Tether USD', true, 1_000_000],
      ['TETHER', 'Tether', false, 0],
    ]);
    assertOrder(tether, 'tether', [2, 1, 3]);
    const bitcoin = list([
      ['BTC', 'Bitcoin', false, 5],
      ['WBTC', 'Wrapped Bitcoin', false, 100_000],
    ]);
    assertOrder(bitcoin, 'btc', [2, 1]);
  });

  test('a verified token whose symbol was typed comes before a larger one', () => {
    const listings = list([
      ['USDC', 'USD Coin', true, 50_000_000],
      ['COIN', 'Coin', true, 100_000],
    ]);
    assertOrder(listings, 'coin', [2, 1]);
  });

  test('volume counts only as far as there is liquidity', () => {
    const standing = { isVerified: false, liquidityUsd: 10_000, ageMs: 0 };
    assert.equal(
      computeProminence({ ...standing, volumeUsd: 1e12 }),
      computeProminence({ ...standing, volumeUsd: 10_000 }),
    );
  });

  test('of two with the same liquidity the one with more volume, or age, is better known', () => {
    const standing = { isVerified: false, liquidityUsd: 10_000_000, volumeUsd: 1_000, ageMs: 0 };
    const plain = computeProminence(standing);
    assert.ok(computeProminence({ ...standing, volumeUsd: 1_000_000 }) > plain);
    assert.ok(computeProminence({ ...standing, ageMs: 1e10 }) > plain);
  });

  test('matches with a typing error come last if an established token matches without', () => {
    const listings = list([
      ['ETHER', 'Ether', true, 5_000_000],
      ['ETHRE', 'Ethre', true, 0],
      ['ETHRA', 'Ethra', false, 50],
      ['XETHRE', 'X', false, 0],
    ]);
    assertOrder(listings, 'ethre', [2, 4, 1, 3]);
  });

  test('otherwise the query may be misspelt, and they compete', () => {
    const listings = list([
      ['ETHER', 'Ether', true, 5_000_000],
      ['ETHRE', 'Ethre', false, 0],
      ['XETHRE', 'X', false, 0],
      ['ETHRA', 'Ethra', false, 50],
    ]);
    assertOrder(listings, 'ethre', [1, 2, 3, 4]);
  });
});
