// Trades are found by their block, whatever the clocks of the chain say.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createPool, swap } from '../../../test/fakes/index-events.ts';
import { setReserves } from '../../../test/fakes/pool-events.ts';
import { createMarketScene } from '../../../test/market-scene.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';

describe('readTransactionTrades', () => {
  it('finds every trade of every transaction where block times step back', async (t) => {
    const options = { seed: 12, finalityDepth: 30, blocks: 300, gaps: true };
    const { store, chain } = await createMarketScene(t, { engine: 'sqlite', ...options });
    const trades: TradeRecord[] = [];
    for await (const rows of store.market.scanTrades('devnet')) trades.push(...rows);
    const late = trades.filter((one) => one.timestampMs > chain.header(one.block)!.timestampMs);
    assert.ok(late.length > 0, 'no trade is stored with a later time than that of its block');

    const toKey = ({ block, txHash }: TradeRecord) => `${block} ${txHash}`;
    for (const [, expected] of Map.groupBy(trades, toKey)) {
      const [{ txHash, block }] = expected as [TradeRecord];
      const found = await readTransactionTrades(store.market, 'devnet', {
        txHash,
        block: chain.header(block)!,
        poolCandidates: expected.map(({ pool }) => pool),
      });
      const toPlaces = (rows: readonly TradeRecord[]) =>
        rows.map(({ token, logIndex, index }) => `${index} ${logIndex} ${token}`).sort();
      assert.deepEqual(toPlaces(found), toPlaces(expected));
    }
  });

  it('reads a block with more trades of a token than a page holds', async (t) => {
    const options = { seed: 3, finalityDepth: 5, blocks: 3, eventCountMax: 0 };
    const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
    const pool = toFakeAddress('dddd', 77);
    const tokens = [toFakeAddress('aaaa', 18), toFakeAddress('eeee', 5)] as const;
    const swaps = Array.from({ length: 450 }, (_, logIndex) =>
      swap(pool, [10n ** 18n, -(10n ** 15n)], { txHash: `0x${logIndex % 3}`, logIndex }),
    );
    const created = [createPool(pool, tokens), setReserves(pool, 10n ** 24n, 10n ** 21n)];
    scene.chain.extend(1, [...created, ...swaps]);
    scene.chain.extend(1, [swap(pool, [10n ** 18n, -(10n ** 15n)], { txHash: '0x2' })]);
    await scene.settle();
    const block = scene.chain.headerBelow(1);
    const wanted = { txHash: '0x2', block, poolCandidates: [pool, '0xnone'] };
    const found = await readTransactionTrades(scene.store.market, 'devnet', wanted);
    assert.deepEqual(
      found.map(({ logIndex }) => logIndex),
      Array.from({ length: 150 }, (_, index) => index * 3 + 2),
    );
  });
});
