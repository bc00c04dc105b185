// Conformance: tokens that were looked up, with their pools, as they were recorded.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DiscoveryRecord } from '../../src/model/discovery.ts';
import type { PoolDescription } from '../../src/model/pool.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { toAddress } from './store-samples.ts';

export function describeDiscoveries(createPlace: CreatePlace): void {
  describe('discoveries', () => {
    const scene = useStore(createPlace);

    it('of undone blocks are removed, those below stay', async () => {
      const { market } = scene.store;
      const [token0, token1] = [toAddress(1), toAddress(2)];
      const vault = toAddress(3);
      const pools: PoolDescription[] = [
        {
          ...{ pool: poolId(vault), kind: 'constantProduct', venue: 'uniswap-v2', token0, token1 },
          ...{ feePips: 3000, vault, terms: null },
        },
        {
          ...{ pool: poolId(`0x${'ab'.repeat(32)}`), kind: 'concentrated', venue: 'uniswap-v4' },
          ...{ token0, token1, feePips: 500, vault },
          terms: { tickSpacing: 10, custody: { kind: 'singleton', hooks: toAddress(4) } },
        },
      ];
      const discoveries: DiscoveryRecord[] = [
        { token: token0, pools, block: 10, version: 3 },
        { token: token1, pools: [], block: 10, version: 3 },
        { token: toAddress(5), pools: [], block: 11, version: 4 },
      ];
      const readAll = async () => {
        const all: DiscoveryRecord[] = [];
        for await (const rows of market.scanDiscoveries('polygon')) all.push(...rows);
        return all;
      };
      await market.transaction('polygon', (transaction) => transaction.putDiscoveries(discoveries));
      assert.deepEqual(await readAll(), discoveries);
      await market.transaction('polygon', (transaction) => transaction.undoAbove(10));
      assert.deepEqual(await readAll(), discoveries.slice(0, 2));
      await market.forgetChain('polygon');
      assert.deepEqual(await readAll(), []);
    });
  });
}
