// Whenever an index was begun, and however often it was interrupted, a token's trades and candles
// are those of an index of the whole chain.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type BackfillScene, createBackfillScene } from '../../../test/backfill-scene.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { readIndex } from '../../../test/fakes/indexed-chain.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { verifyChain } from '../verify/verify-chain.ts';

const STARTS = 4;

type Rows = Awaited<ReturnType<typeof readIndex>>;

/** What an index tells of a token, whatever it knew when. */
function pickFigures(rows: Rows, { token }: BackfillScene) {
  const row = rows.tokens.find((one) => one.token === token);
  return {
    trades: rows.trades.filter((one) => one.token === token),
    candles: rows.candles.filter((one) => one.token === token),
    price: { native: row?.priceNative, usd: row?.priceUsd },
  };
}

describe('the figures of a token', () => {
  for (let count = 0; count < STARTS; count += 1) {
    const seed = (RUN_SEED + count) % 1_000_000;
    test(`are the same from a random start (seed ${seed})`, async (t) => {
      const random = createRandom(seed);
      const blocks = 60 + Math.floor(random() * 120);
      const scene = await createBackfillScene(t, {
        ...{ seed, blocks, spacing: 20 },
        olderPct: 5 + Math.floor(random() * 90),
      });
      for (let lives = Math.floor(random() * 3); lives > 0; lives -= 1) {
        const { indexer } = scene.start();
        indexer.request(scene.token);
        for (let turn = Math.floor(random() * 150); turn > 0; turn -= 1) await setImmediate();
        await indexer.stop();
      }
      const indexed = scene.start();
      await indexed.settle();
      indexed.indexer.request(scene.token);
      await scene.settle(indexed);
      const expected = pickFigures(await scene.readFull(), scene);
      const found = pickFigures(await readIndex(scene.store), scene);
      assert.deepEqual(found.trades, expected.trades);
      assert.deepEqual(found.candles, expected.candles);
      assert.deepEqual(found.price, expected.price);
      const { differences } = await verifyChain({
        ...{ adapter: indexed.adapter, store: scene.store, attemptCountMax: 3 },
        openScratchStore: () => createSqliteStore({ file: ':memory:' }),
        sizes: { blockCountMax: 200, eventCountMax: 5_000 },
        signal: new AbortController().signal,
      });
      assert.deepEqual(differences, []);
    });
  }
});
