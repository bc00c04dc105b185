// Compares every price with a fold over the stored trades, at any time and block, whatever the
// chain does.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFakeAddress, FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import { fc } from '../../test/fast-check.ts';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import { address } from '../../test/test-ids.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../model/market-record.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const PLACES = 40;
const ONE = 10n ** BigInt(PLACES);
const UNKNOWN = buildFakeAddress('bbbb', 1);

interface Rows {
  readonly tokens: readonly Address[];
  readonly trades: readonly TradeRecord[];
  readonly checkpoint: Checkpoint;
}

async function readAll<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

async function readRows({ store: { market } }: MarketScene): Promise<Rows> {
  const checkpoint = await market.readCheckpoint('devnet');
  assert.ok(checkpoint);
  const tokens = await readAll(market.scanTokens('devnet'));
  return {
    tokens: tokens.map(({ token }) => token),
    trades: await readAll(market.scanTrades('devnet')),
    checkpoint,
  };
}

function toFixed(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.slice(0, PLACES).padEnd(PLACES, '0'));
}

/** The last trade that sets a price: an outlier only if there is none yet. */
function fold(trades: readonly TradeRecord[], field: 'priceUsd' | 'priceNative') {
  let last: TradeRecord | null = null;
  for (const trade of trades) {
    if (trade[field] !== null && (!trade.outlier || last === null)) last = trade;
  }
  return last;
}

function computeChange(trades: readonly TradeRecord[], timeMs: number): number | null {
  const price = fold(
    trades.filter(({ timestampMs }) => timestampMs <= timeMs),
    'priceUsd',
  )?.priceUsd;
  const clean = trades.filter(({ priceUsd, outlier, timestampMs }) => {
    return priceUsd !== null && !outlier && timestampMs <= timeMs;
  });
  const before = clean.findLast(({ timestampMs }) => timestampMs <= timeMs - DAY_MS);
  const from = (before ?? clean[0])?.priceUsd;
  if (price == null || from == null) return null;
  const [a, b] = [toFixed(from), toFixed(price)];
  return Number(((b - a) * 100_000_000n) / a) / 1_000_000;
}

function compute(token: Address, trades: readonly TradeRecord[]) {
  const usd = fold(trades, 'priceUsd');
  const native = fold(trades, 'priceNative');
  const inOrder = [usd, native].flatMap((trade) => trade ?? []);
  const trade = inOrder.toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex).at(-1);
  return {
    priceUsd: usd?.priceUsd ?? (FAKE_ASSETS.stable.has(token) ? '1' : null),
    priceNative: native?.priceNative ?? (FAKE_ASSETS.native.has(token) ? '1' : null),
    timestamp: trade?.timestampMs ?? null,
    block: trade?.block ?? null,
    pool: trade?.pool ?? null,
    venue: trade?.venue ?? null,
  };
}

function pickFields(price: Json) {
  const { priceUsd, priceNative, timestamp, block, source } = price;
  const pool = source?.pool.toLowerCase() ?? null;
  return { priceUsd, priceNative, timestamp, block, pool, venue: source?.venue ?? null };
}

/** Prices of every token and of one that nobody knows, in an order of its own. */
async function askPrices(scene: MarketScene, { tokens }: Rows, at?: number): Promise<Json[]> {
  const mints = [...tokens.toReversed(), UNKNOWN, ...tokens.slice(0, 1)];
  const named = mints.map((mint) => ({ chain: 'devnet', mint }));
  const { json } = await scene.ask('getPrices', {
    tokens: named,
    ...(at === undefined ? {} : { at }),
  });
  assert.equal(json.prices.length, mints.length);
  const shown = json.prices.map((price: Json) => price?.mint.toLowerCase() ?? UNKNOWN);
  assert.deepEqual(shown, mints);
  assert.equal(json.prices[tokens.length], null);
  return json.prices.filter((price: Json) => price !== null);
}

async function assertNow(scene: MarketScene, rows: Rows): Promise<void> {
  for (const price of await askPrices(scene, rows)) {
    const { json } = await scene.ask('getToken', { chain: 'devnet', mint: price.mint });
    const token = address(price.mint.toLowerCase());
    const trades = rows.trades.filter((trade) => trade.token === token);
    assert.deepEqual(pickFields(price), compute(token, trades), json.symbol);
    for (const field of ['priceUsd', 'priceNative', 'priceChange24hPct']) {
      assert.equal(price[field], json[field], `${json.symbol} ${field}`);
    }
    const one = await scene.ask('getTokenPrice', { chain: 'devnet', mint: price.mint });
    const { coverage: _, asOf, ...fields } = one.json;
    assert.deepEqual(fields, price);
    assert.equal(asOf.block, rows.checkpoint.block);
  }
}

async function assertAt(scene: MarketScene, rows: Rows, timeMs: number): Promise<number> {
  const isCovered = timeMs >= (rows.checkpoint.startAtMs ?? 0);
  let priced = 0;
  for (const price of await askPrices(scene, rows, timeMs)) {
    const token = address(price.mint.toLowerCase());
    const trades = rows.trades.filter((trade) => trade.token === token);
    const upTo = trades.filter(({ timestampMs }) => timestampMs <= timeMs);
    const expected = compute(token, upTo);
    if (isCovered) assert.deepEqual(pickFields(price), expected, `${price.mint} at ${timeMs}`);
    else assert.equal(price.priceUsd, null);
    const change = isCovered ? computeChange(trades, timeMs) : null;
    assert.equal(price.priceChange24hPct, change, `${price.mint} at ${timeMs}`);
    if (price.timestamp !== null) priced += 1;
  }
  return priced;
}

async function assertAtBlock(scene: MarketScene, rows: Rows, block: number): Promise<void> {
  for (const token of rows.tokens) {
    const upTo = rows.trades.filter((trade) => trade.token === token && trade.block <= block);
    const { json } = await scene.ask('getTokenPrice', {
      chain: 'devnet',
      mint: token,
      atBlock: block,
    });
    assert.deepEqual(pickFields(json), compute(token, upTo), `${token} at block ${block}`);
    assert.equal(json.priceChange24hPct, null);
  }
}

const step = fc.record({
  kind: fc.constantFrom('extend', 'extend', 'jump', 'reorganise'),
  size: fc.integer({ min: 1, max: 6 }),
  minutes: fc.integer({ min: 1, max: 600 }),
  /** The moments to compare, as parts of the chain's life; a little beyond both of its ends. */
  places: fc.array(fc.double({ min: -0.02, max: 1.02, noNaN: true }), {
    minLength: 2,
    maxLength: 4,
  }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function move({ chain }: MarketScene, { kind, size, minutes }: Step): void {
  if (kind === 'extend') chain.extend(size);
  else if (kind === 'jump') chain.extend(1, undefined, minutes * MINUTE_MS);
  else chain.reorganise(size, size + 1);
}

/** Picks times of trades now and then: that is where a price changes. */
function pickTime({ trades, checkpoint }: Rows, place: number): number {
  const startMs = checkpoint.startAtMs ?? 0;
  const timeMs = Math.round(startMs + place * (checkpoint.timestampMs - startMs));
  const trade = trades[Math.round(place * 1000) % Math.max(1, trades.length)];
  return Math.round(place * 1000) % 2 === 0 ? timeMs : (trade?.timestampMs ?? timeMs);
}

async function follow(scene: MarketScene, steps: readonly Step[]): Promise<number> {
  let priced = 0;
  for (const one of steps) {
    move(scene, one);
    await scene.settle();
    const rows = await readRows(scene);
    await assertNow(scene, rows);
    for (const place of one.places) {
      priced += await assertAt(scene, rows, pickTime(rows, place));
      const { block } = rows.checkpoint;
      await assertAtBlock(scene, rows, Math.max(0, Math.round(place * block)));
    }
  }
  return priced;
}

for (const [engine, numRuns] of [
  ['sqlite', 4],
  ['postgres', 1],
] as const) {
  describe(`on ${engine}`, () => {
    test('prices are those of a fold over the trades, through rollbacks', async (t) => {
      let priced = 0;
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 12 }),
        fc.integer({ min: 1, max: 1000 }),
        async (steps, seed) => {
          const chain = { seed, finalityDepth: 8, eventCountMax: 12, blocks: 120 };
          const scene = await createMarketScene(t, { engine, ...chain });
          priced += await follow(scene, steps);
        },
      );
      await fc.assert(property, { numRuns, seed: 18, endOnFailure: true });
      assert.ok(priced > 25 * numRuns, `${priced} prices with a trade`);
    });
  });
}
