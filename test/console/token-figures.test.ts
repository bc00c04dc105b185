// The page shows one figure of 24 hours, whether it was read or streamed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickTokenFigures } from '../../console/src/pages/token/token-figures.ts';

const day = { priceChangePct: 1, volumeUsd: '100', trades: 3, buys: 2 };
const token = {
  ...{ priceChange24hPct: 1, volume24hUsd: '100', trades24h: 3, holders: 5 },
  ...{ windows: { '1h': { trades: 1 }, '24h': day }, asOf: { block: 10 } },
};

function pick(block: number) {
  const live = { priceChange24hPct: 2, volume24hUsd: '170', trades24h: 4, block };
  const feed = { price: { value: live }, holders: { value: null } };
  return pickTokenFigures({ token, feed } as never);
}

test('the window of 24 hours has the figures of the header, before and after an event', () => {
  for (const [block, change] of [
    [9, 1],
    [10, 2],
  ] as const) {
    const { windows, ...figures } = pick(block);
    const { priceChangePct, volumeUsd, trades } = windows['24h'];
    assert.equal(priceChangePct, change);
    assert.deepEqual(
      [priceChangePct, volumeUsd, trades],
      [figures.priceChange24hPct, figures.volume24hUsd, figures.trades24h],
    );
    assert.deepEqual(windows['1h'], { trades: 1 });
  }
});
