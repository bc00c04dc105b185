// Conformance: jobs that fill in history, and the balances that they sum up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BackfillRecord } from '../../src/model/backfill.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { toAddress } from './store-samples.ts';

function buildJob(more: Partial<BackfillRecord>): BackfillRecord {
  return {
    ...{ token: toAddress(1), kind: 'trades', status: 'running', requestedAtMs: 5 },
    ...{ fromBlock: 10, fromMs: 1_000, toBlock: 100, toMs: 9_000 },
    ...{ nextBlock: 60, nextMs: 6_000, joinBlock: null, memory: '[]', reason: null },
    ...more,
  };
}

function byKind(a: BackfillRecord, b: BackfillRecord): number {
  return a.kind < b.kind ? 1 : -1;
}

export function describeBackfills(createPlace: CreatePlace): void {
  describe('backfills', () => {
    const scene = useStore(createPlace);

    it('keeps a job as it is, and replaces it', async () => {
      const { market } = scene.store;
      const trades = buildJob({});
      const holders = buildJob({ kind: 'holders', fromBlock: null, fromMs: null, nextMs: null });
      await market.transaction('base', (transaction) =>
        transaction.putBackfills([trades, holders, buildJob({ token: toAddress(2) })]),
      );
      const read = async () => (await market.readBackfills('base', [toAddress(1)])).sort(byKind);
      assert.deepEqual(await read(), [trades, holders]);
      assert.deepEqual(await market.readBackfills('devnet', [toAddress(1)]), []);
      const failed = { ...trades, status: 'failed', reason: 'too much' } as const;
      await market.transaction('base', (transaction) => transaction.putBackfills([failed]));
      assert.deepEqual(await read(), [failed, holders]);
      const all: BackfillRecord[] = [];
      for await (const rows of market.scanBackfills('base')) all.push(...rows);
      assert.equal(all.length, 3);
      await market.transaction('base', (transaction) => transaction.deleteBackfills(toAddress(1)));
      assert.deepEqual(await read(), []);
    });

    it('keeps sums of transfers apart from balances', async () => {
      const { market } = scene.store;
      const token = toAddress(3);
      const build = (owner: number, amountRaw: bigint) => {
        return { token, owner: toAddress(owner), amountRaw };
      };
      const [first, second] = [build(1, 2n ** 256n - 1n), build(2, 7n)];
      await market.transaction('bsc', (transaction) =>
        transaction.putBackfillBalances([first, second]),
      );
      assert.deepEqual(await market.readBackfillBalances('bsc', [first]), [first]);
      assert.deepEqual(await market.readBalances('bsc', [first]), []);
      await market.transaction('bsc', (transaction) =>
        transaction.putBackfillBalances([{ ...first, amountRaw: 0n }]),
      );
      assert.deepEqual(await market.readAllBackfillBalances('bsc', token), [second]);
      await market.transaction('bsc', (transaction) => transaction.deleteBackfillBalances(token));
      assert.deepEqual(await market.readAllBackfillBalances('bsc', token), []);
    });

    it('opens a job again when the block of its join is rolled back', async () => {
      const { market } = scene.store;
      const build = (number: number, joinBlock: number) => {
        const joined = { kind: 'holders', status: 'done', joinBlock } as const;
        return buildJob({ token: toAddress(number), ...joined });
      };
      const [below, above] = [build(4, 10), build(5, 11)];
      await market.transaction('polygon', (transaction) =>
        transaction.putBackfills([below, above]),
      );
      await market.transaction('polygon', (transaction) => transaction.undoAbove(10));
      assert.deepEqual(await market.readBackfills('polygon', [below.token]), [below]);
      assert.deepEqual(await market.readBackfills('polygon', [above.token]), [
        { ...above, status: 'running', joinBlock: null },
      ]);
    });
  });
}
