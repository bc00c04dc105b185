// Compares what is found through candles with a plain look at all trades.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { openTestStore } from '../../test/market-scene.ts';
import { address, poolId, transactionId } from '../../test/test-ids.ts';
import { foldTrades } from '../candles/derive-klines.ts';
import { computeOpenTime } from '../candles/interval.ts';
import { type KeptFrom, STORED_INTERVALS, type TradeRecord } from '../model/market-record.ts';
import type { MarketStore, Store } from '../store/store.ts';
import { PricedTrades, type PriceKind } from './priced-trades.ts';

const START_MS = Date.UTC(2026, 0, 5, 3, 4, 5, 678);
const GAPS_MS = [0, 0, 300, 2000, 40_000, 700_000, 5_000_000, 100_000_000];

/** Trades in a row of one sort: the longest rows are longer than what is read at once. */
const row = fc.record({
  count: fc.constantFrom(1, 1, 2, 3, 130, 260),
  sort: fc.constantFrom('clean', 'outlier', 'unpriced', 'usdOnly', 'nativeOnly'),
  gap: fc.constantFrom(...GAPS_MS),
  blocks: fc.integer({ min: 0, max: 2 }),
});

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

let tokens = 0;

function buildTrades(rows: readonly Row[]): TradeRecord[] {
  tokens += 1;
  const token = address(`0x${tokens.toString(16).padStart(40, '0')}`);
  const trades: TradeRecord[] = [];
  let [timestampMs, block] = [START_MS, 10];
  for (const { count, sort, gap, blocks } of rows) {
    for (let index = 0; index < count; index += 1) {
      timestampMs += gap;
      block += blocks;
      const logIndex = trades.length;
      const hasPrice = sort !== 'unpriced';
      trades.push({
        ...{ token, block, logIndex, timestampMs, index: 0, side: 'buy', venue: 'uniswap-v2' },
        txHash: transactionId(`0x${logIndex.toString(16).padStart(64, '0')}`),
        wallet: address(`0x${'c'.repeat(40)}`),
        pool: poolId(`0x${'d'.repeat(40)}`),
        amountRaw: 1n,
        quoteToken: address(`0x${'e'.repeat(40)}`),
        quoteAmountRaw: 1n,
        priceUsd: hasPrice && sort !== 'nativeOnly' ? `${logIndex + 1}` : null,
        priceNative: hasPrice && sort !== 'usdOnly' ? `0.${logIndex + 1}1` : null,
        ...{ valueNative: null, valueUsd: null, outlier: sort === 'outlier' },
      });
    }
  }
  return trades;
}

/** What is left once rows have been deleted up to the floors. */
async function write(store: Store, trades: readonly TradeRecord[], kept: KeptFrom) {
  const { tradesFromMs = 0, candlesFromMs = 0 } = kept;
  const [first] = trades;
  if (first === undefined) return;
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.insertTrades(trades.filter((trade) => trade.timestampMs >= tradesFromMs));
    for (const interval of STORED_INTERVALS) {
      const candles = foldTrades({ token: first.token, pool: null, interval }, trades);
      await transaction.putCandles(
        candles.filter(({ openTimeMs }) => interval === '1d' || openTimeMs >= candlesFromMs),
      );
    }
  });
}

const KINDS: readonly PriceKind[] = [
  { currency: 'usd', outliers: 'exclude' },
  { currency: 'usd', outliers: 'include' },
  { currency: 'native', outliers: 'exclude' },
  { currency: 'native', outliers: 'include' },
];

function isPriced(trade: TradeRecord, { currency, outliers }: PriceKind): boolean {
  const price = currency === 'usd' ? trade.priceUsd : trade.priceNative;
  return price !== null && (outliers === 'include' || !trade.outlier);
}

function openFinder(market: MarketStore, trades: readonly TradeRecord[], kept: KeptFrom) {
  const token = trades[0]?.token ?? address(`0x${'0'.repeat(40)}`);
  return new PricedTrades({ reader: market, chain: 'devnet', token, fromMs: 0, kept });
}

function pickPrice(trade: TradeRecord | undefined, { currency }: PriceKind): string | null {
  return (currency === 'usd' ? trade?.priceUsd : trade?.priceNative) ?? null;
}

const history = fc.array(row, { minLength: 1, maxLength: 10 });

test('the last and the first priced trades are found behind any row of others', async (t) => {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  const property = fc.asyncProperty(
    history,
    fc.array(fc.nat(), { minLength: 4 }),
    async (rows, picks) => {
      const trades = buildTrades(rows);
      await write(store, trades, {});
      const finder = openFinder(store.market, trades, {});
      for (const pick of picks.slice(0, 8)) {
        const at = trades[pick % trades.length]!;
        const timeMs = at.timestampMs + (pick % 3) - 1;
        for (const kind of KINDS) {
          const priced = trades.filter((trade) => isPriced(trade, kind));
          const byTime = priced.findLast(({ timestampMs }) => timestampMs <= timeMs);
          const found = await finder.findLast(kind, { toMs: timeMs + 1, after: null });
          assert.deepEqual(found?.trade, byTime);
          assert.equal(found?.price ?? null, pickPrice(byTime, kind));
          const bound = await finder.findBlockEnd(at.block);
          const byBlock = priced.findLast(({ block }) => block <= at.block);
          assert.deepEqual((await finder.findLast(kind, bound!))?.trade, byBlock);
          assert.deepEqual((await finder.findFirst(kind))?.trade, priced[0]);
        }
      }
      assert.equal(await finder.findBlockEnd(9), null);
    },
  );
  await fc.assert(property, { numRuns: 25, seed: 5 });
});

test('where trades or candles were deleted, the price is found and the trade may be missing', async (t) => {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  const property = fc.asyncProperty(history, fc.nat(), fc.nat(), async (rows, one, two) => {
    const trades = buildTrades(rows);
    const pickDay = (pick: number) =>
      computeOpenTime('1d', trades[pick % trades.length]!.timestampMs);
    const kept = { tradesFromMs: pickDay(one), candlesFromMs: pickDay(two) };
    await write(store, trades, kept);
    const finder = openFinder(store.market, trades, kept);
    for (const kind of KINDS) {
      const priced = trades.filter((trade) => isPriced(trade, kind));
      for (const [found, expected] of [
        [
          await finder.findLast(kind, { toMs: Number.MAX_SAFE_INTEGER, after: null }),
          priced.at(-1),
        ],
        [await finder.findFirst(kind), priced[0]],
      ] as const) {
        assert.equal(found?.price ?? null, pickPrice(expected, kind));
        const isKept = expected !== undefined && expected.timestampMs >= kept.tradesFromMs;
        if (found?.trade != null || isKept) assert.deepEqual(found?.trade, expected);
      }
    }
  });
  await fc.assert(property, { numRuns: 40, seed: 6 });
});

test('trades before the start do not count, also within the candle that contains it', async (t) => {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  const gap = 1000;
  const trades = buildTrades([
    { count: 3, sort: 'clean', gap, blocks: 1 },
    { count: 130, sort: 'unpriced', gap, blocks: 1 },
    { count: 2, sort: 'clean', gap, blocks: 1 },
    { count: 130, sort: 'unpriced', gap, blocks: 1 },
  ]);
  await write(store, trades, {});
  const [token, fromMs] = [trades[0]!.token, trades[3]!.timestampMs];
  const reader = store.market;
  const finder = new PricedTrades({ reader, chain: 'devnet', token, fromMs, kept: {} });
  const bound = { toMs: Number.MAX_SAFE_INTEGER, after: null };
  for (const kind of KINDS) {
    assert.deepEqual((await finder.findFirst(kind))?.trade?.block, trades[133]!.block);
    assert.deepEqual((await finder.findLast(kind, bound))?.trade?.block, trades[134]!.block);
    const late = { reader, chain: 'devnet', token, kept: {} } as const;
    const none = new PricedTrades({ ...late, fromMs: trades[135]!.timestampMs });
    assert.equal(await none.findLast(kind, bound), null);
    assert.equal(await none.findFirst(kind), null);
  }
});
