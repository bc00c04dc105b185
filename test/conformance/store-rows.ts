// Conformance: every kind of row is kept as it was given, and found as it was asked for.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { CandleRecord } from '../../src/model/market-record.ts';
import type { MarketTransaction, Store } from '../../src/store/store.ts';
import type { CreatePlace, StorePlace } from './store-place.ts';
import {
  balanceRecord,
  candleRecord,
  poolRecord,
  tickRecord,
  tokenRecord,
  tradeRecord,
  uint256,
} from './store-records.ts';
import { toAddress, toCheckpoint, toTrade } from './store-samples.ts';

const RUNS = { numRuns: 12 };
const ALL_TIME = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

interface Subject {
  readonly place: StorePlace;
  readonly store: Store;
}

export function describeRows(createPlace: CreatePlace): void {
  describe('rows', () => {
    let subject: Subject;
    before(async () => {
      const place = await createPlace();
      subject = { place, store: await place.open() };
    });
    after(async () => {
      await subject.store.close();
      await subject.place.remove();
    });
    itKeepsRecords(() => subject.store);
    itKeepsSeries(() => subject.store);
    itSortsBalances(() => subject.store);
    itScans(() => subject.store);
    itFindsPools(() => subject.store);
    itKeepsHostileText(() => subject.store);
  });
}

function write(store: Store, work: (transaction: MarketTransaction) => Promise<void>) {
  return store.market.transaction('devnet', work);
}

function uniqueBy<T>(arbitrary: fc.Arbitrary<T>, toKey: (record: T) => string) {
  return fc.uniqueArray(arbitrary, { selector: toKey, minLength: 1, maxLength: 8 });
}

function itKeepsRecords(getStore: () => Store): void {
  it('returns tokens, pools, ticks and balances exactly as they were put', async () => {
    const { market } = getStore();
    const property = fc.asyncProperty(
      uniqueBy(tokenRecord, (row) => row.token),
      uniqueBy(poolRecord, (row) => row.pool),
      uniqueBy(tickRecord, (row) => `${row.pool} ${row.tick}`),
      uniqueBy(balanceRecord, (row) => `${row.token} ${row.owner}`),
      async (tokens, pools, ticks, balances) => {
        await write(getStore(), async (transaction) => {
          await transaction.putTokens(tokens);
          await transaction.putPools(pools);
          await transaction.putTicks(ticks);
          await transaction.putBalances(balances);
        });
        for (const token of tokens) {
          assert.deepEqual(await market.readTokens('devnet', [token.token]), [token]);
        }
        for (const pool of pools) {
          assert.deepEqual(await market.readPools('devnet', [pool.pool]), [pool]);
        }
        const pool = ticks[0]!.pool;
        const ofPool = ticks.filter((row) => row.pool === pool).sort((a, b) => a.tick - b.tick);
        const keys = new Set(ofPool.map((row) => row.tick));
        const stored = await market.readTicks('devnet', [pool]);
        assert.deepEqual(
          stored.filter((row) => keys.has(row.tick)),
          ofPool,
        );
        for (const row of balances) {
          assert.deepEqual(await market.readBalances('devnet', [row]), [row]);
        }
      },
    );
    await fc.assert(property, RUNS);
  });

  it('replaces a row that is put again, and deletes what fell to zero', async () => {
    const { market } = getStore();
    const token = toAddress(901);
    const balance = { token, owner: toAddress(902), amountRaw: 5n };
    const tick = { pool: toAddress(903), tick: -60, liquidityGross: 7n, liquidityNet: -7n };
    await write(getStore(), async (transaction) => {
      await transaction.putBalances([balance]);
      await transaction.putTicks([tick]);
      await transaction.putBalances([{ ...balance, amountRaw: 6n }]);
    });
    assert.deepEqual(await market.readBalances('devnet', [balance]), [
      { ...balance, amountRaw: 6n },
    ]);
    await write(getStore(), async (transaction) => {
      await transaction.putBalances([{ ...balance, amountRaw: 0n }]);
      await transaction.putTicks([{ ...tick, liquidityGross: 0n, liquidityNet: 0n }]);
    });
    assert.deepEqual(await market.readBalances('devnet', [balance]), []);
    assert.deepEqual(await market.topBalances('devnet', token, 10), []);
    assert.deepEqual(await market.readTicks('devnet', [tick.pool]), []);
  });

  it('keeps chains apart, and leaves out keys that are not stored', async () => {
    const { market } = getStore();
    const balance = { token: toAddress(910), owner: toAddress(911), amountRaw: 5n };
    await write(getStore(), (transaction) => transaction.putBalances([balance]));
    assert.deepEqual(await market.readBalances('base', [balance]), []);
    const unknown = { token: toAddress(910), owner: toAddress(999) };
    assert.deepEqual(await market.readBalances('devnet', [unknown, balance]), [balance]);
    assert.deepEqual(await market.readTokens('devnet', [toAddress(987_654)]), []);
    assert.deepEqual(await market.readTokens('devnet', []), []);
    assert.equal(await market.readCheckpoint('base'), null);
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

  it('gives a range of candles from its start to before its end, of one series alone', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(candleRecord, { numRuns: 1, seed: 1 });
    const token = toAddress(920);
    const candles: CandleRecord[] = [];
    for (const pool of [null, toAddress(921)]) {
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
    const other = toAddress(931);
    const trades = [
      toTrade({ token, block: 12, logIndex: 9 }),
      toTrade({ token, block: 12, logIndex: 10, pool: other }),
      toTrade({ token, block: 11, logIndex: 100 }),
      toTrade({ token, block: 13, logIndex: 1 }),
    ];
    await write(getStore(), (transaction) => transaction.insertTrades(trades));
    const positions = async (pool: string | null, range = ALL_TIME) =>
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
    const first = toTrade({ token, block: 5 });
    await write(getStore(), (transaction) => transaction.insertTrades([first]));
    const again = write(getStore(), (transaction) =>
      transaction.insertTrades([toTrade({ token, block: 6 }), first]),
    );
    await assert.rejects(again);
    const stored = await market.readTradeRange('devnet', { token, pool: null }, ALL_TIME);
    assert.deepEqual(stored, [first]);
  });
}

function itSortsBalances(getStore: () => Store): void {
  it('ranks holders by all 256 bits of their balance, then by owner', async () => {
    let number = 10_000;
    const amounts = fc.array(
      uint256.filter((amount) => amount > 0n),
      { minLength: 1, maxLength: 30 },
    );
    const property = fc.asyncProperty(amounts, fc.integer({ min: 1, max: 30 }), async (all, n) => {
      number += 1;
      const token = toAddress(number);
      const balances = all.map((amountRaw, index) => ({
        token,
        owner: toAddress(index + 1),
        amountRaw,
      }));
      await write(getStore(), (transaction) => transaction.putBalances(balances));
      const expected = balances
        .toSorted((a, b) =>
          a.amountRaw === b.amountRaw
            ? a.owner < b.owner
              ? -1
              : 1
            : a.amountRaw > b.amountRaw
              ? -1
              : 1,
        )
        .slice(0, n);
      assert.deepEqual(await getStore().market.topBalances('devnet', token, n), expected);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('refuses an amount that does not fit in 256 bits', async () => {
    const balance = { token: toAddress(950), owner: toAddress(951), amountRaw: 2n ** 256n };
    await assert.rejects(
      write(getStore(), (transaction) => transaction.putBalances([balance])),
      RangeError,
    );
  });
}

function itScans(getStore: () => Store): void {
  it('scans every row of a chain once, in order, in pages', async () => {
    const { market } = getStore();
    const count = 4500;
    const balances = Array.from({ length: count }, (_, index) => ({
      token: toAddress(1 + (index % 3)),
      owner: toAddress(1_000_000 + ((index * 7919) % count)),
      amountRaw: BigInt(index + 1),
    }));
    const trades = Array.from({ length: count }, (_, index) =>
      toTrade({ token: toAddress(1 + (index % 7)), block: 10 + (index >> 4), logIndex: index }),
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
  });

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

function isSame(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}

function itFindsPools(getStore: () => Store): void {
  it('finds pools by either token, and by a pair of them', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(poolRecord, { numRuns: 1, seed: 3 });
    const [a, b, c] = [toAddress(31), toAddress(32), toAddress(33)];
    const pools = [
      { ...sample!, pool: toAddress(301), token0: a!, token1: b! },
      { ...sample!, pool: toAddress(302), token0: b!, token1: c! },
      { ...sample!, pool: toAddress(303), token0: a!, token1: c! },
    ];
    await market.transaction('base', (transaction) => transaction.putPools(pools));
    const find = async (tokens: string[], against?: string[]) =>
      (await market.readPoolsOfTokens('base', tokens, against)).map((row) => row.pool).sort();
    assert.deepEqual(await find([a!]), [toAddress(301), toAddress(303)]);
    assert.deepEqual(await find([b!, c!]), [toAddress(301), toAddress(302), toAddress(303)]);
    assert.deepEqual(await find([b!], [a!]), [toAddress(301)]);
    assert.deepEqual(await find([c!], [a!, b!]), [toAddress(302), toAddress(303)]);
    assert.deepEqual(await find([a!], []), []);
    assert.deepEqual(await find([]), []);
  });
}

function itKeepsHostileText(getStore: () => Store): void {
  it('keeps text that hurts, and drops only what no text column can hold', async () => {
    const { market } = getStore();
    const [sample] = fc.sample(tokenRecord, { numRuns: 1, seed: 4 });
    const kept = [
      'emoji 🦄🏳️‍🌈',
      'right to left \u202e txt.exe \u200f',
      `quotes ' " \` ; -- /* */ $1 ? \\ {} NULL`,
      'x'.repeat(10_240),
      '🦄'.repeat(5_000),
      '\u0001\u001f\ufffe\uffff',
      '',
    ];
    const token = toAddress(960);
    for (const text of kept) {
      const row = { ...sample!, token, symbol: text, name: text };
      await write(getStore(), (transaction) => transaction.putTokens([row]));
      assert.deepEqual(await market.readTokens('devnet', [token]), [row]);
    }
    const row = { ...sample!, token, symbol: 'a\u0000b\u0000', name: 'lone \ud800 surrogate' };
    await write(getStore(), async (transaction) => {
      await transaction.putTokens([row]);
      await transaction.putUndo([
        { block: 1, tokens: new Map([[token, row]]), pools: new Map(), ticks: [], balances: [] },
      ]);
    });
    const cleaned = { ...row, symbol: 'ab', name: 'lone \ufffd surrogate' };
    assert.deepEqual(await market.readTokens('devnet', [token]), [cleaned]);
    await write(getStore(), async (transaction) => {
      await transaction.undoAbove(0);
      await transaction.setCheckpoint(toCheckpoint(1));
    });
    assert.deepEqual(await market.readTokens('devnet', [token]), [cleaned]);
  });
}
