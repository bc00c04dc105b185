// A position is stored as short text and read back as it was.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { address } from '../../../test/test-ids.ts';
import type { PositionRecord, TradeFigures } from '../../model/position.ts';
import { StoreError } from '../store-error.ts';
import { POSITION_TABLE, toPositionRecord, toPositionRow } from './position-table.ts';

const KEY = { token: address(`0x${'11'.repeat(20)}`), wallet: address(`0x${'22'.repeat(20)}`) };
const HOUR_MS = 3_600_000;
const { at } = POSITION_TABLE;

const amounts = fc.bigInt(0n, 2n ** 256n - 1n);
const counts = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const figures: fc.Arbitrary<TradeFigures> = fc
  .tuple(amounts, fc.bigInt(-(2n ** 256n), 2n ** 256n), counts, counts)
  .map(([volumeUsdE6, realisedUsdE6, buys, sells]) => {
    return { volumeUsdE6, realisedUsdE6, buys, sells };
  });
const periods = fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), figures);

const records: fc.Arbitrary<PositionRecord> = fc
  .record({
    ...{ boughtRaw: amounts, costUsdE6: amounts, otherRaw: amounts, isCostKnown: fc.boolean() },
    older: figures,
    hours: fc.array(periods, { maxLength: 5 }),
    days: fc.array(periods, { maxLength: 5 }),
  })
  .map(({ hours, days, ...record }) => ({
    ...KEY,
    ...record,
    firstTradeAtMs: 1_700_000_000_123,
    lastTradeAtMs: 1_800_000_000_456,
    periods: [
      ...days.map(([day, of]) => ({ length: 'day' as const, startMs: day * 24 * HOUR_MS, ...of })),
      ...hours.map(([hour, of]) => ({ length: 'hour' as const, startMs: hour * HOUR_MS, ...of })),
    ],
  }));

test('a row gives the position that was written', () => {
  const property = fc.property(records, (record) => {
    assert.deepEqual(toPositionRecord(toPositionRow('devnet', record)), record);
  });
  fc.assert(property, { seed: 36, numRuns: 300 });
});

test('the numbers of a position are in base 36', () => {
  const row = toPositionRow('devnet', {
    ...{ ...KEY, boughtRaw: 10n ** 21n, costUsdE6: 1_500_000_000n, otherRaw: 0n },
    ...{ isCostKnown: true, firstTradeAtMs: 0, lastTradeAtMs: 0 },
    older: { volumeUsdE6: 0n, realisedUsdE6: 0n, buys: 0, sells: 0 },
    periods: [
      {
        ...{ length: 'hour', startMs: 498_561 * HOUR_MS, volumeUsdE6: 1_500_000_000n },
        ...{ realisedUsdE6: -36n, buys: 36, sells: 1 },
      },
    ],
  });
  assert.equal(row[at.held], '5v1j4f4ds79m9s ot27eo 0');
  assert.equal(row[at.figures], 'haoox ot27eo -10 10 1');
});

test('text that is not a position is damage', () => {
  const row = toPositionRow('devnet', {
    ...{ ...KEY, boughtRaw: 1n, costUsdE6: 1n, otherRaw: 0n, isCostKnown: true },
    ...{ firstTradeAtMs: 0, lastTradeAtMs: 0, periods: [] },
    older: { volumeUsdE6: 1n, realisedUsdE6: 0n, buys: 1, sells: 0 },
  });
  for (const [column, text] of [
    ['held', '1 1'],
    ['held', '1 -1 0'],
    ['held', '1 1 Z'],
    ['figures', ''],
    ['figures', 'x1 1 1 1 1'],
    ['figures', ' 1 1.5 1 1'],
  ] as const) {
    assert.throws(() => toPositionRecord(row.with(at[column], text)), StoreError, text);
  }
});
