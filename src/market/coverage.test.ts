// Pins the coverage of a chain whose history was not indexed: missing data is not shown as no
// activity.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildToken } from '../../test/conformance/store-samples.ts';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import { address } from '../../test/test-ids.ts';
import { computeCovered, isHoldersComplete } from './coverage.ts';

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

  test('time is covered from the first indexed block on, or from the chain’s', () => {
    const checkpoint = { startBlock: 2, timestampMs: 5000 } as Parameters<typeof computeCovered>[0];
    assert.equal(computeCovered(checkpoint, 1000), 4000);
    assert.equal(computeCovered(checkpoint, null), 0);
    assert.equal(computeCovered({ ...checkpoint, startBlock: 1 }, null), Number.POSITIVE_INFINITY);
  });
});
