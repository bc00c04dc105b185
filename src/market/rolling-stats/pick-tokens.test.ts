// Pins which tokens have a place in an order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTrade } from '../../../test/conformance/store-samples.ts';
import { address } from '../../../test/test-ids.ts';
import { ChainColumns } from './chain-columns.ts';
import { ChainStats } from './chain-stats.ts';
import { packDecimal } from './packed-decimal.ts';
import { type ListQuery, pickTokens } from './pick-tokens.ts';

const HEAD_MS = 1_790_000_000_000;

test('a token whose value is unknown is in no order by it, with and without a minimum volume', () => {
  const columns = new ChainColumns({ native: new Set(), stable: new Set() });
  const stats = new ChainStats();
  const [known, unknown] = [address('0xaa'), address('0xbb')];
  const findStart = () => Number.NaN;
  columns.putTokens(
    [known, unknown].map((token) => ({
      ...{ token, decimals: 18, firstSeenAtMs: 1, priceUsd: '1', lastTradeAtMs: HEAD_MS },
      ...{ pairedUsdE18: null, supplyRaw: token === known ? 1n : null },
      liquidityUsdE18: token === known ? 1n : null,
    })),
    { isVerified: () => false, findStart },
  );
  stats.advance(HEAD_MS);
  const trades = [known, unknown].map((token, logIndex) => {
    return buildTrade({
      block: 1,
      token,
      logIndex,
      timestampMs: HEAD_MS,
      valueUsd: '5',
      priceUsd: '1',
    });
  });
  stats.add(trades, new Map());
  const query: Omit<ListQuery, 'sort' | 'minVolume'> = {
    ...{ chain: 'devnet', window: 3, after: null, limit: 10, minLiquidity: null, venue: null },
    ...{
      seenFromMs: 0,
      isVerified: null,
      launchpad: null,
      includes: new Set(),
      isHidden: () => false,
    },
    ...{ windowStartMs: 0, startMs: 0 },
  };
  for (const sort of ['liquidity', 'marketCap'] as const) {
    for (const minVolume of [null, packDecimal('1')]) {
      const picked = pickTokens(stats, columns, { ...query, sort, minVolume });
      assert.deepEqual(
        picked.map(({ id }) => id),
        [known],
      );
    }
  }
});
