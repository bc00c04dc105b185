// Conformance: since when tokens are in scope, and which the operator watches.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScopeEntry } from '../../src/model/scope.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { buildCheckpoint, toAddress, write } from './store-samples.ts';

function buildEntry(token: number, more: Partial<ScopeEntry>): ScopeEntry {
  const fromBlock = more.fromBlock ?? 1;
  return {
    ...{ token: toAddress(token), fromBlock, fromMs: fromBlock * 1000 },
    ...{ leftBlock: null, pool: null },
    ...more,
  };
}

export function describeScope(createPlace: CreatePlace): void {
  describe('scope', () => {
    const scene = useStore(createPlace);

    async function readAll(chain: 'devnet' | 'base' = 'devnet'): Promise<ScopeEntry[]> {
      const entries: ScopeEntry[] = [];
      for await (const rows of scene.store.market.scanScopeEntries(chain)) entries.push(...rows);
      return entries;
    }

    it('keeps entries of each chain, and finds the open ones of some tokens', async () => {
      const open = buildEntry(2, { fromBlock: 30, pool: poolId(toAddress(500)) });
      const entries = [
        buildEntry(1, { fromBlock: 5 }),
        buildEntry(2, { fromBlock: 5, leftBlock: 20 }),
        open,
        buildEntry(3, { fromBlock: 5, leftBlock: 20 }),
      ];
      await write(scene.store, (transaction) => transaction.putScopeEntries(entries));
      const { market } = scene.store;
      await market.transaction('base', (transaction) =>
        transaction.putScopeEntries([buildEntry(9, {})]),
      );
      assert.equal((await readAll()).length, 4);
      const tokens = [2, 3, 9].map(toAddress);
      assert.deepEqual(await market.readScopeEntries('devnet', tokens), [open]);
      assert.equal((await readAll('base')).length, 1);
    });

    it('takes them back with the blocks, and opens again what had left', async () => {
      const undo = (block: number) =>
        write(scene.store, async (transaction) => {
          await transaction.undoAbove(block);
        });
      // A token that block 29 let in has its rows from block 30 on: nothing changes.
      await undo(29);
      const after = await readAll();
      assert.deepEqual(
        after.map(({ token, fromBlock, leftBlock }) => [token, fromBlock, leftBlock]),
        [
          [toAddress(1), 5, null],
          [toAddress(2), 5, 20],
          [toAddress(2), 30, null],
          [toAddress(3), 5, 20],
        ],
      );
      await undo(19);
      assert.deepEqual(
        (await readAll()).map(({ token, fromBlock, leftBlock }) => [token, fromBlock, leftBlock]),
        [1, 2, 3].map((token) => [toAddress(token), 5, null]),
      );
      assert.equal((await readAll('base')).length, 1);
    });
  });
}

export function describeWatches(createPlace: CreatePlace): void {
  describe('watched tokens', () => {
    const scene = useStore(createPlace);

    it('keeps the scope of an index with its checkpoint', async () => {
      const { market } = scene.store;
      for (const [version, scope] of [
        [1, 'watch'],
        [2, 'liquid'],
      ] as const) {
        const checkpoint = { ...buildCheckpoint(version, 10), scope };
        await market.transaction('polygon', (one) => one.setCheckpoint(checkpoint));
        assert.equal((await market.readCheckpoint('polygon'))?.scope, scope);
      }
    });

    it('watches a token once, until it is removed', async () => {
      const { watches } = scene.store;
      const token = toAddress(7);
      assert.equal(await watches.add('devnet', token, 1), true);
      assert.equal(await watches.add('devnet', token, 2), false);
      assert.equal(await watches.add('base', toAddress(8), 2), true);
      assert.deepEqual(await watches.list('devnet'), [token]);
      assert.equal(await watches.remove('devnet', token), true);
      assert.equal(await watches.remove('devnet', token), false);
      assert.deepEqual(await watches.list('devnet'), []);
    });
  });
}
