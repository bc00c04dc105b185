// Rows of klines: gaps repeat the close, and a candle without a price takes the previous one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '../../test/test-ids.ts';
import { type CarriedCandle, type Closes, NO_CLOSES } from '../candles/derive-klines.ts';
import type { Ohlc } from '../model/market-record.ts';
import { buildKlineRow, fillRows, type KlineRow, type KlineView } from './kline-rows.ts';

const MINUTE_MS = 60_000;
const VIEW: KlineView = {
  interval: '1m',
  currency: 'usd',
  outliers: 'exclude',
  decimals: 2,
  chainMs: 10 * MINUTE_MS,
};

/** Every figure of every series is different. */
function buildCandle(minute: number, more: Partial<CarriedCandle> = {}): CarriedCandle {
  const buildOhlc = (series: string): Ohlc => ({
    open: `${series}${minute}1`,
    high: `${series}${minute}4`,
    low: `${series}${minute}0`,
    close: `${series}${minute}3`,
  });
  return {
    token: address('0xt'),
    pool: null,
    interval: '1m',
    openTimeMs: minute * MINUTE_MS,
    usd: buildOhlc('1'),
    usdClean: buildOhlc('2'),
    native: buildOhlc('3'),
    nativeClean: buildOhlc('4'),
    volumeRaw: 1250n,
    quoteVolumeUsd: '7.5',
    quoteVolumeNative: '8.5',
    trades: 5,
    buys: 3,
    sells: 2,
    before: NO_CLOSES,
    ...more,
  };
}

function listPrices({ open, high, low, close }: KlineRow) {
  return [open, high, low, close];
}

function repeatPrice(price: string) {
  return [price, price, price, price];
}

describe('fillRows', () => {
  const all = { fromMs: 0, lastMs: 5 * MINUTE_MS, limit: 100, price: null };

  it('repeats the previous close in every gap', () => {
    const rows = fillRows([buildCandle(1), buildCandle(4)], VIEW, all);
    assert.deepEqual(
      rows.map(({ openTime, filled }) => [openTime / MINUTE_MS, filled]),
      [
        [1, false],
        [2, true],
        [3, true],
        [4, false],
        [5, true],
      ],
    );
    assert.deepEqual(rows.map(listPrices), [
      ['211', '214', '210', '213'],
      repeatPrice('213'),
      repeatPrice('213'),
      ['241', '244', '240', '243'],
      repeatPrice('243'),
    ]);
    const { volume, quoteVolume, trades, buys, sells } = rows[1]!;
    assert.deepEqual([volume, quoteVolume, trades, buys, sells], ['0', '0', 0, 0, 0]);
  });

  it('begins with the price before the range, if there is one', () => {
    const rows = fillRows([buildCandle(1)], VIEW, { ...all, lastMs: MINUTE_MS, price: '9' });
    assert.deepEqual(rows.map(listPrices), [repeatPrice('9'), ['211', '214', '210', '213']]);
    const later = fillRows([buildCandle(1)], VIEW, { ...all, lastMs: MINUTE_MS });
    assert.equal(later[0]?.openTime, MINUTE_MS);
  });

  it('a candle of outliers only keeps the previous price', () => {
    const before: Closes = { ...NO_CLOSES, usdClean: '213' };
    const outliers = buildCandle(2, { usdClean: null, before });
    const rows = fillRows([buildCandle(1), outliers], VIEW, { ...all, lastMs: 3 * MINUTE_MS });
    assert.deepEqual(rows.slice(1).map(listPrices), [repeatPrice('213'), repeatPrice('213')]);
    assert.deepEqual([rows[1]?.filled, rows[1]?.trades], [true, 5]);
    assert.equal(rows[2]?.filled, true);
  });

  it('ends at the limit', () => {
    const rows = fillRows([buildCandle(1)], VIEW, { ...all, limit: 3 });
    assert.deepEqual(
      rows.map(({ openTime }) => openTime / MINUTE_MS),
      [1, 2, 3],
    );
  });
});

describe('buildKlineRow', () => {
  it('shows the currency and the outliers that were asked for', () => {
    const show = (more: Partial<KlineView>) => {
      const row = buildKlineRow(buildCandle(1), { ...VIEW, ...more });
      return [row?.open, row?.quoteVolume];
    };
    assert.deepEqual(show({}), ['211', '7.5']);
    assert.deepEqual(show({ outliers: 'include' }), ['111', '7.5']);
    assert.deepEqual(show({ currency: 'native' }), ['411', '8.5']);
    assert.deepEqual(show({ currency: 'native', outliers: 'include' }), ['311', '8.5']);
  });

  it('without a price of its own shows the last close, and says so', () => {
    const before: Closes = { native: null, usd: '7', nativeClean: '8', usdClean: '9' };
    const candle = buildCandle(1, { usdClean: null, nativeClean: null, native: null, before });
    const show = (more: Partial<KlineView>) => {
      const row = buildKlineRow(candle, { ...VIEW, ...more });
      return row === null ? null : [...listPrices(row), row.volume, row.trades, row.filled];
    };
    assert.deepEqual(show({}), [...repeatPrice('9'), '12.5', 5, true]);
    assert.deepEqual(show({ currency: 'native' }), [...repeatPrice('8'), '12.5', 5, true]);
    assert.equal(show({ outliers: 'include' })?.at(-1), false);
    // Nothing had a price yet.
    assert.equal(show({ currency: 'native', outliers: 'include' }), null);
  });

  it('volumes are in whole tokens, and null if decimals are unknown', () => {
    assert.equal(buildKlineRow(buildCandle(1), VIEW)?.volume, '12.5');
    assert.equal(buildKlineRow(buildCandle(1), { ...VIEW, decimals: null })?.volume, null);
  });

  it('is closed once chain time has reached the next interval', () => {
    const isClosed = (chainMs: number) =>
      buildKlineRow(buildCandle(1), { ...VIEW, chainMs })?.closed;
    assert.equal(isClosed(2 * MINUTE_MS - 1), false);
    assert.equal(isClosed(2 * MINUTE_MS), true);
    assert.equal(buildKlineRow(buildCandle(1), VIEW)?.closeTime, 2 * MINUTE_MS - 1);
  });
});
