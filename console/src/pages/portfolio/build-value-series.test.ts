// The value of a wallet follows its trades and the prices of their time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildValueSeries } from './build-value-series.ts';

const listValues = (...given: Parameters<typeof buildValueSeries>) =>
  buildValueSeries(...given).map(({ valueUsd }) => valueUsd);

test('without trades it is what is held now, at the prices of each time', () => {
  const held = [
    { asset: 'wire', amount: 10, priceUsd: 4 },
    { asset: 'usdc', amount: 5, priceUsd: 1 },
  ];
  const prices = new Map([
    [
      'wire',
      [
        { timeMs: 100, priceUsd: 2 },
        { timeMs: 200, priceUsd: 3 },
      ],
    ],
  ]);
  // Before the first price it is that one; the last point has the price of now.
  assert.deepEqual(
    listValues({ held, trades: [], prices }, [50, 100, 199, 200, 300]),
    [25, 25, 25, 35, 45],
  );
});

test('before a buy the wallet had the coins that paid it', () => {
  const held = [{ asset: 'wire', amount: 100, priceUsd: 2 }];
  const trades = [
    {
      timeMs: 150,
      moved: [
        { asset: 'wire', amount: 100 },
        { asset: 'weth', amount: -1 },
      ],
    },
  ];
  const prices = new Map([
    ['wire', [{ timeMs: 0, priceUsd: 1 }]],
    ['weth', [{ timeMs: 0, priceUsd: 120 }]],
  ]);
  assert.deepEqual(listValues({ held, trades, prices }, [100, 150, 200]), [120, 100, 200]);
});

test('what was sold but never bought is no debt', () => {
  const trades = [{ timeMs: 150, moved: [{ asset: 'usdc', amount: 50 }] }];
  const held = [{ asset: 'usdc', amount: 0, priceUsd: 1 }];
  assert.deepEqual(listValues({ held, trades, prices: new Map() }, [100, 200]), [0, 0]);
});
