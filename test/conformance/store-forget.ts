// Conformance: a chain can be deleted completely, without affecting other chains.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MarketScanner } from '../../src/store/store.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { buildCheckpoint, buildHeader, buildTrade, toAddress } from './store-samples.ts';

async function countRows(scan: AsyncIterable<readonly unknown[]>): Promise<number> {
  let count = 0;
  for await (const rows of scan) count += rows.length;
  return count;
}

function countAll(scanner: MarketScanner, chain: 'base' | 'devnet'): Promise<number[]> {
  return Promise.all([
    countRows(scanner.scanBalances(chain)),
    countRows(scanner.scanTrades(chain)),
    countRows(scanner.scanTokens(chain)),
  ]);
}

export function describeForget(createPlace: CreatePlace): void {
  describe('forgetting', () => {
    const scene = useStore(createPlace);

    it('removes one chain whole, which can then begin anew', async () => {
      const { market } = scene.store;
      const balance = { token: toAddress(1), owner: toAddress(2), amountRaw: 3n };
      for (const chain of ['base', 'devnet'] as const) {
        await market.transaction(chain, async (transaction) => {
          await transaction.setCheckpoint(buildCheckpoint(1));
          await transaction.putHeaders([buildHeader(1)]);
          await transaction.putBalances([balance]);
          await transaction.insertTrades([buildTrade({ block: 1 })]);
        });
      }
      const before = await countAll(market, 'base');
      await market.forgetChain('devnet');
      assert.equal(await market.readCheckpoint('devnet'), null);
      assert.deepEqual(await market.readHeaders('devnet'), []);
      assert.deepEqual(await countAll(market, 'devnet'), [0, 0, 0]);
      assert.deepEqual(await countAll(market, 'base'), before);
      await market.transaction('devnet', (transaction) =>
        transaction.setCheckpoint(buildCheckpoint(1)),
      );
      assert.equal((await market.readCheckpoint('devnet'))?.version, 1);
    });
  });
}
