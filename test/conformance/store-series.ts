// Conformance: candles and trades by range, and scans over whole chains.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PoolId } from '../../src/model/ids.ts';
import type { CandleRecord, TokenRecord } from '../../src/model/market-record.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../fast-check.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import {
  candleRecord,
  poolRecord,
  tickRecord,
  tokenRecord,
  tradeRecord,
  uniqueBy,
} from './store-records.ts';
import { buildTrade, toAddress, write } from './store-samples.ts';

const RUNS = { numRuns: 12 };
const ALL_TIME = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

export function describeSeries(createPlace: CreatePlace): void {
  describe('series', () => {
    const scene = useStore(createPlace);
    itKeepsSeries(() => scene.store);
    itGivesRanges(() => scene.store);
    itReplacesTrades(() => scene.store);
    itScansInPages(() => scene.store);
    itScansEveryKind(() => scene.store);
    itScansChosenRows(() => scene.store);
  });
}

function itKeepsSeries(getStore: () => Store): void {
  it('returns candles and trades exactly as they were put', async () => {
    const { market } = getStore();
    const property = fc.asyncProperty(
      uniqueBy(candleRecord, (row) => `${row.token} ${row.pool} ${row.interval} ${row.openTimeMs}`),
      uniqueBy(tradeRecord, (row) => row.token),
      async (candles, trades) => {
        await write(getStore(), async (transaction) => {
          await transaction.undoAbove(-1);
          await transaction.putCandles(candles);
          await transaction.insertTrades(trades);
        });
        for (const candle of candles) {
          assert.deepEqual(await market.readCandles('devnet', [candle]), [candle]);
        }
        for (const trade of trades) {
          const range = { fromMs: trade.timestampMs, toMs: trade.timestampMs + 1 };
          const found = await market.readTradeRange('devnet', { ...trade, pool: null }, range);
          assert.deepEqual(found, [trade]);
        }
        await write(getStore(), (transaction) => transaction.deleteCandles(candles));
        assert.deepEqual(await market.readCandles('devnet', candles), []);
      },
    );
    await fc.assert(property, RUNS);
  });
}

function itGivesRanges(getStore: () => Store): void {
  it('gives a range of candles from its start to before its end, of one series alone', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(candleRecord, { numRuns: 1, seed: 1 });
    const token = toAddress(920);
    const candles: CandleRecord[] = [];
    for (const pool of [null, poolId(toAddress(921))]) {
      for (const interval of ['1m', '15m'] as const) {
        for (const openTimeMs of [180_000, 60_000, 120_000]) {
          candles.push({ ...sample!, token, pool, interval, openTimeMs });
        }
      }
    }
    await write(getStore(), (transaction) => transaction.putCandles(candles));
    const series = { token, pool: null, interval: '1m' } as const;
    const range = { fromMs: 60_000, toMs: 180_000 };
    const found = await market.readCandleRange('devnet', series, range);
    assert.deepEqual(
      found.map((candle) => [candle.pool, candle.interval, candle.openTimeMs]),
      [
        [null, '1m', 60_000],
        [null, '1m', 120_000],
      ],
    );
  });

  it('gives trades in chain order, of a token or of one of its pools', async () => {
    const { market } = getStore();
    const token = toAddress(930);
    const other = poolId(toAddress(931));
    const trades = [
      buildTrade({ token, block: 12, logIndex: 9 }),
      buildTrade({ token, block: 12, logIndex: 10, pool: other }),
      buildTrade({ token, block: 11, logIndex: 100 }),
      buildTrade({ token, block: 13, logIndex: 1 }),
    ];
    await write(getStore(), (transaction) => transaction.insertTrades(trades));
    const positions = async (pool: PoolId | null, range = ALL_TIME) =>
      (await market.readTradeRange('devnet', { token, pool }, range)).map(
        (trade) => `${trade.block}:${trade.logIndex}`,
      );
    assert.deepEqual(await positions(null), ['11:100', '12:9', '12:10', '13:1']);
    assert.deepEqual(await positions(other), ['12:10']);
    const [second] = trades;
    const untilThat = { fromMs: second!.timestampMs, toMs: second!.timestampMs + 1000 };
    assert.deepEqual(await positions(null, untilThat), ['12:9', '12:10']);
  });

  it('refuses a trade that is already stored, with all that came with it', async () => {
    const { market } = getStore();
    const token = toAddress(940);
    const first = buildTrade({ token, block: 5 });
    await write(getStore(), (transaction) => transaction.insertTrades([first]));
    const again = write(getStore(), (transaction) =>
      transaction.insertTrades([buildTrade({ token, block: 6 }), first]),
    );
    await assert.rejects(again);
    const stored = await market.readTradeRange('devnet', { token, pool: null }, ALL_TIME);
    assert.deepEqual(stored, [first]);
  });
}

function itReplacesTrades(getStore: () => Store): void {
  it('replaces trades of history that are made again', async () => {
    const { market } = getStore();
    const token = toAddress(941);
    const [first, second] = [5, 6].map((block) => buildTrade({ token, block }));
    await write(getStore(), (transaction) => transaction.insertTrades([first!]));
    const again = { ...first!, outlier: !first!.outlier };
    await write(getStore(), (transaction) => transaction.putTrades([again, second!]));
    const stored = await market.readTradeRange('devnet', { token, pool: null }, ALL_TIME);
    assert.deepEqual(stored, [again, second]);
  });
}

function itScansInPages(getStore: () => Store): void {
  it('scans every row of a chain once, in order, in pages', async () => {
    const { market } = getStore();
    const count = 4500;
    const balances = Array.from({ length: count }, (_, index) => ({
      token: toAddress(1 + (index % 3)),
      owner: toAddress(1_000_000 + ((index * 7919) % count)),
      amountRaw: BigInt(index + 1),
    }));
    const trades = Array.from({ length: count }, (_, index) =>
      buildTrade({ token: toAddress(1 + (index % 7)), block: 10 + (index >> 4), logIndex: index }),
    );
    await market.transaction('polygon', async (transaction) => {
      await transaction.putBalances(balances);
      await transaction.insertTrades(trades.toReversed());
    });
    const scanOwners = async () => {
      const pages: string[][] = [];
      for await (const page of market.scanBalances('polygon')) {
        pages.push(page.map((row) => `${row.token} ${row.owner}`));
      }
      return pages;
    };
    const pages = await scanOwners();
    assert.ok(pages.length > 1);
    assert.deepEqual(
      pages.flat().toSorted(),
      balances.map((row) => `${row.token} ${row.owner}`).toSorted(),
    );
    assert.deepEqual(await scanOwners(), pages, 'the order is the same each time');
    const positions: number[] = [];
    for await (const page of market.scanTrades('polygon')) {
      for (const trade of page) positions.push(trade.logIndex);
    }
    assert.deepEqual(
      positions,
      trades.map((trade) => trade.logIndex),
    );
    const newest: number[] = [];
    for await (const page of market.scanNewestTrades('polygon')) {
      for (const trade of page) newest.push(trade.logIndex);
    }
    assert.deepEqual(newest, positions.toReversed());
  });
}

function itScansEveryKind(getStore: () => Store): void {
  it('scans tokens, pools, ticks and candles, each its own chain alone', async () => {
    const { market } = getStore();
    const rows = {
      tokens: fc.sample(tokenRecord, { numRuns: 3, seed: 2 }),
      pools: fc.sample(poolRecord, { numRuns: 3, seed: 2 }),
      ticks: fc.sample(tickRecord, { numRuns: 3, seed: 2 }),
      candles: fc.sample(candleRecord, { numRuns: 3, seed: 2 }),
    };
    await market.transaction('bsc', async (transaction) => {
      await transaction.putTokens(rows.tokens);
      await transaction.putPools(rows.pools);
      await transaction.putTicks(rows.ticks);
      await transaction.putCandles(rows.candles);
    });
    const scans = [
      [market.scanTokens('bsc'), rows.tokens],
      [market.scanPools('bsc'), rows.pools],
      [market.scanTicks('bsc'), rows.ticks],
      [market.scanCandles('bsc'), rows.candles],
    ] as const;
    for (const [scan, expected] of scans) {
      const found: unknown[] = [];
      for await (const page of scan) found.push(...page);
      assert.equal(found.length, expected.length);
      for (const row of expected) {
        const position = found.findIndex((other) => isSame(other, row));
        assert.notEqual(position, -1);
      }
    }
    const none: unknown[] = [];
    for await (const page of market.scanTokens('optimism')) none.push(page);
    assert.deepEqual(none, []);
  });
}

function itScansChosenRows(getStore: () => Store): void {
  it('scans the pools that are deep or incomplete, and the tokens whose supply is due', async () => {
    const { market } = getStore();
    const unique = <Row>(rows: readonly Row[], toKey: (row: Row) => string) => [
      ...new Map(rows.map((row) => [toKey(row), row])).values(),
    ];
    // More than a page has.
    const pools = unique(fc.sample(poolRecord, { numRuns: 5000, seed: 3 }), ({ pool }) => pool);
    const samples = fc.sample(tokenRecord, { numRuns: 300, seed: 3 });
    const tokens = unique(samples, ({ token }) => token).map((row, index) =>
      // Chance alone would never make the two sums equal.
      index % 2 === 0 ? { ...row, supplyBalanceSumRaw: row.balanceSumRaw } : row,
    );
    await market.transaction('arbitrum', async (transaction) => {
      await transaction.putTokens(tokens);
      await transaction.putPools(pools);
    });
    const collect = async <Row>(scan: AsyncIterable<readonly Row[]>) => {
      const rows: Row[] = [];
      for await (const page of scan) rows.push(...page);
      return rows;
    };
    const listIds = (rows: readonly PoolRecord[]) => rows.map(({ pool }) => pool).sort();
    const depths = pools.map(({ liquidityUsdE18 }) => liquidityUsdE18 ?? 0n);
    for (const min of [1n, 10n ** 18n, depths.find((depth) => depth > 0n) ?? 1n]) {
      const deep = pools.filter(({ liquidityUsdE18 }) => (liquidityUsdE18 ?? 0n) >= min);
      const found = await collect(market.scanDeepPools('arbitrum', min));
      assert.deepEqual(listIds(found), listIds(deep));
    }
    const incomplete = pools.filter(({ complete }) => !complete);
    assert.ok(incomplete.length > 0 && incomplete.length < pools.length);
    const foundIncomplete = await collect(market.scanIncompletePools('arbitrum'));
    assert.deepEqual(listIds(foundIncomplete), listIds(incomplete));
    const due = tokens.filter(
      (row) => row.supplyBlock === null || row.supplyBalanceSumRaw !== row.balanceSumRaw,
    );
    assert.ok(due.length > 0 && due.length < tokens.length);
    const foundDue = await collect(market.scanUnsuppliedTokens('arbitrum'));
    const listTokens = (rows: readonly TokenRecord[]) => rows.map(({ token }) => token).sort();
    assert.deepEqual(listTokens(foundDue), listTokens(due));
    const unnamed = tokens.filter(
      ({ tradeCount, symbol, name, decimals }) =>
        tradeCount > 0 && (symbol === null || name === null || decimals === null),
    );
    assert.ok(unnamed.length > 0 && unnamed.length < tokens.length);
    const foundUnnamed = await collect(market.scanUnnamedTokens('arbitrum'));
    assert.deepEqual(listTokens(foundUnnamed), listTokens(unnamed));
    const found = await collect(market.scanPoolDepths('arbitrum'));
    const sum = (some: readonly bigint[]) => some.reduce((total, one) => total + one, 0n);
    assert.equal(found.length, pools.length);
    assert.equal(sum(found.map(({ liquidityUsdE18 }) => liquidityUsdE18 ?? 0n)), sum(depths));
  });
}

function isSame(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}
