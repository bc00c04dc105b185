// Compares every figure of a token with what a client computes from the other reads.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PLACES, round18, toFixed, toText } from '../../test/client-fold.ts';
import { FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import { PAGES_MAX, readPages } from '../../test/read-pages.ts';
import { setUp } from '../../test/root-hooks.ts';
import { address } from '../../test/test-ids.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const WINDOWS_MS = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '24h': DAY_MS,
};
const ONE = 10n ** BigInt(PLACES);

let scene: MarketScene;
let tokens: readonly { readonly token: Json; readonly trades: readonly Json[] }[];

/** Oldest first. */
async function readTrades(mint: string): Promise<Json[]> {
  const trades = await readPages(PAGES_MAX, async (cursor: string | null) => {
    const input = { chain: 'devnet', mint, limit: 500, ...(cursor === null ? {} : { cursor }) };
    const { json } = await scene.ask('getTrades', input);
    return { rows: json.trades as Json[], next: json.nextCursor };
  });
  return trades.reverse();
}

setUp(async (t) => {
  const options = { seed: 77, finalityDepth: 20, blocks: 420, eventCountMax: 14 } as const;
  scene = await createMarketScene(t, { engine: 'sqlite', ...options });
  const read = [];
  for await (const page of scene.store.market.scanListings('devnet')) {
    for (const { token: mint } of page) {
      const { json } = await scene.ask('getToken', { chain: 'devnet', mint });
      read.push({ token: json, trades: await readTrades(mint) });
    }
  }
  tokens = read;
});

/** The last price of a list of trades; that of an outlier only if there are no others. */
function findLastPrice(trades: readonly Json[], field: 'priceUsd' | 'priceNative'): string | null {
  const priced = trades.filter((trade) => trade[field] !== null);
  return (priced.findLast(({ outlier }) => !outlier) ?? priced.at(-1))?.[field] ?? null;
}

function isStable(mint: string): boolean {
  return FAKE_ASSETS.stable.has(address(mint.toLowerCase()));
}

function isNative(mint: string): boolean {
  return FAKE_ASSETS.native.has(address(mint.toLowerCase()));
}

/** A trade of this time or before is not in the window. */
function computeWindowStart(token: Json, lengthMs = DAY_MS): number {
  return token.asOf.timestamp - lengthMs;
}

function isClean({ priceUsd, outlier }: Json): boolean {
  return priceUsd !== null && !outlier;
}

describe('the figures of a token', () => {
  test('the price is that of the last trade that is no outlier', () => {
    let compared = 0;
    for (const { token, trades } of tokens) {
      if (isStable(token.mint) || isNative(token.mint)) continue;
      const clean = trades.filter(({ outlier }) => !outlier);
      if (clean.length === 0) continue;
      compared += 1;
      assert.equal(token.priceNative, findLastPrice(clean, 'priceNative'), token.symbol);
      assert.equal(token.priceUsd, findLastPrice(clean, 'priceUsd'), token.symbol);
    }
    assert.ok(compared >= 3, `${compared} tokens with clean trades`);
  });

  test('market cap is price times supply, to 18 digits', () => {
    let compared = 0;
    for (const { token } of tokens) {
      if (token.priceUsd === null || token.totalSupplyRaw === null || token.decimals === null) {
        assert.equal(token.marketCapUsd, null);
        continue;
      }
      compared += 1;
      const units = (BigInt(token.totalSupplyRaw) * ONE) / 10n ** BigInt(token.decimals);
      const cap = round18((units * toFixed(token.priceUsd)) / ONE);
      assert.equal(token.marketCapUsd, toText(cap), token.symbol);
    }
    assert.ok(compared >= 3);
  });

  test('trades and volume of 24 hours are those of the last 24 hours of the chain', () => {
    let older = 0;
    for (const { token, trades } of tokens) {
      const within = trades.filter(({ timestamp }) => timestamp > computeWindowStart(token));
      older += trades.length - within.length;
      assert.equal(token.trades24h, within.length, token.symbol);
      const values = within.map(({ valueUsd }) => (valueUsd === null ? 0n : toFixed(valueUsd)));
      const sum = values.reduce((total, value) => total + value, 0n);
      const isValued = within.length === 0 || sum > 0n;
      assert.equal(token.volume24hUsd, isValued ? toText(round18(sum)) : null, token.symbol);
    }
    assert.ok(older > 0, 'the scene is younger than a day');
  });

  test('each window holds the trades after its start, and no others', () => {
    let counted = 0;
    for (const { token, trades } of tokens) {
      for (const [name, lengthMs] of Object.entries(WINDOWS_MS)) {
        const startMs = computeWindowStart(token, lengthMs);
        const within = trades.filter(({ timestamp }) => timestamp > startMs);
        const [buys, sells] = ['buy', 'sell'].map((side) =>
          within.filter((trade) => trade.side === side),
        ) as [Json[], Json[]];
        const prices = within.filter(isClean).map(({ priceUsd }) => priceUsd);
        const ordered = prices.toSorted((a, b) => (toFixed(a) < toFixed(b) ? -1 : 1));
        const { volumeUsd: _, priceChangePct: __, ...window } = token.windows[name];
        assert.deepEqual(window, {
          trades: within.length,
          buys: buys.length,
          sells: sells.length,
          buyers: new Set(buys.map(({ wallet }) => wallet)).size,
          sellers: new Set(sells.map(({ wallet }) => wallet)).size,
          highUsd: ordered.at(-1) ?? null,
          lowUsd: ordered[0] ?? null,
        });
        counted += within.length;
      }
      assert.equal(token.windows['24h'].volumeUsd, token.volume24hUsd);
      assert.equal(token.windows['24h'].priceChangePct, token.priceChange24hPct);
    }
    assert.ok(counted > 100, `${counted} trades in windows`);
  });

  test('the change is since the last price before those hours', () => {
    let compared = 0;
    for (const { token, trades } of tokens) {
      const before = trades.filter(({ timestamp }) => timestamp <= computeWindowStart(token));
      if (token.trades24h === 0 || token.priceUsd === null || before.length === 0) continue;
      const from = Number(before.findLast(isClean)?.priceUsd ?? 0);
      if (from === 0) continue;
      compared += 1;
      const expected = ((Number(token.priceUsd) - from) / from) * 100;
      const difference = Math.abs(token.priceChange24hPct - expected);
      assert.ok(difference <= 1e-6 + 1e-9 * Math.abs(expected), `${token.symbol} ${expected}`);
    }
    assert.ok(compared >= 3, `${compared} tokens with trades before and within`);
  });

  test('holders are counted, and shown only if all of them are known', async () => {
    for (const { token } of tokens) {
      const { json } = await scene.ask('getHolders', { chain: 'devnet', mint: token.mint });
      assert.equal(token.holders, token.coverage.holdersComplete ? json.total : null);
      assert.equal(token.totalSupplyRaw, json.totalSupplyRaw);
    }
  });
});

describe('the pools of a token', () => {
  test('they are in the order of their depth, and the first is the top pool', () => {
    for (const { token } of tokens) {
      const depths = token.pools.map(({ liquidityUsd }: Json) =>
        liquidityUsd === null ? -1n : toFixed(liquidityUsd),
      );
      assert.deepEqual(
        depths,
        depths.toSorted((a: bigint, b: bigint) => (a > b ? -1 : a < b ? 1 : 0)),
      );
      const [first] = token.pools;
      assert.deepEqual(
        token.topPool,
        first === undefined ? null : { address: first.address, venue: first.venue },
      );
    }
  });

  test('each has the last price of its last day with trades', () => {
    let compared = 0;
    for (const { token, trades } of tokens) {
      for (const pool of token.pools) {
        if (pool.base.mint !== token.mint) continue;
        const ofPool = trades.filter((trade) => trade.pool === pool.address);
        const day = Math.max(...ofPool.map(({ timestamp }) => Math.floor(timestamp / DAY_MS)));
        const ofDay = ofPool.filter(({ timestamp }) => Math.floor(timestamp / DAY_MS) === day);
        if (ofDay.length > 0) compared += 1;
        assert.equal(pool.priceNative, findLastPrice(ofDay, 'priceNative'), pool.address);
      }
    }
    assert.ok(compared >= 5);
  });

  test('the values of their quote assets add up to the liquidity of the token', () => {
    let compared = 0;
    for (const { token } of tokens) {
      const isMoney = (mint: string) => isStable(mint) || isNative(mint);
      const counted = token.pools.filter(
        ({ base, quote, liquidityUsd }: Json) =>
          liquidityUsd !== null && (isMoney(quote.mint) || isMoney(base.mint)),
      );
      if (counted.length === 0 || counted.some(({ liquidityUsd }: Json) => liquidityUsd === '0')) {
        continue;
      }
      compared += 1;
      const sum = counted.reduce(
        (total: bigint, { liquidityUsd }: Json) => total + toFixed(liquidityUsd),
        0n,
      );
      const reported = toFixed(token.liquidityUsd);
      // Each pool's figure was rounded to 18 digits on its own.
      const difference = sum > reported ? sum - reported : reported - sum;
      assert.ok(difference * 10n ** 16n <= reported, `${token.symbol} ${toText(sum)}`);
    }
    assert.ok(compared >= 3);
  });
});
