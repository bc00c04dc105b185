// Recomputes every list from the stored rows after commits, rollbacks and passing of time.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import {
  createMarketScene,
  createTestLists,
  type Json,
  type MarketScene,
} from '../../test/market-scene.ts';
import { TOKEN_SORTS } from '../contract/operations/list-tokens.ts';
import type { TokenRecord, TradeRecord } from '../model/market-record.ts';
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

type WindowName = keyof typeof WINDOWS_MS;
type Sort = (typeof TOKEN_SORTS)[number];

interface Rows {
  readonly tokens: readonly TokenRecord[];
  readonly pools: readonly PoolRecord[];
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
    trades: await readAll(market.scanTrades('devnet')),
    headMs: checkpoint?.timestampMs ?? 0,
  };
}

const PLACES = 40;
const ONE = 10n ** BigInt(PLACES);

/** In units of 1e-40. */
function toFixed(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.slice(0, PLACES).padEnd(PLACES, '0'));
}

function findPrice({ token, priceUsd }: TokenRecord): string | null {
  return priceUsd ?? (FAKE_ASSETS.stable.has(token) ? '1' : null);
}

function findLiquidity({ liquidityUsdE18, pairedUsdE18 }: TokenRecord): bigint | null {
  const own = liquidityUsdE18 === null || liquidityUsdE18 === 0n ? null : liquidityUsdE18;
  return own ?? pairedUsdE18 ?? liquidityUsdE18;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function listWithin(rows: Rows, token: TokenRecord, window: WindowName): readonly TradeRecord[] {
  const startMs = rows.headMs - WINDOWS_MS[window];
  return rows.trades.filter((trade) => {
    return trade.token === token.token && trade.timestampMs > startMs;
  });
}

function computeVolume(trades: readonly TradeRecord[]): bigint | null {
  const values = trades.flatMap(({ valueUsd }) => (valueUsd === null ? [] : [valueUsd]));
  return values.length === 0 ? null : sum(values.map((value) => toFixed(value)));
}

function computeTrending(trades: readonly TradeRecord[]): number {
  const volumes = new Map<string, number>();
  for (const { wallet, valueUsd } of trades) {
    const micros = valueUsd === null ? 0 : Number((toFixed(valueUsd) * 1_000_000n) / ONE);
    volumes.set(wallet, (volumes.get(wallet) ?? 0) + micros);
  }
  const capped = [...volumes.values()].reduce((total, one) => total + Math.min(one, 1e9), 0);
  const count = (side: string) =>
    new Set(trades.filter((trade) => trade.side === side).map(({ wallet }) => wallet)).size;
  return (capped * count('buy')) / (count('buy') + count('sell'));
}

function computeChange(rows: Rows, token: TokenRecord, window: WindowName): number | null {
  const price = findPrice(token);
  const startMs = rows.headMs - WINDOWS_MS[window];
  const clean = rows.trades.filter((trade) => {
    return trade.token === token.token && trade.priceUsd !== null && !trade.outlier;
  });
  const before = clean.findLast(({ timestampMs }) => timestampMs <= startMs);
  const from = (before ?? clean.find(({ timestampMs }) => timestampMs > startMs))?.priceUsd;
  if (price === null || from == null) return null;
  const [a, b] = [toFixed(from), toFixed(price)];
  return Number(((b - a) * 100_000_000n) / a) / 1_000_000;
}

/** What a list sorts by, the highest first; null for a token that is not in it. */
function computeValue(rows: Rows, token: TokenRecord, sort: Sort, window: WindowName) {
  if (sort === 'new') return BigInt(token.firstSeenAtMs);
  if (sort === 'liquidity') return findLiquidity(token);
  const price = findPrice(token);
  if (sort === 'marketCap') {
    if (price === null || token.supplyRaw === null || token.decimals === null) return null;
    return (token.supplyRaw * toFixed(price)) / 10n ** BigInt(token.decimals);
  }
  const trades = listWithin(rows, token, window);
  if (trades.length === 0) return null;
  if (sort === 'volume') return computeVolume(trades);
  if (sort === 'trades') return BigInt(trades.length);
  if (sort === 'trending') return computeTrending(trades);
  if (sort === 'buyers') {
    const buys = trades.filter(({ side }) => side === 'buy');
    return BigInt(new Set(buys.map(({ wallet }) => wallet)).size);
  }
  const change = computeChange(rows, token, window);
  if (change === null) return null;
  const gain = sort === 'gainers' ? change : -change;
  return gain > 0 ? gain : null;
}

interface Filters {
  readonly include?: string;
  readonly venue?: string;
  readonly verified?: string;
  readonly minLiquidityUsd?: string;
  readonly minVolumeUsd?: string;
  readonly maxAgeSeconds?: number;
}

function isListed(rows: Rows, token: TokenRecord, window: WindowName, filters: Filters): boolean {
  const includes = filters.include?.split(',') ?? [];
  const { venue, verified, minLiquidityUsd, minVolumeUsd, maxAgeSeconds } = filters;
  if (findPrice(token) === null && !includes.includes('unpriced')) return false;
  if (FAKE_ASSETS.native.has(token.token) && !includes.includes('native')) return false;
  const isShare = rows.pools.some(({ pool }) => String(pool) === token.token);
  if (isShare && !includes.includes('poolShares')) return false;
  const isOfVenue = (pool: PoolRecord) =>
    pool.venue === venue && [pool.token0, pool.token1].includes(token.token);
  if (venue !== undefined && !rows.pools.some(isOfVenue)) return false;
  if (verified !== undefined && (token.token === VERIFIED) !== (verified === 'true')) return false;
  const minimum = minLiquidityUsd === undefined ? null : BigInt(minLiquidityUsd) * 10n ** 18n;
  if (minimum !== null && (findLiquidity(token) ?? -1n) < minimum) return false;
  if (minVolumeUsd !== undefined) {
    const volume = computeVolume(listWithin(rows, token, window));
    if (volume === null || volume < toFixed(minVolumeUsd)) return false;
  }
  return token.firstSeenAtMs >= rows.headMs - (maxAgeSeconds ?? Number.POSITIVE_INFINITY) * 1000;
}

function computeList(rows: Rows, sort: Sort, window: WindowName, filters: Filters): string[] {
  const listed = rows.tokens
    .filter((token) => isListed(rows, token, window, filters))
    .flatMap((token) => {
      const value = computeValue(rows, token, sort, window);
      return value === null ? [] : [{ token: String(token.token), value }];
    });
  listed.sort((a, b) =>
    a.value === b.value ? (a.token < b.token ? -1 : 1) : a.value < b.value ? 1 : -1,
  );
  return listed.map(({ token }) => token);
}

const FILTERS: readonly Filters[] = [
  {},
  { include: 'poolShares,unpriced,native' },
  { venue: 'uniswap-v2', minLiquidityUsd: '1' },
  { verified: 'true' },
  { verified: 'false', minVolumeUsd: '0.5', include: 'unpriced' },
  { maxAgeSeconds: 3600 },
];

/** All pages of a list. */
async function readList(scene: MarketScene, input: Json): Promise<Json[]> {
  const tokens: Json[] = [];
  let cursor: string | null = null;
  do {
    const paged: Json = cursor === null ? input : { ...input, cursor };
    const { json } = await scene.ask('listTokens', paged);
    tokens.push(...json.tokens);
    cursor = json.nextCursor;
  } while (cursor !== null);
  return tokens;
}

async function assertLists(scene: MarketScene, random: () => number): Promise<number> {
  const rows = await readRows(scene);
  let shown = 0;
  for (const sort of TOKEN_SORTS) {
    const window = (Object.keys(WINDOWS_MS) as WindowName[])[Math.floor(random() * 6)] ?? '24h';
    const filters = FILTERS[Math.floor(random() * FILTERS.length)] ?? {};
    const input = { sort, window, limit: 1 + Math.floor(random() * 4), ...filters };
    const tokens = await readList(scene, input);
    const mints = tokens.map(({ mint }) => mint.toLowerCase());
    assert.deepEqual(mints, computeList(rows, sort, window, filters), JSON.stringify(input));
    shown += mints.length;
  }
  return shown;
}

async function assertRowsAreThoseOfTheToken(scene: MarketScene): Promise<void> {
  const rows = await readRows(scene);
  const { json } = await scene.ask('listTokens', { sort: 'liquidity', sparkline: '24h' });
  assert.ok(json.tokens.length > 2);
  // `/token/safety` has the warnings of a token.
  for (const { sparkline, warnings: _, ...listed } of json.tokens) {
    const { json: token } = await scene.ask('getToken', { chain: 'devnet', mint: listed.mint });
    for (const [field, value] of Object.entries(listed))
      assert.deepEqual(value, token[field], field);
    const clean = rows.trades.filter((trade) => {
      return trade.token === listed.mint.toLowerCase() && trade.priceUsd !== null && !trade.outlier;
    });
    const expected = Array.from({ length: 48 }, (_, point) => {
      const halfHour = Math.floor(rows.headMs / (30 * MINUTE_MS)) - (47 - point);
      const endMs = (halfHour + 1) * 30 * MINUTE_MS;
      return clean.findLast(({ timestampMs }) => timestampMs < endMs)?.priceUsd ?? null;
    });
    if (clean.length > 0) assert.deepEqual(sparkline, expected, listed.symbol);
  }
}

const VERIFIED = [...FAKE_ASSETS.stable][0];

for (const [engine, rounds] of [
  ['sqlite', 50],
  ['postgres', 6],
] as const) {
  describe(`on ${engine}`, () => {
    test('lists are those of the stored rows, whatever the chain does', async (t) => {
      const options = { engine, seed: 21, finalityDepth: 8, blocks: 100, eventCountMax: 12 };
      const lists = createTestLists([
        {
          name: 'Test',
          tokens: [
            {
              chain: 'devnet',
              token: VERIFIED!,
              symbol: null,
              name: null,
              links: null,
              logo: null,
            } as Json,
          ],
        },
      ]);
      const scene = await createMarketScene(t, { ...options, lists });
      const random = createRandom(7);
      let shown = 0;
      for (let round = 0; round < rounds; round += 1) {
        const roll = random();
        const depth = 1 + Math.floor(random() * 6);
        if (roll < 0.3) scene.chain.reorganise(depth, depth + 1);
        else if (roll < 0.5)
          scene.chain.extend(1, undefined, Math.floor(random() * 500) * MINUTE_MS);
        else scene.chain.extend(1 + Math.floor(random() * 3));
        await scene.settle();
        shown += await assertLists(scene, random);
      }
      assert.ok(shown > rounds * 9, `${shown} rows`);
      await assertRowsAreThoseOfTheToken(scene);
    });
  });
}
