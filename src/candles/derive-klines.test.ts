// Folding and merging give the same candles, and give what an exchange published.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { address, poolId, transactionId } from '../../test/test-ids.ts';
import { decimalToText } from '../lib/decimal.ts';
import {
  type CandleRecord,
  KLINE_INTERVALS,
  STORED_INTERVALS,
  type TradeRecord,
} from '../model/market-record.ts';
import { CandleCascade, layOver } from './candle-cascade.ts';
import { parseValues } from './candle-draft.ts';
import { deriveKlines, foldTrades, mergeCandles } from './derive-klines.ts';
import { computeNextOpenTime, computeOpenTime, findBaseInterval } from './interval.ts';

const SERIES = { token: address('0xtoken'), pool: null };

function makeTrade(fields: Partial<TradeRecord>): TradeRecord {
  return {
    token: SERIES.token,
    block: 1,
    logIndex: 0,
    txHash: transactionId('0xhash'),
    index: 0,
    timestampMs: 0,
    side: 'buy',
    wallet: address('0xwallet'),
    venue: 'uniswap-v2',
    pool: poolId('0xpool'),
    amountRaw: 1n,
    quoteToken: address('0xquote'),
    quoteAmountRaw: 1n,
    priceNative: null,
    priceUsd: null,
    valueNative: null,
    valueUsd: null,
    outlier: false,
    ...fields,
  };
}

const decimal = fc
  .tuple(fc.bigInt(1n, 10n ** 18n), fc.nat({ max: 24 }))
  .map(([digits, scale]) => decimalToText({ digits, scale }));
const price = fc.option(decimal, { nil: null });

/** Trades in time order, from many in one second to a month apart. */
const trades = fc
  .tuple(
    fc.integer({ min: 1_500_000_000_000, max: 1_800_000_000_000 }),
    fc.array(
      fc.record({
        stepMs: fc.oneof(
          fc.constant(0),
          fc.nat({ max: 3000 }),
          fc.nat({ max: 400_000 }),
          fc.nat({ max: 40 * 86_400_000 }),
        ),
        side: fc.constantFrom('buy' as const, 'sell' as const),
        amountRaw: fc.bigInt(0n, 2n ** 120n),
        priceNative: price,
        priceUsd: price,
        valueNative: price,
        valueUsd: price,
        outlier: fc.boolean(),
      }),
      { maxLength: 60 },
    ),
  )
  .map(([startMs, steps]) => {
    let timestampMs = startMs;
    return steps.map(({ stepMs, ...fields }) => {
      timestampMs += stepMs;
      return makeTrade({ ...fields, timestampMs });
    });
  });

/** Like ingest: fold each batch, and merge it into the stored candles. */
function storeInBatches(batches: readonly TradeRecord[][]): CandleRecord[] {
  const stored = new Map<string, CandleRecord>();
  for (const batch of batches) {
    const cascade = new CandleCascade();
    for (const trade of batch) cascade.add(trade, parseValues(trade));
    for (const folded of cascade.finish()) {
      const key = `${folded.interval} ${folded.draft.openTimeMs}`;
      stored.set(key, layOver(stored.get(key) ?? null, folded, SERIES));
    }
  }
  return [...stored.values()].sort((a, b) => a.openTimeMs - b.openTimeMs);
}

function splitAt<T>(items: readonly T[], cuts: readonly number[]): T[][] {
  const at = [0, ...cuts.map((cut) => cut % (items.length + 1)), items.length].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => items.slice(at[index], end));
}

describe('candles', () => {
  it('merged from stored ones equal those folded from trades, for every interval', () => {
    fc.assert(
      fc.property(trades, fc.array(fc.nat(), { maxLength: 4 }), (all, cuts) => {
        const stored = storeInBatches(splitAt(all, cuts));
        for (const interval of STORED_INTERVALS) {
          assert.deepEqual(
            stored.filter((candle) => candle.interval === interval),
            foldTrades({ ...SERIES, interval }, all),
          );
        }
        for (const interval of KLINE_INTERVALS) {
          const base = findBaseInterval(interval);
          if (base === null) continue;
          const series = { ...SERIES, interval };
          assert.deepEqual(
            deriveKlines(series, { stored: stored.filter((candle) => candle.interval === base) }),
            deriveKlines(series, { trades: all }),
          );
        }
      }),
    );
  });

  it('of the stored intervals can be rebuilt each from the one below', () => {
    fc.assert(
      fc.property(trades, (all) => {
        let finer = foldTrades({ ...SERIES, interval: STORED_INTERVALS[0] }, all);
        for (const interval of STORED_INTERVALS.slice(1)) {
          const merged = mergeCandles({ ...SERIES, interval }, finer);
          assert.deepEqual(merged, foldTrades({ ...SERIES, interval }, all));
          finer = merged as never;
        }
      }),
    );
  });

  it('exclude outliers from the clean prices only', () => {
    const [candle] = foldTrades({ ...SERIES, interval: '1m' }, [
      makeTrade({ priceNative: '5', valueNative: '1', amountRaw: 2n }),
      makeTrade({ priceNative: '90', valueNative: '0.5', amountRaw: 3n, outlier: true }),
      makeTrade({ priceNative: '4', valueNative: '0.25', amountRaw: 4n, side: 'sell' }),
    ]);
    assert.deepEqual(candle?.native, { open: '5', high: '90', low: '4', close: '4' });
    assert.deepEqual(candle?.nativeClean, { open: '5', high: '5', low: '4', close: '4' });
    assert.equal(candle?.volumeRaw, 9n);
    assert.equal(candle?.quoteVolumeNative, '1.75');
    assert.deepEqual([candle?.trades, candle?.buys, candle?.sells], [3, 2, 1]);
    assert.equal(candle?.usd, null);
  });

  it('of one second are not derived from coarser ones', () => {
    assert.throws(() => deriveKlines({ ...SERIES, interval: '1s' }, { stored: [] }), RangeError);
  });
});

describe('open times', () => {
  const at = Date.UTC(2024, 1, 29, 13, 47, 38, 123); // a Thursday
  it('are aligned to the calendar', () => {
    const expected = {
      '1s': '2024-02-29T13:47:38.000Z',
      '5s': '2024-02-29T13:47:35.000Z',
      '15s': '2024-02-29T13:47:30.000Z',
      '30s': '2024-02-29T13:47:30.000Z',
      '1m': '2024-02-29T13:47:00.000Z',
      '3m': '2024-02-29T13:45:00.000Z',
      '5m': '2024-02-29T13:45:00.000Z',
      '15m': '2024-02-29T13:45:00.000Z',
      '30m': '2024-02-29T13:30:00.000Z',
      '1h': '2024-02-29T13:00:00.000Z',
      '2h': '2024-02-29T12:00:00.000Z',
      '4h': '2024-02-29T12:00:00.000Z',
      '6h': '2024-02-29T12:00:00.000Z',
      '8h': '2024-02-29T08:00:00.000Z',
      '12h': '2024-02-29T12:00:00.000Z',
      '1d': '2024-02-29T00:00:00.000Z',
      '3d': '2024-02-29T00:00:00.000Z',
      '1w': '2024-02-26T00:00:00.000Z',
      '1M': '2024-02-01T00:00:00.000Z',
    };
    for (const interval of KLINE_INTERVALS) {
      assert.equal(
        new Date(computeOpenTime(interval, at)).toISOString(),
        expected[interval],
        interval,
      );
    }
  });

  it('open three-day candles on the days that Binance does', () => {
    // The first 3d candle of BTCUSDT on Binance opened on 2017-08-16, like any other since.
    assert.equal(computeOpenTime('3d', Date.UTC(2017, 7, 17, 4)), Date.UTC(2017, 7, 16));
  });

  it('follow each other without gap or overlap', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KLINE_INTERVALS),
        fc.integer({ min: 0, max: 4_000_000_000_000 }),
        (interval, timeMs) => {
          const openTimeMs = computeOpenTime(interval, timeMs);
          const nextMs = computeNextOpenTime(interval, openTimeMs);
          assert.ok(openTimeMs <= timeMs && timeMs < nextMs);
          assert.equal(computeOpenTime(interval, openTimeMs), openTimeMs);
          assert.equal(computeOpenTime(interval, nextMs), nextMs);
          assert.equal(computeOpenTime(interval, nextMs - 1), openTimeMs);
        },
      ),
    );
  });
});

const FIXTURE = new URL('../../../shared/fixtures/cex-xrp-eth-trades-ohlcv/', import.meta.url);

describe('fixture cex-xrp-eth-trades-ohlcv', { skip: !existsSync(FIXTURE) && 'absent' }, () => {
  /** The files hold floats that print as the exchange's own decimals. */
  function plain(value: number): string {
    return decimalToText({ digits: BigInt(Math.round(value * 1e8)), scale: 8 });
  }

  function readFixture<T>(name: string): T[] {
    return JSON.parse(readFileSync(new URL(name, FIXTURE), 'utf8')) as T[];
  }

  for (const interval of ['1m', '5m'] as const) {
    it(`folds to the exchange's own ${interval} candles`, () => {
      type Row = [number, string, null, string, number, number, number];
      const all = readFixture<Row>('XRP_ETH-trades.json').map((row) =>
        makeTrade({
          timestampMs: row[0],
          side: row[3] as 'buy' | 'sell',
          priceNative: plain(row[4]),
          amountRaw: BigInt(Math.round(row[5] * 1e8)),
        }),
      );
      const stored = storeInBatches(splitAt(all, [1000, 4321, 4322, 9000]));
      const base = findBaseInterval(interval);
      const folded = new Map(
        deriveKlines(
          { ...SERIES, interval },
          { stored: stored.filter((candle) => candle.interval === base) },
        ).map((candle) => [candle.openTimeMs, candle]),
      );
      let previousClose = '';
      let filled = 0;
      const published = readFixture<[number, number, number, number, number, number]>(
        `XRP_ETH-${interval}.json`,
      );
      for (const [openTimeMs, ...row] of published) {
        const [open, high, low, close, volume] = row.map(plain);
        const candle = folded.get(openTimeMs);
        if (candle === undefined) {
          filled += 1;
          assert.deepEqual(
            [open, high, low, close, volume],
            [previousClose, previousClose, previousClose, previousClose, '0'],
          );
        } else {
          assert.deepEqual(candle.nativeClean, { open, high, low, close });
          assert.equal(decimalToText({ digits: candle.volumeRaw, scale: 8 }), volume);
          folded.delete(openTimeMs);
        }
        previousClose = close ?? '';
      }
      assert.equal(folded.size, 0);
      assert.equal(filled, interval === '1m' ? 1091 : 6);
    });
  }
});
