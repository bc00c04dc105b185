// The rolling stats equal a fold over the trades after any mix of commits, rollbacks and time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { fc } from '../../../test/fast-check.ts';
import { comparePacked, packDecimal, toE18 } from './packed-decimal.ts';
import { computeTrending } from './pick-tokens.ts';
import { WindowStats } from './window-stats.ts';
import {
  type CountedTrade,
  packTrade,
  STATS_WINDOWS,
  type WindowFigures,
} from './window-subject.ts';

const MINUTE_MS = 60_000;
const TOKENS = ['a', 'b', 'c'];

interface TokenTrade extends CountedTrade {
  readonly token: string;
}

/** What each wallet traded, at most 1,000 USD of each. */
function sumLimited(trades: readonly TokenTrade[]): number {
  const volumes = new Map<string, bigint>();
  for (const { wallet, valueUsd } of trades) {
    const valueE6 = valueUsd === null ? 0n : toE18(packDecimal(valueUsd)) / 10n ** 12n;
    volumes.set(wallet, (volumes.get(wallet) ?? 0n) + valueE6);
  }
  return [...volumes.values()].reduce((sum, one) => sum + Math.min(Number(one), 1e9), 0);
}

/** The plain definition, in one pass over all trades there ever were. */
function fold(trades: readonly TokenTrade[], token: string, range: { start: number }) {
  const of = trades
    .filter((trade) => trade.token === token)
    .sort((a, b) => a.timestampMs - b.timestampMs || a.block - b.block || a.logIndex - b.logIndex);
  const within = of.filter(({ timestampMs }) => timestampMs > range.start);
  const clean = (list: readonly TokenTrade[]) =>
    list.flatMap(({ priceUsd, outlier }) =>
      priceUsd === null || outlier ? [] : [packDecimal(priceUsd)],
    );
  const prices = clean(within);
  const ordered = prices.toSorted(comparePacked);
  const buys = within.filter(({ side }) => side === 'buy');
  const sells = within.filter(({ side }) => side === 'sell');
  const figures: WindowFigures = {
    volumeUsdE18: within.reduce(
      (sum, { valueUsd }) => sum + (valueUsd === null ? 0n : toE18(packDecimal(valueUsd))),
      0n,
    ),
    unvalued: within.filter(({ valueUsd }) => valueUsd === null).length,
    trades: within.length,
    buys: buys.length,
    sells: sells.length,
    buyers: new Set(buys.map(({ wallet }) => wallet)).size,
    sellers: new Set(sells.map(({ wallet }) => wallet)).size,
    limitedVolumeE6: sumLimited(within),
    high: ordered.at(-1) ?? null,
    low: ordered[0] ?? null,
    before: clean(of.filter(({ timestampMs }) => timestampMs <= range.start)).at(-1) ?? null,
    first: prices[0] ?? null,
    last: prices.at(-1) ?? null,
  };
  return figures;
}

const money = fc.option(
  fc.oneof(
    fc.integer({ min: 1, max: 5 }).map(String),
    fc
      .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 999_999_999 }))
      .map(([zeros, digits]) => `0.${'0'.repeat(zeros)}${String(digits).replace(/0+$/, '')}`),
    fc.constant('123456789012345678000000'),
  ),
);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      minutes: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 900 })),
      trades: fc.array(
        fc.record({
          token: fc.constantFrom(...TOKENS),
          side: fc.constantFrom('buy' as const, 'sell' as const),
          wallet: fc.constantFrom('u', 'v', 'w'),
          valueUsd: money,
          priceUsd: money,
          outlier: fc.boolean(),
          lateMinutes: fc.constantFrom(0, 0, 0, 3),
        }),
        { maxLength: 6 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('back' as const), blocks: fc.nat(3) }) },
);

test('the rolling stats equal a fold over all trades', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      let stats = new WindowStats<string>();
      let trades: TokenTrade[] = [];
      const headers = [{ block: 0, timeMs: 1_000_000_000_000 }];
      const priceBefore = (token: string, block: number) =>
        trades
          .filter((trade) => trade.token === token && trade.block < block)
          .findLast(({ priceUsd, outlier }) => priceUsd !== null && !outlier)?.priceUsd ?? null;
      for (const next of steps) {
        const head = headers.at(-1) ?? assert.fail();
        if (next.kind === 'commit') {
          const block = head.block + 1;
          const timeMs = head.timeMs + next.minutes * MINUTE_MS;
          headers.push({ block, timeMs });
          const added = next.trades.map(({ lateMinutes, ...trade }, logIndex) => ({
            ...trade,
            block,
            logIndex,
            timestampMs: timeMs - lateMinutes * MINUTE_MS,
          }));
          for (const trade of added) {
            stats.add(trade.token, packTrade(trade), () => priceBefore(trade.token, block));
          }
          trades.push(...added);
        } else {
          const block = Math.max(0, head.block - next.blocks);
          while ((headers.at(-1)?.block ?? 0) > block) headers.pop();
          for (const trade of trades.filter((of) => of.block > block)) {
            stats.remove(trade.token, trade);
          }
          trades = trades.filter((of) => of.block <= block);
        }
        const headMs = headers.at(-1)?.timeMs ?? 0;
        if (!stats.advance(headMs)) {
          // Too far back: filled again from the start.
          stats = new WindowStats<string>();
          for (const trade of trades) stats.add(trade.token, packTrade(trade), () => null);
          assert.ok(stats.advance(headMs));
        }
        for (const token of TOKENS) {
          for (const [window, { lengthMs }] of STATS_WINDOWS.entries()) {
            const expected = fold(trades, token, { start: headMs - lengthMs });
            const figures = stats.read(token, window);
            if (figures === null) assert.equal(expected.trades, 0);
            else assert.deepEqual(figures, expected);
          }
        }
      }
    }),
    { seed: 18, numRuns: 300 },
  );
});

test('the rolling stats equal a fold over a subject with many trades, in whatever order they come', () => {
  const random = createRandom(18);
  const headMs = 1_790_000_123_456;
  let trades: TokenTrade[] = Array.from({ length: 900 }, (_, block) => ({
    ...{ token: 'a', block, logIndex: 0, wallet: `w${block % 7}`, valueUsd: '1' },
    timestampMs: headMs - Math.floor(random() ** 2 * 24.9 * 60 * MINUTE_MS),
    side: block % 2 === 0 ? 'buy' : 'sell',
    priceUsd: random() < 0.2 ? null : String(1 + Math.floor(random() * 1_000_000)),
    outlier: random() < 0.5,
  }));
  const stats = new WindowStats<string>();
  stats.advance(headMs);
  const assertEqual = (atMs: number) => {
    for (const [window, { lengthMs }] of STATS_WINDOWS.entries()) {
      assert.deepEqual(stats.read('a', window), fold(trades, 'a', { start: atMs - lengthMs }));
    }
    const times = Array.from({ length: 48 }, (_, point) => {
      return (Math.floor(atMs / (30 * MINUTE_MS)) - 46 + point) * 30 * MINUTE_MS;
    });
    const expected = times.map((timeMs) => fold(trades, 'a', { start: timeMs - 1 }).before);
    assert.deepEqual(stats.readPricesBefore('a', times), expected);
  };
  for (const trade of trades) {
    stats.add('a', packTrade(trade), () => null);
    if (trade.block % 60 === 0) {
      const all = trades;
      trades = all.filter(({ block }) => block <= trade.block);
      assertEqual(headMs);
      trades = all;
    }
  }
  // Rolled back, one in three.
  for (const trade of trades) if (trade.block % 3 === 0) stats.remove('a', trade);
  trades = trades.filter(({ block }) => block % 3 !== 0);
  assertEqual(headMs);
  for (const laterMs of [1, 61, 300]) {
    assert.ok(stats.advance(headMs + laterMs * MINUTE_MS));
    assertEqual(headMs + laterMs * MINUTE_MS);
  }
  assert.ok(stats.advance(headMs + 299 * MINUTE_MS));
  assertEqual(headMs + 299 * MINUTE_MS);
});

test('an answer is valid until the next trade leaves a window', () => {
  const stats = new WindowStats<string>();
  const trade: CountedTrade = {
    timestampMs: 1000,
    block: 1,
    logIndex: 0,
    side: 'buy',
    wallet: 'u',
    valueUsd: '1',
    priceUsd: '1',
    outlier: false,
  };
  stats.add('a', packTrade(trade), () => null);
  stats.advance(1000);
  const nextMs = stats.findNextChange('a');
  assert.equal(nextMs, 1000 + 5 * MINUTE_MS);
  stats.advance(nextMs - 1);
  assert.equal(stats.read('a', 0)?.trades, 1);
  stats.advance(nextMs);
  assert.equal(stats.read('a', 0)?.trades, 0);
  assert.equal(stats.findNextChange('a'), 1000 + 15 * MINUTE_MS);
});

test('a subject without trades takes no memory', () => {
  const stats = new WindowStats<string>();
  for (let block = 1; block <= 1000; block += 1) {
    const trade: CountedTrade = {
      timestampMs: block * 60 * MINUTE_MS,
      block,
      logIndex: 0,
      side: 'sell',
      wallet: `w${block}`,
      valueUsd: null,
      priceUsd: null,
      outlier: false,
    };
    stats.add(`token-${block}`, packTrade(trade), () => null);
    stats.advance(trade.timestampMs);
  }
  assert.deepEqual(stats.size, { subjects: 25, trades: 25 });
});

test('a wallet that trades with itself ten thousand times does not trend', () => {
  const stats = new WindowStats<string>();
  const trade = (block: number, wallet: string, valueUsd: string): CountedTrade => ({
    ...{ timestampMs: block, block, logIndex: 0, wallet, valueUsd },
    ...{ side: block % 2 === 0 ? 'buy' : 'sell', priceUsd: '1', outlier: false },
  });
  const readTrending = (token: string) => computeTrending(stats.read(token, 3)!);
  for (let block = 1; block <= 10_000; block += 1) {
    stats.add('washed', packTrade(trade(block, 'one', '100')), () => null);
  }
  for (let block = 1; block <= 10; block += 1) {
    stats.add('real', packTrade(trade(block, `wallet ${block}`, '300')), () => null);
  }
  stats.advance(10_000);
  assert.equal(readTrending('washed'), 1_000_000_000 / 2);
  assert.equal(readTrending('real'), 3_000_000_000 / 2);
});
