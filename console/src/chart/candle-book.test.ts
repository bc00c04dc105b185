// A chart's candles equal a fresh read after any order of reads, events and reorganisations.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartKline } from '../api/contract-types.ts';
import { buildDrawnCandles, CandleBook } from './candle-book.ts';

function buildKline(
  openTime: number,
  close: string,
  changes: Partial<ChartKline> = {},
): ChartKline {
  return {
    openTime,
    closeTime: openTime + 59,
    open: close,
    high: close,
    low: close,
    close,
    volume: '1',
    quoteVolume: '2',
    trades: 1,
    buys: 1,
    sells: 0,
    closed: false,
    filled: false,
    ...changes,
  };
}

const listTimes = (book: CandleBook) => book.rows.map(({ openTime }) => openTime);

test('a candle replaces the one of its time, and late ones find their place', () => {
  const book = new CandleBook();
  book.replace([buildKline(60, '1'), buildKline(180, '3')]);
  assert.equal(book.put(buildKline(180, '4')), 'last');
  assert.equal(book.put(buildKline(240, '5')), 'last');
  assert.equal(book.put(buildKline(120, '2')), 'all');
  assert.equal(book.put(buildKline(60, '9')), 'all');
  assert.deepEqual(listTimes(book), [60, 120, 180, 240]);
  assert.deepEqual(
    book.rows.map(({ close }) => close),
    ['9', '2', '4', '5'],
  );
});

test('older candles go before, and reverted ones go away', () => {
  const book = new CandleBook();
  book.replace([buildKline(180, '3')]);
  book.prepend([buildKline(60, '1'), buildKline(120, '2'), buildKline(180, '0')]);
  assert.deepEqual(listTimes(book), [60, 120, 180]);
  assert.equal(book.rows.at(-1)?.close, '3');
  book.remove(new Set([120, 999]));
  assert.deepEqual(listTimes(book), [60, 180]);
});

test('a time lies in the last candle that opened before it', () => {
  const book = new CandleBook();
  book.replace([buildKline(60, '1'), buildKline(180, '3')]);
  assert.equal(book.findAt(59), null);
  assert.equal(book.findAt(60)?.openTime, 60);
  assert.equal(book.findAt(179)?.openTime, 60);
  assert.equal(book.findAt(500)?.openTime, 180);
});

test('joined candles open at the close before; true values are untouched', () => {
  const rows = [
    buildKline(60, '1'),
    buildKline(120, '5', { filled: true, trades: 0 }),
    buildKline(180, '3', { open: '2', high: '4', low: '2' }),
    // Its trades set no price: flat, and with its volume.
    buildKline(240, '3', { filled: true, open: '3', high: '3', low: '3' }),
  ];
  const draw = (isJoined: boolean) => buildDrawnCandles(rows, { isJoined, stepMs: null }).candles;
  const [first, second, ...others] = draw(true);
  assert.deepEqual([first?.open, second?.open, second?.low, second?.high], [1, 1, 1, 4]);
  assert.deepEqual(
    others.map(({ openTime, open, close }) => [openTime, open, close]),
    [[240, 3, 3]],
  );
  assert.equal(draw(false)[1]?.open, 2);
  assert.equal(rows[2]?.open, '2');
});

test('a gap is as wide as it was long, and has no candle', () => {
  const rows = [buildKline(60, '1'), buildKline(240, '2'), buildKline(300, '3')];
  const { candles, isGapless } = buildDrawnCandles(rows, { isJoined: true, stepMs: 60 });
  assert.equal(isGapless, false);
  assert.deepEqual(
    candles.map(({ openTime, isGap }) => [openTime, isGap]),
    [
      [60, false],
      [120, true],
      [180, true],
      [240, false],
      [300, false],
    ],
  );
});

test('times without a trade are left out, and that is said, where they are thousands', () => {
  const rows = [buildKline(0, '1'), buildKline(60 * 5000, '2')];
  const { candles, isGapless } = buildDrawnCandles(rows, { isJoined: true, stepMs: 60 });
  assert.deepEqual([candles.length, isGapless], [2, true]);
  const one = [buildKline(0, '1'), buildKline(60 * 4999, '2')];
  assert.equal(buildDrawnCandles(one, { isJoined: true, stepMs: 60 }).candles.length, 5000);
});
