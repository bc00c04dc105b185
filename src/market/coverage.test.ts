// Pins the coverage of a chain whose history was not indexed: missing data is not shown as no
// activity.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { buildToken } from '../../test/conformance/store-samples.ts';
import { FAKE_TOKENS } from '../../test/fakes/fake-market.ts';
import {
  askFreshly,
  createMarketScene,
  FAKE_MARKET_CHAIN,
  type Json,
  type MarketScene,
} from '../../test/market-scene.ts';
import { openTestStream, startTestStreams } from '../../test/stream-scene.ts';
import { address } from '../../test/test-ids.ts';
import type { BackfillRecord } from '../model/backfill.ts';
import type { Address } from '../model/ids.ts';
import {
  buildCoverage,
  computeCovered,
  isHoldersComplete,
  readBalanceStarts,
  readTokenStarts,
} from './coverage.ts';

const START_BLOCK = 150;
const DAY_MS = 86_400_000;

async function readTokens(scene: MarketScene): Promise<Json[]> {
  const tokens: Json[] = [];
  for await (const page of scene.store.market.scanListings('devnet')) {
    for (const { token: mint } of page) {
      tokens.push((await scene.ask('getToken', { chain: 'devnet', mint })).json);
    }
  }
  return tokens;
}

async function createScene(t: { after(work: () => unknown): void }): Promise<MarketScene> {
  const options = { seed: 21, finalityDepth: 20, blocks: 190, startBlock: START_BLOCK };
  return createMarketScene(t, { engine: 'sqlite', ...options });
}

describe('an index that began late', () => {
  test('coverage says since when, and nothing is invented before that', async (t) => {
    const scene = await createScene(t);
    const startMs = scene.chain.header(START_BLOCK - 1)!.timestampMs;
    const tokens = await readTokens(scene);
    assert.ok(tokens.some(({ trades24h }) => trades24h === null));
    for (const token of tokens) {
      assert.equal(token.coverage.tradesFrom, startMs);
      assert.equal(token.coverage.klinesFrom, startMs);
      // The day is not covered yet, so its volume and trades are unknown.
      assert.deepEqual([token.volume24hUsd, token.trades24h], [null, null]);
      // So is the price at its beginning.
      assert.equal(token.priceChange24hPct, null);
      const input = { chain: 'devnet', mint: token.mint };
      const { json: trades } = await scene.ask('getTrades', { ...input, limit: 500 });
      assert.deepEqual(trades.coverage, token.coverage);
      for (const { block } of trades.trades) assert.ok(block >= START_BLOCK);
      const { json: klines } = await scene.ask('getKlines', { ...input, interval: '1m' });
      assert.deepEqual(klines.coverage, token.coverage);
      for (const { closeTime } of klines.klines) assert.ok(closeTime >= startMs);
    }
  });

  test('once a whole day is covered, its figures are shown', async (t) => {
    const scene = await createScene(t);
    const startMs = scene.chain.header(START_BLOCK - 1)!.timestampMs;
    while (scene.chain.head.timestampMs < startMs + DAY_MS + 60_000) scene.chain.extend(20);
    await scene.settle();
    for (const token of await readTokens(scene)) {
      assert.equal(token.coverage.tradesFrom, startMs);
      assert.equal(typeof token.trades24h, 'number');
    }
  });

  test('incomplete holders are not counted', async (t) => {
    const scene = await createScene(t);
    let incomplete = 0;
    for (const token of await readTokens(scene)) {
      const { json } = await scene.ask('getHolders', { chain: 'devnet', mint: token.mint });
      assert.deepEqual(json.coverage, token.coverage);
      if (token.coverage.holdersComplete) continue;
      incomplete += 1;
      assert.deepEqual([token.holders, token.createdAt], [null, null]);
    }
    assert.ok(incomplete > 0, 'every holder is known all the same');
  });
});

describe('a scope of some tokens', () => {
  test('covers a token from when it came in, and says which one it does not cover', async (t) => {
    const { market } = (await createScene(t)).store;
    const [inside, gone, never] = ['0xa', '0xb', '0xc'].map(address);
    const [a, b, c] = [inside!, gone!, never!];
    const entry = { fromBlock: 7, fromMs: 7000, leftBlock: null, pool: null };
    await market.transaction('devnet', (transaction) =>
      transaction.putScopeEntries([
        { ...entry, token: a },
        { ...entry, token: b, leftBlock: 9 },
      ]),
    );
    const stored = await market.readCheckpoint('devnet');
    const checkpoint = { ...stored!, scope: 'watch' } as const;
    const findStart = await readTokenStarts(market, { chain: 'devnet', checkpoint }, [a, b, c]);
    const build = (token: typeof a) =>
      buildCoverage(buildToken({ token }), findStart(token), {
        ...{ kept: checkpoint, jobs: [], interval: '1m' },
      });
    assert.deepEqual(build(a), {
      ...{ scope: 'watch', tradesFrom: 7000, klinesFrom: 7000, holdersComplete: true },
      ...{ backfill: null, history: null },
    });
    const partial = { scope: 'partial', tradesFrom: null, klinesFrom: null };
    for (const token of [b, c]) {
      assert.deepEqual(build(token), {
        ...partial,
        holdersComplete: false,
        backfill: null,
        history: null,
      });
      assert.equal(computeCovered(findStart(token), 9000), 0);
    }
    assert.equal(computeCovered(findStart(a), 9000), 2000);
  });
});

describe('lists within a scope', () => {
  test('gainers and losers have the change that the token itself shows', async (t) => {
    const scene = await createMarketScene(t, {
      ...{ engine: 'sqlite', seed: 21, finalityDepth: 20, blocks: 190 },
    });
    const { market } = scene.store;
    const stored = await market.readCheckpoint('devnet');
    const tokens: Address[] = [];
    for await (const page of market.scanListings('devnet')) {
      tokens.push(...page.map(({ token }) => token));
    }
    await scene.indexed.indexer.stop();
    const { version, timestampMs } = stored!;
    await market.transaction('devnet', async (transaction) => {
      await transaction.setCheckpoint({ ...stored!, version: version + 1, scope: 'watch' });
      await transaction.putScopeEntries(
        tokens
          .filter((_, index) => index % 2 === 0)
          .map((token) => ({
            ...{ token, fromBlock: 180, fromMs: timestampMs - 60_000 },
            ...{ leftBlock: null, pool: null },
          })),
      );
    });
    const list = async (sort: string) =>
      (await askFreshly(scene.store, 'listTokens', { sort, limit: 100 })).json.tokens as Json[];
    const [gainers, losers, traded] = [
      await list('gainers'),
      await list('losers'),
      await list('trades'),
    ];
    for (const token of gainers) assert.ok(token.priceChange24hPct > 0, token.symbol);
    for (const token of losers) assert.ok(token.priceChange24hPct < 0, token.symbol);
    assert.ok(traded.some(({ priceChange24hPct }) => priceChange24hPct === null));
  });
});

describe('what is complete', () => {
  test('holders are counted if every figure agrees and no balance was overdrawn', () => {
    const token = buildToken({ token: address('0xt') });
    assert.equal(isHoldersComplete(token), true);
    for (const more of [
      { balancesBroken: true },
      { supplyRaw: null },
      { supplyRaw: 6n },
      { balanceSumRaw: 4n },
      { supplyBalanceSumRaw: null },
      { supplyBalanceSumRaw: 4n },
    ]) {
      assert.equal(isHoldersComplete({ ...token, ...more }), false, Object.keys(more)[0]);
    }
  });

  test('positions are from when all balances were known, not if they only are now', async (t) => {
    const { market } = (await createScene(t)).store;
    const stored = (await market.readCheckpoint('devnet'))!;
    const [born, old, joined] = ['0xd1', '0xd2', '0xd3'].map(address);
    const job: BackfillRecord = {
      ...{ token: joined!, kind: 'holders', status: 'done', requestedAtMs: 1, reason: null },
      ...{ fromBlock: 5, fromMs: 500, toBlock: START_BLOCK, toMs: 15_000, memory: '' },
      ...{ nextBlock: 180, nextMs: 18_000, joinBlock: 180 },
    };
    const entry = { fromMs: 100, leftBlock: null, pool: null };
    await market.transaction('devnet', async (transaction) => {
      await transaction.putBackfills([job]);
      await transaction.putScopeEntries([
        { ...entry, token: born!, fromBlock: START_BLOCK },
        // It had left and has returned after its balances were joined.
        { ...entry, token: joined!, fromBlock: START_BLOCK + 40 },
      ]);
    });
    const rows = [
      buildToken({ token: born!, firstSeenBlock: START_BLOCK }),
      buildToken({ token: old!, firstSeenBlock: 5 }),
      buildToken({ token: joined!, firstSeenBlock: 5 }),
      buildToken({ token: born!, firstSeenBlock: START_BLOCK, balancesBroken: true }),
    ];
    const read = async (checkpoint: typeof stored) => {
      const find = await readBalanceStarts(market, { chain: 'devnet', checkpoint }, rows);
      return rows.map(find);
    };
    const [always, never] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    assert.deepEqual(await read(stored), [always, never, 18_000, never]);
    assert.deepEqual(await read({ ...stored, scope: 'watch' }), [always, never, never, never]);
    assert.deepEqual(await read({ ...stored, startBlock: 1 }), [always, always, always, never]);
  });

  test('time is covered from the first indexed block on, or from the chain’s', () => {
    assert.equal(computeCovered({ fromBlock: 2, fromMs: 1000 }, 5000), 4000);
    assert.equal(computeCovered({ fromBlock: 2, fromMs: null }, 5000), 0);
    assert.equal(computeCovered({ fromBlock: 1, fromMs: null }, 5000), Number.POSITIVE_INFINITY);
  });
});

describe('history that is filled in behind', () => {
  async function fillIn(scene: MarketScene, mint: Address): Promise<Json[]> {
    scene.indexed.indexer.request(mint);
    const seen: Json[] = [];
    for (let turn = 0; turn < 2_000; turn += 1) {
      const { json } = await scene.ask('getToken', { chain: 'devnet', mint });
      if (json.coverage.backfill !== null) seen.push(json.coverage);
      if (json.coverage.backfill?.status === 'done') return seen;
      if (turn % 10 === 0) scene.chain.extend(1);
      await scene.settle();
    }
    throw new Error(`not filled in: ${JSON.stringify(seen.at(-1))}`);
  }

  test('coverage tells how far it has come, in every answer', async (t) => {
    const scene = await createMarketScene(t, {
      ...{ engine: 'sqlite', seed: 5, finalityDepth: 8, clock: 'steady', seenWhole: true },
      ...{ blocks: 160, startBlock: START_BLOCK, isFilledIn: true },
      market: { tokenCount: 1, poolCountMax: 5, rankedOnly: true, positionCountMax: 10 },
    });
    scene.indexed.adapter.history.span = 20;
    const mint = FAKE_TOKENS[0]!;
    const startMs = scene.chain.header(START_BLOCK - 1)!.timestampMs;
    const seen = await fillIn(scene, mint);
    for (const [index, { backfill, tradesFrom }] of seen.entries()) {
      assert.ok(backfill.pct >= (seen[index - 1]?.backfill.pct ?? 0), 'went back');
      assert.ok(tradesFrom <= (seen[index - 1]?.tradesFrom ?? startMs), 'lost trades');
      // Beyond the start there are trades that are judged again.
      assert.ok(backfill.to >= startMs);
    }
    assert.ok(new Set(seen.map(({ backfill }) => backfill.pct)).size > 3);
    const { backfill, tradesFrom } = seen.at(-1)!;
    assert.deepEqual([backfill.status, backfill.pct], ['done', 100]);
    const input = { chain: 'devnet', mint };
    const { json: trades } = await scene.ask('getTrades', { ...input, limit: 500 });
    assert.ok(trades.trades.some(({ block }: Json) => block < START_BLOCK));
    assert.ok(trades.trades.every(({ timestamp }: Json) => timestamp >= tradesFrom));
    const { json: klines } = await scene.ask('getKlines', {
      ...input,
      interval: '1m',
      limit: 5000,
    });
    assert.equal(
      klines.klines[0].openTime,
      Math.floor(trades.trades.at(-1).timestamp / 60_000) * 60_000,
    );
    const { json: holders } = await scene.ask('getHolders', input);
    for (const { coverage } of [trades, klines, holders]) {
      assert.deepEqual(coverage.backfill, backfill);
    }
  });

  test('windows and lists count it', async (t) => {
    const scene = await createMarketScene(t, {
      ...{ engine: 'sqlite', seed: 5, finalityDepth: 8, clock: 'steady', seenWhole: true },
      ...{ blocks: 160, startBlock: START_BLOCK, isFilledIn: true },
      market: { tokenCount: 1, poolCountMax: 5, rankedOnly: true, positionCountMax: 10 },
    });
    scene.indexed.adapter.history.span = 20;
    const mint = FAKE_TOKENS[0]!;
    await fillIn(scene, mint);
    const input = { chain: 'devnet', mint };
    const { json: token } = await scene.ask('getToken', input);
    const { json: all } = await scene.ask('getTrades', { ...input, limit: 500 });
    assert.equal(all.nextCursor, null);
    const { timestamp: headMs } = token.asOf;
    const coveredMs = headMs - token.coverage.tradesFrom;
    let counted = 0;
    for (const [name, lengthMs] of Object.entries({
      '5m': 300_000,
      '6h': 21_600_000,
      '24h': DAY_MS,
    })) {
      const within = all.trades.filter(({ timestamp }: Json) => timestamp > headMs - lengthMs);
      const isCovered = coveredMs >= lengthMs;
      assert.equal(token.windows[name].trades, isCovered ? within.length : null, name);
      if (isCovered) counted += within.filter(({ block }: Json) => block < START_BLOCK).length;
    }
    assert.ok(counted > 0, 'no window has trades from before the index');
    const list = { sort: 'trades', window: '6h' };
    const fresh = await askFreshly(scene.store, 'listTokens', list);
    const { json: kept } = await scene.ask('listTokens', list);
    assert.deepEqual(kept, fresh.json);
    const listed = kept.tokens.find((one: Json) => one.mint === token.mint);
    assert.deepEqual(listed.windows, token.windows);
    // Without a trade since the index began, the last price of its history is its price.
    const { market } = scene.store;
    const [row] = await market.readTokens('devnet', [mint]);
    const silent = { ...row!, priceUsd: null, priceNative: null, lastTradeAtMs: null };
    await market.transaction('devnet', (transaction) => transaction.putTokens([silent]));
    const quiet = await askFreshly(scene.store, 'getToken', input);
    assert.notEqual(quiet.json.priceUsd, null);
    const priced = await askFreshly(scene.store, 'listTokens', { sort: 'marketCap' });
    const found = priced.json.tokens.find((one: Json) => one.mint === token.mint);
    assert.equal(found?.priceUsd, quiet.json.priceUsd);
  });

  test('a stream tells of it', async (t) => {
    const scene = await createMarketScene(t, {
      ...{ engine: 'sqlite', seed: 5, finalityDepth: 8, clock: 'steady', seenWhole: true },
      ...{ blocks: 160, startBlock: START_BLOCK, isFilledIn: true },
      market: { tokenCount: 1, poolCountMax: 5, rankedOnly: true, positionCountMax: 10 },
    });
    const mint = FAKE_TOKENS[0]!;
    const streams = startTestStreams(scene.market);
    t.after(() => streams.stop());
    const input = { chain: 'devnet', mint, events: 'coverage' };
    const stream = await openTestStream(streams, input);
    await fillIn(scene, mint);
    const deadline = Date.now() + 20_000;
    const find = () => stream.events.filter(({ event }) => event === 'coverage').at(-1);
    while (find()?.data.backfill?.status !== 'done') {
      assert.ok(Date.now() < deadline, 'nothing was told');
      await delay(50);
    }
    const { json } = await scene.ask('getToken', { chain: 'devnet', mint });
    const { chain, mint: shown } = json;
    assert.deepEqual(find()!.data, { chain, mint: shown, ...json.coverage });
  });
});

test('a token that a client asks about gets its history, if the index began late', async (t) => {
  for (const startBlock of [0, START_BLOCK]) {
    const options = { seed: 21, finalityDepth: 20, blocks: 160, startBlock };
    const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
    const requested: Address[] = [];
    const requestHistory = (token: Address) => void requested.push(token);
    const chain = { ...FAKE_MARKET_CHAIN, requestHistory };
    const mint = await firstToken(scene);
    await askFreshly(scene.store, 'getToken', { chain: 'devnet', mint }, chain);
    assert.deepEqual(requested, startBlock === 0 ? [] : [mint]);
    // A job that has failed is requested again: it is not tried before some time has passed.
    const job: BackfillRecord = {
      ...{ token: mint, kind: 'trades', status: 'failed', requestedAtMs: 1, reason: 'pruned' },
      ...{ fromBlock: null, fromMs: null, toBlock: startBlock, toMs: null, memory: '' },
      ...{ nextBlock: startBlock, nextMs: null, joinBlock: null },
    };
    await scene.store.market.transaction('devnet', (transaction) =>
      transaction.putBackfills([job]),
    );
    await askFreshly(scene.store, 'getToken', { chain: 'devnet', mint }, chain);
    assert.deepEqual(requested, startBlock === 0 ? [] : [mint, mint]);
    await askFreshly(scene.store, 'getTokenPrice', { chain: 'devnet', mint }, chain);
    assert.deepEqual(requested, startBlock === 0 ? [] : [mint, mint, mint]);
  }
});

async function firstToken(scene: MarketScene): Promise<Address> {
  for await (const page of scene.store.market.scanListings('devnet')) {
    for (const { token } of page) return token;
  }
  throw new Error('there is no token');
}
