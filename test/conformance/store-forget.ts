// Conformance: a chain can be deleted completely, without affecting other chains.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MarketScanner } from '../../src/store/store.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { buildCheckpoint, buildHeader, buildTrade, toAddress } from './store-samples.ts';

const BALANCE = { token: toAddress(1), owner: toAddress(2), amountRaw: 3n };

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
      for (const chain of ['base', 'devnet'] as const) {
        await market.transaction(chain, async (transaction) => {
          await transaction.setCheckpoint(buildCheckpoint(1));
          await transaction.putHeaders([buildHeader(1)]);
          await transaction.putBalances([BALANCE]);
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

    it('deletes in steps, goes on after an interruption, and ends once', async () => {
      const { market } = scene.store;
      const balances = Array.from({ length: 12_000 }, (_, index) => ({
        ...{ token: toAddress(1 + (index % 3)), owner: toAddress(1000 + index), amountRaw: 1n },
      }));
      await market.forgetChain('devnet');
      await market.transaction('devnet', async (transaction) => {
        await transaction.setCheckpoint(buildCheckpoint(1));
        await transaction.putBalances(balances);
      });
      const stopped = new Error('stopped');
      const interrupted = market.forgetChain('devnet', (deleted) => {
        if (deleted > 0) throw stopped;
      });
      await assert.rejects(interrupted, stopped);
      assert.equal(await market.readCheckpoint('devnet'), null);
      assert.notEqual(await market.readEpoch('devnet'), null);
      const [left = 0] = await countAll(market, 'devnet');
      assert.ok(left > 0 && left < balances.length, `${left}`);
      const told: number[] = [];
      await Promise.all([
        market.forgetChain('devnet', (deleted) => told.push(deleted)),
        market.forgetChain('devnet'),
      ]);
      assert.deepEqual(await countAll(market, 'devnet'), [0, 0, 0]);
      assert.equal(await market.readEpoch('devnet'), null);
      for (const [at, deleted] of told.entries()) assert.ok(deleted - (told[at - 1] ?? 0) <= 5000);
    });

    it('leaves nothing of a commit that is under way', async () => {
      const { market } = scene.store;
      await market.forgetChain('devnet');
      await market.transaction('devnet', (one) => one.setCheckpoint(buildCheckpoint(1)));
      const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const committing = market.transaction('devnet', async (transaction) => {
        await transaction.setCheckpoint(buildCheckpoint(2));
        await transaction.insertTrades([buildTrade({ block: 2 })]);
        await transaction.putBalances([BALANCE]);
        started.resolve();
        await finish.promise;
      });
      await started.promise;
      const forgetting = market.forgetChain('devnet');
      await new Promise((resolve) => setTimeout(resolve, 200));
      finish.resolve();
      await Promise.all([committing, forgetting]);
      assert.equal(await market.readCheckpoint('devnet'), null);
      assert.deepEqual(await countAll(market, 'devnet'), [0, 0, 0]);
    });
  });
}
