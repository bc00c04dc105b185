// Recomputes pools and lists of pools from the stored rows after commits, rollbacks and steps of
// time.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { FAKE_ASSETS, FAKE_VENUES } from '../../test/fakes/fake-market.ts';
import {
  createMarketScene,
  FAKE_MARKET_CHAIN,
  type Json,
  type MarketScene,
} from '../../test/market-scene.ts';
import { bisectDepth } from '../../test/oracles/bisect-depth.ts';
import { kindOf } from '../amm/pool-kinds.ts';
import { listMarketViews, type MarketView } from '../chains/quote-rule.ts';
import { POOL_SORTS } from '../contract/operations/list-pools.ts';
import { WINDOW_NAMES } from '../contract/schemas/market-schemas.ts';
import type { TickRecord, TokenRecord, TradeRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';

const MINUTE_MS = 60_000;
const WINDOWS_MS = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '24h': 1440 * MINUTE_MS,
};

interface PoolOrder {
  readonly sort: (typeof POOL_SORTS)[number];
  readonly window: keyof typeof WINDOWS_MS;
}

interface Rows {
  readonly tokens: readonly TokenRecord[];
  readonly pools: readonly PoolRecord[];
  readonly ticks: readonly TickRecord[];
  readonly trades: readonly TradeRecord[];
  readonly headMs: number;
}

async function readAll<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

async function readRows({ store: { market } }: MarketScene): Promise<Rows> {
  const checkpoint = await market.readCheckpoint('devnet');
  return {
    tokens: await readAll(market.scanTokens('devnet')),
    pools: await readAll(market.scanPools('devnet')),
    ticks: await readAll(market.scanTicks('devnet')),
    trades: await readAll(market.scanTrades('devnet')),
    headMs: checkpoint?.timestampMs ?? 0,
  };
}

const ONE = 10n ** 40n;

/** In units of 1e-40. */
function toFixed(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.slice(0, 40).padEnd(40, '0'));
}

/** A swap of two tokens is a trade of each, and one trade of the pool. */
function listTrades(rows: Rows, { pool, token0 }: PoolRecord, sinceMs: number): TradeRecord[] {
  const all = rows.trades.filter((trade) => trade.pool === pool && trade.timestampMs > sinceMs);
  const firsts = new Set(
    all
      .filter((trade) => trade.token === token0)
      .map((trade) => `${trade.block} ${trade.logIndex}`),
  );
  return all.filter(
    (trade) => trade.token === token0 || !firsts.has(`${trade.block} ${trade.logIndex}`),
  );
}

function computeVolume(trades: readonly TradeRecord[]): bigint | null {
  const values = trades.flatMap(({ valueUsd }) => (valueUsd === null ? [] : [toFixed(valueUsd)]));
  if (trades.length > 0 && values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0n);
}

/** In 1e-15 USD, since the share of buyers is a fraction. */
function computeTrending(trades: readonly TradeRecord[]): bigint {
  const byWallet = Map.groupBy(trades, ({ wallet }) => wallet);
  const micros = ({ valueUsd }: TradeRecord) =>
    valueUsd === null ? 0n : (toFixed(valueUsd) * 1_000_000n) / ONE;
  const capped = [...byWallet.values()].map((own) => {
    const sum = own.reduce((total, trade) => total + micros(trade), 0n);
    return sum > 1_000_000_000n ? 1_000_000_000n : sum;
  });
  const count = (side: string) =>
    new Set(trades.filter((trade) => trade.side === side).map(({ wallet }) => wallet)).size;
  const limited = Number(capped.reduce((total, one) => total + one, 0n));
  const double = (limited * count('buy')) / (count('buy') + count('sell'));
  return BigInt(Math.round(double * 1e9));
}

function computeValue(rows: Rows, pool: PoolRecord, { sort, window }: PoolOrder) {
  if (sort === 'liquidity') return pool.liquidityUsdE18;
  if (sort === 'new') return pool.createdAtMs === 0 ? null : BigInt(pool.createdAtMs);
  const trades = listTrades(rows, pool, rows.headMs - WINDOWS_MS[window]);
  if (trades.length === 0) return null;
  if (sort === 'trades') return BigInt(trades.length);
  return sort === 'trending' ? computeTrending(trades) : computeVolume(trades);
}

function computeList(
  rows: Rows,
  order: PoolOrder,
  { mint, venue }: { readonly mint?: string; readonly venue?: string },
): string[] {
  return rows.pools
    .filter((pool) => venue === undefined || pool.venue === venue)
    .filter((pool) => mint === undefined || [pool.token0, pool.token1].some((t) => t === mint))
    .flatMap((pool) => {
      const value = computeValue(rows, pool, order);
      return value === null ? [] : [{ pool: String(pool.pool), value }];
    })
    .sort((a, b) => (a.value === b.value ? (a.pool < b.pool ? -1 : 1) : a.value < b.value ? 1 : -1))
    .map(({ pool }) => pool);
}

/** All pages of a list. */
async function readList(scene: MarketScene, input: Json): Promise<Json[]> {
  const pools: Json[] = [];
  let cursor: string | null = null;
  do {
    const paged: Json = cursor === null ? input : { ...input, cursor };
    const { json } = await scene.ask('listPools', paged);
    pools.push(...json.pools);
    cursor = json.nextCursor;
  } while (cursor !== null);
  return pools;
}

async function assertLists(scene: MarketScene, random: () => number): Promise<number> {
  const rows = await readRows(scene);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  let shown = 0;
  for (const sort of POOL_SORTS) {
    const token = pick(rows.tokens).token;
    const filter = pick<{ mint?: string; venue?: string; chain?: string }>([
      {},
      { venue: pick(FAKE_VENUES) },
      { mint: token, chain: 'devnet' },
      { mint: token, chain: 'devnet', venue: pick(FAKE_VENUES) },
    ]);
    const order = { sort, window: pick(WINDOW_NAMES) };
    const input = { ...order, limit: 1 + Math.floor(random() * 6), ...filter };
    const pools = await readList(scene, input);
    const ids = pools.map(({ address }) => address.toLowerCase());
    assert.deepEqual(ids, computeList(rows, order, filter), JSON.stringify(input));
    for (const pool of pools) assertPool(rows, pool, filter.mint);
    shown += ids.length;
  }
  return shown;
}

/** By the last trade that is no outlier; between tokens of one rank by the state. */
function assertPriceInQuote(
  rows: Rows,
  {
    row,
    view,
    shown,
  }: { readonly row: PoolRecord; readonly view: MarketView; readonly shown: Json },
): void {
  const decimalsOf = (token: string) => rows.tokens.find((one) => one.token === token)?.decimals;
  const [base, quote] = [decimalsOf(view.base), decimalsOf(view.quote)];
  const toPrice = (quoteRaw: bigint, baseRaw: bigint) =>
    base == null || quote == null
      ? null
      : (quoteRaw * ONE * 10n ** BigInt(base)) / (baseRaw * 10n ** BigInt(quote));
  const all = rows.trades.filter((one) => one.pool === row.pool && one.token === view.base);
  const isPriced = all.some(({ priceUsd, priceNative }) => (priceUsd ?? priceNative) !== null);
  if (view.baseRank === view.quoteRank || !isPriced) {
    const state = kindOf(row).price(row.state);
    const { numerator: a = 0n, denominator: b = 1n } = state ?? {};
    const price = view.baseIsToken0 ? toPrice(a, b) : toPrice(b, a);
    assertClose(shown.priceQuote, state === null ? null : price);
    return;
  }
  all.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  // Those of its last day with trades, as its other prices.
  const dayOf = ({ timestampMs }: TradeRecord) => Math.floor(timestampMs / WINDOWS_MS['24h']);
  const lastDay = Math.max(...all.map(dayOf));
  const own = all.filter((trade) => dayOf(trade) === lastDay);
  // Without an amount on either side a trade sets no price, in no currency.
  const priced = own.filter(({ priceUsd, priceNative }) => (priceUsd ?? priceNative) !== null);
  const clean = priced.findLast(({ outlier }) => !outlier) ?? priced.at(-1);
  const price = clean === undefined ? null : toPrice(clean.quoteAmountRaw, clean.amountRaw);
  assertClose(shown.priceQuote, price);
}

function assertPool(rows: Rows, shown: Json, mint?: string): PoolRecord {
  const row = rows.pools.find(({ pool }) => pool === shown.address.toLowerCase())!;
  const views = listMarketViews(FAKE_ASSETS, row);
  const view = views.find(({ base }) => base === mint) ?? views[0]!;
  for (const side of ['base', 'quote'] as const) {
    const token = rows.tokens.find((one) => one.token === view[side]);
    assert.equal(shown[side].mint.toLowerCase(), view[side]);
    assert.equal(shown[side].symbol, token?.symbol ?? null);
    assert.equal(shown[side].name, token?.name ?? null);
    assert.equal(shown[side].decimals, token?.decimals ?? null);
  }
  const { venue, kind, feePips } = row;
  assert.deepEqual(
    { venue: shown.venue, kind: shown.kind, feePips: shown.feePips },
    { venue, kind, feePips },
  );
  assert.equal(shown.createdAt, row.createdAtMs === 0 ? null : row.createdAtMs);
  const isPriced = kindOf(row).price(row.state) !== null;
  assert.equal(shown.tradable, isPriced && FAKE_MARKET_CHAIN.tradedVenues.has(venue));
  const volume = computeVolume(listTrades(rows, row, rows.headMs - WINDOWS_MS['24h']));
  assertPriceInQuote(rows, { row, view, shown });
  const digits = shown.volume24hUsd === null ? null : toFixed(shown.volume24hUsd);
  if (volume === null) assert.equal(digits, null);
  else {
    const difference = volume - digits!;
    const size = difference < 0n ? -difference : difference;
    // Each trade counts rounded down to 1e-18 USD.
    const slack = volume / 10n ** 16n + 10n ** 25n;
    assert.ok(size <= slack, `${volume} ${digits}`);
  }
  return row;
}

/** Value of an amount of a token, at its last price. */
function toUsd(rows: Rows, token: string, amountRaw: bigint): bigint | null {
  const row = rows.tokens.find((one) => one.token === token);
  const isStable = row !== undefined && FAKE_ASSETS.stable.has(row.token);
  const price = row?.priceUsd ?? (isStable ? '1' : null);
  if (row?.decimals == null || price === null) return null;
  return (amountRaw * toFixed(price)) / 10n ** BigInt(row.decimals);
}

function assertClose(shown: string | null, expected: bigint | null): void {
  if (shown === null || expected === null) {
    assert.equal(shown, expected);
    return;
  }
  const difference = toFixed(shown) - expected;
  const size = difference < 0n ? -difference : difference;
  assert.ok(size * 10n ** 16n <= expected + 10n ** 16n, `${shown} ${expected}`);
}

/** Returns how many of them have a depth above zero. */
async function assertDetails(scene: MarketScene): Promise<number> {
  const rows = await readRows(scene);
  let deep = 0;
  for (const row of rows.pools) {
    const { json } = await scene.ask('getPool', { chain: 'devnet', pool: row.pool });
    assertPool(rows, json);
    const view = listMarketViews(FAKE_ASSETS, row)[0]!;
    const kind = kindOf(row);
    const holdings = kind.holdings(row.state);
    assert.equal(json.reserves === null, holdings === null);
    if (holdings !== null) {
      const { amount0, amount1 } = holdings;
      const [base, quote] = view.baseIsToken0 ? [amount0, amount1] : [amount1, amount0];
      assert.equal(json.reserves.base.amountRaw, String(base));
      assert.equal(json.reserves.quote.amountRaw, String(quote));
    }
    const isKnown = row.complete || !kind.hasTicks;
    const ticks = rows.ticks.filter(({ pool }) => pool === row.pool);
    const pool = isKnown ? kind.createSwapPool(row, ticks, undefined) : null;
    assert.equal(json.depth === null, pool === null);
    if (pool === null) continue;
    const expected = bisectDepth(pool, view.baseIsToken0);
    for (const [index, { pct, bidRaw, askRaw }] of expected.entries()) {
      assert.equal(json.depth[index].pct, pct);
      assertClose(json.depth[index].bidUsd, toUsd(rows, view.quote, bidRaw));
      assertClose(json.depth[index].askUsd, toUsd(rows, view.quote, askRaw));
      if (bidRaw > 0n && askRaw > 0n && json.depth[index].bidUsd !== null) deep += 1;
    }
  }
  return deep;
}

const FIGURES = ['priceUsd', 'priceNative', 'marketCapUsd', 'logoUrl', 'links'] as const;

/** Rows with more in them have what the reads of one pool and of one token say. */
async function assertIncluded({ ask }: MarketScene): Promise<void> {
  const include = 'windows,reserves,tokens';
  const { json } = await ask('listPools', { chain: 'devnet', limit: 100, include });
  assert.ok(json.pools.length > 5);
  for (const row of json.pools) {
    const asked = { chain: 'devnet', pool: row.address, include: 'tokens' };
    const { depth: _, asOf: __, ...pool } = (await ask('getPool', asked)).json;
    assert.deepEqual(row, pool);
    for (const { mint, ...side } of [row.base, row.quote]) {
      const { json: token } = await ask('getToken', { chain: 'devnet', mint });
      for (const name of FIGURES) assert.deepEqual(side[name], token[name], `${mint} ${name}`);
    }
  }
}

for (const [engine, rounds] of [
  ['sqlite', 40],
  ['postgres', 6],
] as const) {
  describe(`on ${engine}`, () => {
    test('pools are those of the stored rows, whatever the chain does', async (t) => {
      const options = { engine, seed: 23, finalityDepth: 8, blocks: 100, eventCountMax: 12 };
      const scene = await createMarketScene(t, options);
      const random = createRandom(11);
      let shown = 0;
      for (let round = 0; round < rounds; round += 1) {
        const roll = random();
        const depth = 1 + Math.floor(random() * 6);
        if (roll < 0.35) scene.chain.reorganise(depth, depth + 1);
        else if (roll < 0.5)
          scene.chain.extend(1, undefined, Math.floor(random() * 500) * MINUTE_MS);
        else scene.chain.extend(1 + Math.floor(random() * 3));
        await scene.settle();
        shown += await assertLists(scene, random);
      }
      assert.ok(shown > rounds * 5, `${shown} rows`);
      assert.ok((await assertDetails(scene)) > 10);
      await assertIncluded(scene);
    });
  });
}
