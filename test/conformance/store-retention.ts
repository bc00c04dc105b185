// Conformance: old rows are deleted a bounded number at a time, and nothing else is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CandleRecord,
  STORED_INTERVALS,
  type StoredInterval,
} from '../../src/model/market-record.ts';
import type { OldCandles } from '../../src/store/store.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { buildTrade, toAddress, write } from './store-samples.ts';

const POOL = poolId(toAddress(500));
const TIMES = [1000, 2000, 3000, 4000];

function toCandle(token: number, pool: null | typeof POOL, interval: StoredInterval) {
  return (openTimeMs: number): CandleRecord => ({
    ...{ token: toAddress(token), pool, interval, openTimeMs },
    ...{ volumeRaw: 1n, quoteVolumeNative: '0', quoteVolumeUsd: '0' },
    ...{ trades: 1, buys: 1, sells: 0 },
    ...{ native: null, usd: null, nativeClean: null, usdClean: null },
  });
}

async function collect<T>(scan: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of scan) all.push(...rows);
  return all;
}

export function describeRetention(createPlace: CreatePlace): void {
  describe('old rows', () => {
    const scene = useStore(createPlace);

    it('deletes the oldest trades, no more than asked, none above the block or of another chain', async () => {
      const { market } = scene.store;
      const trades = TIMES.flatMap((timestampMs, index) =>
        [1, 2].map((token) =>
          buildTrade({ token: toAddress(token), block: 10 + index, timestampMs }),
        ),
      );
      await write(scene.store, (transaction) => transaction.insertTrades(trades));
      await market.transaction('base', (transaction) => transaction.insertTrades(trades));
      const readTimes = async () =>
        (await collect(market.scanTrades('devnet'))).map(({ timestampMs }) => timestampMs);
      const old = { beforeMs: 3000, upToBlock: 12, limit: 3 };
      assert.equal(await market.deleteOldTrades('devnet', old), 3);
      assert.deepEqual(await readTimes(), [2000, 3000, 3000, 4000, 4000]);
      assert.equal(await market.deleteOldTrades('devnet', old), 1);
      assert.equal(await market.deleteOldTrades('devnet', old), 0);
      assert.deepEqual(await readTimes(), [3000, 3000, 4000, 4000]);
      const above = { ...old, beforeMs: 9000, limit: 100 };
      assert.equal(await market.deleteOldTrades('devnet', above), 2);
      assert.deepEqual(await readTimes(), [4000, 4000]);
      assert.equal((await collect(market.scanTrades('base'))).length, trades.length);
    });

    it('deletes old candles of every series, some at a time, and keeps those of days', async () => {
      const { market } = scene.store;
      const candles = [1, 2, 3].flatMap((token) =>
        [null, POOL].flatMap((pool) =>
          STORED_INTERVALS.flatMap((interval) => TIMES.map(toCandle(token, pool, interval))),
        ),
      );
      await write(scene.store, (transaction) => transaction.putCandles(candles));
      await market.transaction('base', (transaction) => transaction.putCandles(candles));
      let next: OldCandles['next'] = null;
      let isDone = false;
      let calls = 0;
      let deleted = 0;
      do {
        const old = { beforeMs: 3000, after: next, limit: 1 };
        const done: OldCandles = await market.deleteOldCandles('devnet', old);
        assert.ok(done.deleted <= 1);
        deleted += done.deleted;
        calls += 1;
        ({ next, isDone } = done);
      } while (!isDone);
      assert.equal(deleted, 3 * 2 * 4 * 2);
      assert.ok(calls >= deleted);
      const left = await collect(market.scanCandles('devnet'));
      const toKey = ({ token, pool, interval, openTimeMs }: CandleRecord) =>
        `${token} ${pool} ${interval} ${openTimeMs}`;
      assert.deepEqual(
        left.map(toKey).sort(),
        candles
          .filter(({ interval, openTimeMs }) => interval === '1d' || openTimeMs >= 3000)
          .map(toKey)
          .sort(),
      );
      assert.equal((await collect(market.scanCandles('base'))).length, candles.length);
    });
  });
}
