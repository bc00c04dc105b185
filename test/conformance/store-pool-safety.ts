// Conformance: probe results are stored, replaced and deleted with their chain.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PoolSafety } from '../../src/model/pool-safety.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { toAddress } from './store-samples.ts';

const CLEAN = { outBps: 0, inBps: 0, sellable: true };

function buildSafety(number: number, more: Partial<PoolSafety> = {}): PoolSafety {
  return {
    pool: poolId(toAddress(number)),
    token0: toAddress(1),
    token1: toAddress(2),
    side0: CLEAN,
    side1: CLEAN,
    hookFees: null,
    checkedAtMs: 1_790_000_000_000,
    ...more,
  };
}

export function describePoolSafety(createPlace: CreatePlace): void {
  describe('pool safety', () => {
    const scene = useStore(createPlace);

    async function readAll(chain: 'base' | 'devnet' | 'optimism'): Promise<PoolSafety[]> {
      const all: PoolSafety[] = [];
      for await (const rows of scene.store.market.scanPoolSafety(chain)) all.push(...rows);
      return all;
    }

    it('is read as it was written, unknown fields included', async () => {
      const rows = [
        buildSafety(11),
        buildSafety(12, {
          side0: { outBps: 300, inBps: 700.25, sellable: false },
          side1: { outBps: null, inBps: 0.01, sellable: null },
          hookFees: { zeroForOne: 3000, oneForZero: 999_999 },
        }),
      ];
      await scene.store.market.putPoolSafety('devnet', rows);
      assert.deepEqual(await readAll('devnet'), rows);
      assert.deepEqual(await readAll('base'), []);
    });

    it('is replaced by a later probe and deleted with its chain', async () => {
      const later = buildSafety(12, { checkedAtMs: 1_790_000_600_000 });
      await scene.store.market.putPoolSafety('devnet', [later]);
      await scene.store.market.putPoolSafety('base', [buildSafety(12)]);
      assert.deepEqual(await readAll('devnet'), [buildSafety(11), later]);
      await scene.store.market.forgetChain('devnet');
      assert.deepEqual(await readAll('devnet'), []);
      assert.deepEqual(await readAll('base'), [buildSafety(12)]);
    });

    it('goes thirty days after the last probe of the pool, of its own chain alone', async () => {
      const { market } = scene.store;
      const atMs = 1_790_000_000_000;
      await market.putPoolSafety('devnet', [buildSafety(21, { checkedAtMs: atMs })]);
      await market.putPoolSafety('base', [buildSafety(21, { checkedAtMs: atMs })]);
      const later = buildSafety(22, { checkedAtMs: atMs + 30 * 86_400_000 });
      await market.putPoolSafety('devnet', [later]);
      assert.equal((await readAll('devnet')).length, 2);
      const last = buildSafety(23, { checkedAtMs: later.checkedAtMs + 1 });
      await market.putPoolSafety('devnet', [last]);
      assert.deepEqual(await readAll('devnet'), [later, last]);
      assert.equal((await readAll('base')).length, 2);
    });

    it('an empty list changes nothing', async () => {
      await scene.store.market.putPoolSafety('optimism', [buildSafety(13)]);
      await scene.store.market.putPoolSafety('optimism', []);
      assert.deepEqual(await readAll('optimism'), [buildSafety(13)]);
    });
  });
}
