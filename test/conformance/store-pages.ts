// Conformance: pages, ranges and ordered figures for the public reads.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTexts } from '../../src/lib/decimal.ts';
import type { Address } from '../../src/model/ids.ts';
import type { CandleRecord, TradeRecord } from '../../src/model/market-record.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import type { BalancePosition, TradePosition, TradeQuery } from '../../src/store/market-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../fast-check.ts';
import { readPages } from '../read-pages.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { candleRecord, poolRecord, tokenRecord } from './store-records.ts';
import { buildTrade, toAddress } from './store-samples.ts';

const ALL_TIME = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
const TOKEN = toAddress(1);

export function describePages(createPlace: CreatePlace): void {
  describe('pages', () => {
    const scene = useStore(createPlace);
    itPagesTrades(() => scene.store);
    itEndsLongSearches(() => scene.store);
    itPagesBalances(() => scene.store);
    itFindsDeepestPools(() => scene.store);
    itReadsCandles(() => scene.store);
    itReadsTickRanges(() => scene.store);
    itListsTokens(() => scene.store);
    itKeepsPauses(() => scene.store);
    itKeepsAccounts(() => scene.store);
  });
}

/** Many trades in few seconds, blocks and wallets, so that every tie and filter occurs. */
function makeTrades(count: number): TradeRecord[] {
  return Array.from({ length: count }, (_, index) =>
    buildTrade({
      token: TOKEN,
      block: 1 + Math.floor(index / 3),
      logIndex: index % 3,
      timestampMs: 1000 * Math.floor(index / 7),
      side: index % 5 === 0 ? 'sell' : 'buy',
      wallet: toAddress(70 + (index % 4)),
      pool: poolId(toAddress(500 + (index % 2))),
      valueUsd: index % 11 === 0 ? null : `${index % 13}.${index % 7}`.replace(/\.0$/, ''),
    }),
  );
}

const ALL_TRADES: TradeQuery = {
  token: TOKEN,
  pool: null,
  range: ALL_TIME,
  order: 'newest',
  after: null,
  side: null,
  wallet: null,
  minUsd: null,
  limit: 10,
};

function findExpected(trades: readonly TradeRecord[], query: TradeQuery): TradeRecord[] {
  const { range, side, wallet, minUsd, pool } = query;
  const kept = trades.filter(
    (trade) =>
      trade.timestampMs >= range.fromMs &&
      trade.timestampMs < range.toMs &&
      (side === null || trade.side === side) &&
      (wallet === null || trade.wallet === wallet) &&
      (pool === null || trade.pool === pool) &&
      (minUsd === null || (trade.valueUsd !== null && compareTexts(trade.valueUsd, minUsd) >= 0)),
  );
  return query.order === 'newest' ? kept.toReversed() : kept;
}

/** More pages than any of the queries below has. */
const TRADE_PAGES_MAX = 500;

function readAllTrades(store: Store, query: TradeQuery): Promise<TradeRecord[]> {
  return readPages(TRADE_PAGES_MAX, async (after: TradePosition | null) => {
    const { trades, next } = await store.market.readTradePage('devnet', { ...query, after });
    assert.ok(trades.length <= query.limit);
    return { rows: trades, next };
  });
}

function itPagesTrades(getStore: () => Store): void {
  it('gives every trade that a filter leaves once, in order, whatever the page', async () => {
    const trades = makeTrades(200);
    await getStore().market.transaction('devnet', async (transaction) => {
      await transaction.insertTrades(trades);
      await transaction.insertTrades([buildTrade({ token: toAddress(2), block: 1 })]);
    });
    const query = fc.record({
      order: fc.constantFrom('newest' as const, 'oldest' as const),
      side: fc.option(fc.constantFrom('buy' as const, 'sell' as const)),
      wallet: fc.option(fc.integer({ min: 70, max: 74 }).map(toAddress)),
      pool: fc.option(
        fc.integer({ min: 500, max: 502 }).map((number) => poolId(toAddress(number))),
      ),
      minUsd: fc.option(fc.constantFrom('0', '3.3', '3.30000001', '12.6', '13')),
      limit: fc.integer({ min: 1, max: 60 }),
      range: fc
        .tuple(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 30_000 }))
        .map(([fromMs, length]) => ({ fromMs, toMs: fromMs + length })),
    });
    await fc.assert(
      fc.asyncProperty(query, async (part) => {
        const whole = { ...ALL_TRADES, ...part };
        assert.deepEqual(await readAllTrades(getStore(), whole), findExpected(trades, whole));
      }),
      { numRuns: 60 },
    );
  });

  it('skips and repeats nothing while newer trades arrive', async () => {
    const token = toAddress(3);
    const older = makeTrades(30).map((trade) => ({ ...trade, token }));
    const add = (rows: TradeRecord[]) =>
      getStore().market.transaction('devnet', (transaction) => transaction.insertTrades(rows));
    await add(older);
    const query = { ...ALL_TRADES, token, limit: 7 };
    let block = 100;
    const seen = await readPages(TRADE_PAGES_MAX, async (after: TradePosition | null) => {
      const { trades, next } = await getStore().market.readTradePage('devnet', { ...query, after });
      if (next !== null) await add([buildTrade({ token, block, timestampMs: 100_000 })]);
      block += 1;
      return { rows: trades, next };
    });
    assert.deepEqual(seen, older.toReversed());
  });
}

function itEndsLongSearches(getStore: () => Store): void {
  it('ends a page early where a filter leaves nothing, and says where to go on', async () => {
    const token = toAddress(4);
    const trades = makeTrades(25_000).map(
      (trade, index): TradeRecord => ({ ...trade, token, side: index === 0 ? 'sell' : 'buy' }),
    );
    await getStore().market.transaction('devnet', (transaction) =>
      transaction.insertTrades(trades),
    );
    const query = { ...ALL_TRADES, token, side: 'sell' as const };
    const first = await getStore().market.readTradePage('devnet', query);
    assert.deepEqual(first.trades, []);
    assert.notEqual(first.next, null);
    assert.deepEqual(await readAllTrades(getStore(), query), [trades[0]]);
  });
}

function itPagesBalances(getStore: () => Store): void {
  it('pages holders by balance as a number, ties by owner', async () => {
    const token = toAddress(5);
    const amounts = [1n, 9n, 10n, 10n, 10n, 99n, 100n, 10n ** 30n, 2n ** 256n - 1n];
    const balances = amounts.map((amountRaw, index) => ({
      token,
      owner: toAddress(900 - index),
      amountRaw,
    }));
    await getStore().market.transaction('devnet', (t) => t.putBalances(balances));
    const expected = balances.toSorted((a, b) =>
      a.amountRaw === b.amountRaw
        ? a.owner < b.owner
          ? -1
          : 1
        : a.amountRaw > b.amountRaw
          ? -1
          : 1,
    );
    for (const limit of [1, 2, 4, 100]) {
      const seen = await readPages(amounts.length + 1, async (after: BalancePosition | null) => {
        const rows = await getStore().market.readBalancePage('devnet', token, { after, limit });
        return { rows, next: rows.length < limit ? null : (rows.at(-1) ?? null) };
      });
      assert.deepEqual(seen, expected);
    }
  });
}

function itFindsDeepestPools(getStore: () => Store): void {
  it("finds each token's deepest pools, from either side, unknown depths last", async () => {
    const [a, b, c] = [toAddress(11), toAddress(12), toAddress(13)];
    const [sample] = fc.sample(poolRecord, 1) as [PoolRecord];
    const pools = [10n, 9n, 100n, null, null, 10n].map((liquidityUsdE18, index) => ({
      ...sample,
      pool: poolId(toAddress(600 + index)),
      token0: index % 2 === 0 ? a : b,
      token1: index % 2 === 0 ? b : c,
      liquidityUsdE18,
    }));
    await getStore().market.transaction('devnet', (transaction) => transaction.putPools(pools));
    const found = await getStore().market.readTopPools('devnet', [a, b, c, toAddress(14)], 3);
    const ids = (token: Address) => found.get(token)?.map(({ pool }) => pool);
    assert.deepEqual(ids(a), [602, 600, 604].map(toAddress));
    assert.deepEqual(ids(b), [602, 600, 605].map(toAddress));
    assert.deepEqual(ids(c), [605, 601, 603].map(toAddress));
    assert.equal(found.has(toAddress(14)), false);
    const isPool = await getStore().market.findPools('devnet', [toAddress(600), a]);
    assert.deepEqual([...isPool], [toAddress(600)]);
  });

  it('leaves out unknown depths first, where a token has more pools than are asked for', async () => {
    const [token, other] = [toAddress(21), toAddress(22)];
    const [sample] = fc.sample(poolRecord, 1) as [PoolRecord];
    const depths = [null, null, 5n, null, 7n, null, 6n];
    const buildPools = (from: number, pair: { token0: Address; token1: Address }) =>
      depths.map((liquidityUsdE18, index) => {
        return { ...sample, ...pair, pool: poolId(toAddress(from + index)), liquidityUsdE18 };
      });
    const pools = [
      ...buildPools(700, { token0: token, token1: toAddress(98) }),
      ...buildPools(750, { token0: toAddress(97), token1: other }),
    ];
    await getStore().market.transaction('devnet', (transaction) => transaction.putPools(pools));
    for (const [limit, places] of [
      [2, [4, 6]],
      [4, [4, 6, 2, 0]],
    ] as const) {
      const found = await getStore().market.readTopPools('devnet', [token, other], limit);
      const ids = (of: Address) => found.get(of)?.map(({ pool }) => pool);
      assert.deepEqual(
        ids(token),
        places.map((place) => toAddress(700 + place)),
      );
      assert.deepEqual(
        ids(other),
        places.map((place) => toAddress(750 + place)),
      );
    }
  });
}

function itReadsCandles(getStore: () => Store): void {
  it('reads the first and the last candles of a range, several ranges, and those before', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(candleRecord, 1) as [CandleRecord];
    const series = { token: toAddress(15), pool: null, interval: '1m' as const };
    const candles = [0, 1, 2, 5, 6, 9].map((minute) => ({
      ...sample,
      ...series,
      openTimeMs: minute * 60_000,
    }));
    const other = { ...candles[0]!, pool: poolId(toAddress(16)) };
    await market.transaction('devnet', (t) => t.putCandles([...candles, other]));
    const range = { fromMs: 60_000, toMs: 540_000 };
    const page = (end: 'first' | 'last', limit: number) =>
      market.readCandlePage('devnet', series, { ...range, end, limit });
    assert.deepEqual(await page('first', 3), candles.slice(1, 4));
    assert.deepEqual(await page('last', 3), candles.slice(2, 5));
    assert.deepEqual(await page('last', 30), candles.slice(1, 5));
    const before = [{ ...series, beforeMs: 300_000 }];
    assert.deepEqual(await market.readCandlesBefore('devnet', before, 1), [candles[2]]);
    const ranges = await market.readCandleRanges('devnet', [
      { ...series, fromMs: 0, toMs: 60_001 },
      { ...series, fromMs: 540_000, toMs: 600_000 },
      { ...series, pool: poolId(other.pool), ...ALL_TIME },
    ]);
    const times = ranges.map(({ pool, openTimeMs }) => `${pool} ${openTimeMs}`);
    assert.deepEqual(
      times.sort(),
      [`${other.pool} 0`, 'null 0', 'null 540000', 'null 60000'].sort(),
    );
  });

  it('finds when the first trade of a chain was', async () => {
    const { market } = getStore();
    await market.transaction('base', (t) =>
      t.insertTrades([buildTrade({ block: 7, timestampMs: 700 }), buildTrade({ block: 8 })]),
    );
    assert.equal(await market.readFirstTradeTime('base'), 700);
    assert.equal(await market.readFirstTradeTime('optimism'), null);
  });
}

function itListsTokens(getStore: () => Store): void {
  it('lists tokens by key and all of them', async () => {
    const { market } = getStore();
    const tokens = fc.sample(fc.uniqueArray(tokenRecord, { selector: (t) => t.token }), 1)[0]!;
    await market.transaction('polygon', (transaction) => transaction.putTokens(tokens));
    const expected = tokens
      .map(({ token, symbol, name, firstSeenAtMs, liquidityUsdE18, pairedUsdE18 }) => ({
        token,
        symbol,
        name,
        firstSeenAtMs,
        liquidityUsdE18,
        pairedUsdE18,
      }))
      .sort((a, b) => (a.token < b.token ? -1 : 1));
    const scanned = [];
    for await (const page of market.scanListings('polygon')) scanned.push(...page);
    assert.deepEqual(scanned, expected);
    assert.equal(await market.countTokens('polygon'), tokens.length);
    for (const listing of expected) {
      assert.deepEqual(await market.readListings('polygon', [listing.token]), [listing]);
    }
    assert.deepEqual(await market.readListings('polygon', [toAddress(0)]), []);
    const figures = tokens
      .map((one) => ({
        ...{ token: one.token, decimals: one.decimals, firstSeenAtMs: one.firstSeenAtMs },
        ...{ supplyRaw: one.supplyRaw, priceUsd: one.priceUsd },
        lastTradeAtMs: one.lastTradeAtMs,
        ...{ liquidityUsdE18: one.liquidityUsdE18, pairedUsdE18: one.pairedUsdE18 },
        ...(one.launch === undefined ? {} : { launch: one.launch }),
      }))
      .sort((a, b) => (a.token < b.token ? -1 : 1));
    const scannedFigures = [];
    for await (const page of market.scanTokenFigures('polygon')) scannedFigures.push(...page);
    assert.deepEqual(scannedFigures, figures);
    for (const one of figures) {
      assert.deepEqual(await market.readTokenFigures('polygon', [one.token]), [one]);
    }
  });
}

function itKeepsPauses(getStore: () => Store): void {
  it('counts pauses, whoever makes them, and lists those after a version', async () => {
    const { pauses } = getStore();
    const set = (number: number, paused: boolean) =>
      pauses.setPaused({ chain: 'devnet', token: toAddress(number), paused, nowMs: 1 });
    assert.equal(await set(1, false), false, 'nothing to resume');
    const results = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => set(number, true)));
    assert.deepEqual(new Set(results), new Set([true]));
    assert.equal(await set(1, true), false, 'paused already');
    const first = await pauses.readChanges(0);
    assert.deepEqual(
      first.map(({ version }) => version),
      [1, 2, 3, 4, 5, 6],
    );
    await set(4, false);
    assert.deepEqual(await pauses.readChanges(6), [
      { chain: 'devnet', token: toAddress(4), paused: false, version: 7 },
    ]);
  });
}

function itKeepsAccounts(getStore: () => Store): void {
  it('remembers which addresses are contracts', async () => {
    const { market } = getStore();
    const known = new Map([
      [toAddress(1), true],
      [toAddress(2), false],
    ]);
    await market.putAccounts('devnet', known);
    await market.putAccounts('devnet', known);
    const asked = [1, 2, 3].map(toAddress);
    assert.deepEqual(await market.readAccounts('devnet', asked), known);
    assert.deepEqual(await market.readAccounts('base', asked), new Map());
  });
}

function itReadsTickRanges(getStore: () => Store): void {
  it('reads the ticks of a range and the next one on each side', async () => {
    const { market } = getStore();
    const [pool, other] = [poolId(toAddress(880)), poolId(toAddress(881))];
    const ticks = [-900, -60, 0, 60, 120, 9000];
    const rows = [pool, other].flatMap((one) =>
      ticks.map((tick) => ({ pool: one, tick, liquidityGross: 5n, liquidityNet: -1n })),
    );
    await market.transaction('base', (transaction) => transaction.putTicks(rows));
    const read = async (fromTick: number, toTick: number) => {
      const found = await market.readTickRange('base', pool, { fromTick, toTick });
      assert.ok(found.every((row) => row.pool === pool && row.liquidityNet === -1n));
      return found.map(({ tick }) => tick);
    };
    assert.deepEqual(await read(-10, 100), [-60, 0, 60, 120]);
    assert.deepEqual(await read(-60, 120), [-900, -60, 0, 60, 120, 9000]);
    assert.deepEqual(await read(61, 62), [60, 120]);
    assert.deepEqual(await read(-5000, -1000), [-900]);
    assert.deepEqual(await read(9500, 9600), [9000]);
    assert.deepEqual(
      await market.readTickRange('base', poolId(toAddress(882)), { fromTick: 0, toTick: 1 }),
      [],
    );
  });
}
