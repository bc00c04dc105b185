// Whenever an index was begun, and however often it was interrupted, a token's trades and candles
// are those of an index of the whole chain.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type BackfillScene, createBackfillScene } from '../../../test/backfill-scene.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { createFaults } from '../../../test/fakes/fake-faults.ts';
import { WETH } from '../../../test/fakes/fake-market.ts';
import { type IndexedChain, readIndex } from '../../../test/fakes/indexed-chain.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';
import type { Address } from '../../model/ids.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { verifyChain } from '../verify/verify-chain.ts';

const STARTS = 4;
/** Its token had the price of a trade that was an outlier in the end. */
const PRICE_OF_OUTLIER = 734_908;

type Rows = Awaited<ReturnType<typeof readIndex>>;

interface FiguresFrom {
  readonly fromBlock: number;
  readonly fromMs: number;
}

const ALL: FiguresFrom = { fromBlock: 0, fromMs: Number.NEGATIVE_INFINITY };

/** What an index tells of a token, whatever it knew when. */
function pickFigures(rows: Rows, token: Address, { fromBlock, fromMs }: FiguresFrom = ALL) {
  const row = rows.tokens.find((one) => one.token === token);
  return {
    trades: rows.trades.filter((one) => one.token === token && one.block >= fromBlock),
    candles: rows.candles.filter((one) => one.token === token && one.openTimeMs > fromMs),
    price: { native: row?.priceNative, usd: row?.priceUsd },
  };
}

async function listDifferences(
  scene: BackfillScene,
  { adapter }: IndexedChain,
): Promise<readonly string[]> {
  const { differences } = await verifyChain({
    ...{ adapter, store: scene.store, attemptCountMax: 3 },
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 200, eventCountMax: 5_000 },
    signal: new AbortController().signal,
  });
  return differences;
}

describe('the figures of a token', () => {
  const random = Array.from({ length: STARTS }, (_, count) => (RUN_SEED + count) % 1_000_000);
  for (const seed of [PRICE_OF_OUTLIER, ...random]) {
    test(`are the same from a random start (seed ${seed})`, async (t) => {
      const random = createRandom(seed);
      const blocks = 60 + Math.floor(random() * 120);
      const scene = await createBackfillScene(t, {
        ...{ seed, blocks, spacing: 20, coinPoolCount: Math.floor(random() * 4) },
        olderPct: 5 + Math.floor(random() * 90),
      });
      for (let lives = Math.floor(random() * 3); lives > 0; lives -= 1) {
        const { indexer } = scene.start();
        for (const token of [scene.token, WETH]) indexer.request(token);
        for (let turn = Math.floor(random() * 150); turn > 0; turn -= 1) await setImmediate();
        await indexer.stop();
      }
      const indexed = scene.start();
      await indexed.settle();
      for (const token of [scene.token, WETH]) indexed.indexer.request(token);
      await scene.settle(indexed, [scene.token, WETH]);
      const full = await scene.readFull();
      const late = await readIndex(scene.store);
      assert.deepEqual(pickFigures(late, scene.token), pickFigures(full, scene.token));
      // Of the native coin only what the index saw itself: the rest would be most of the chain.
      const fromMs = scene.chain.header(scene.startBlock)!.timestampMs;
      const own = { fromBlock: scene.startBlock, fromMs };
      assert.deepEqual(pickFigures(late, WETH, own), pickFigures(full, WETH, own));

      assert.deepEqual(await listDifferences(scene, indexed), []);
    });
  }
});

// Nobody has asked for it: what an older version has stored heals by itself.
describe('trades that were stored before the decimals of their token were known', () => {
  for (const [name, olderPct] of [
    ['an index of the whole chain', 100],
    ['an index that began late', 60],
  ] as const) {
    const seed = RUN_SEED % 1_000_000;
    test(`have prices once they are, in ${name} (seed ${seed})`, async (t) => {
      const scene = await createBackfillScene(t, { seed, blocks: 120, spacing: 20, olderPct });
      const faults = createFaults();
      faults.isNameHidden = () => true;
      const startBlock = olderPct === 100 ? 0 : scene.startBlock;
      const before = scene.start({ faults, startBlock });
      await before.settle();
      await before.indexer.stop();
      const unpriced = pickFigures(await readIndex(scene.store), scene.token);
      assert.ok(unpriced.trades.length > 3);
      assert.ok(unpriced.trades.every(({ priceNative }) => priceNative === null));
      assert.deepEqual(unpriced.price, { native: null, usd: null });
      const after = scene.start({ startBlock });
      await scene.settle(after, [scene.token, WETH]);
      const full = pickFigures(await scene.readFull(), scene.token);
      const late = await readIndex(scene.store);
      assert.deepEqual(pickFigures(late, scene.token), full);
      // A pool is valued when it next changes: the coin's price of its last change is not kept.
      const differences = await listDifferences(scene, after);
      assert.deepEqual(
        differences.filter((line) => !line.includes('liquidityUsdE18')),
        [],
      );
    });
  }
});
