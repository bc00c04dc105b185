// Trades are found by their block, whatever the chain's times are.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { buildSwapEvent, createPool } from '../../../test/fakes/index-events.ts';
import { setReserves } from '../../../test/fakes/pool-events.ts';
import { createMarketScene, type MarketScene } from '../../../test/market-scene.ts';
import { poolId, transactionId } from '../../../test/test-ids.ts';
import { ChainRegistry } from '../../model/chain-registry.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { createGetTradeStatus } from './create-get-trade-status.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';

/** GET /trade/status of the transaction with these trades, on a node that has mined it. */
function readStatus({ store, chain }: MarketScene, trades: readonly TradeRecord[]) {
  const [{ txHash, block }] = trades as [TradeRecord];
  const node = {
    readTransaction: async () => ({
      ...{ state: 'mined', isReverted: false, block: chain.header(block)! },
      poolCandidates: trades.map(({ pool }) => pool),
      changes: [],
    }),
  };
  const transactionIds = { parse: (text: string) => text };
  const getStatus = createGetTradeStatus({
    chains: { known: new ChainRegistry(), list: () => ['devnet'], find: () => null },
    builders: { find: () => node, findFamily: () => ({ transactionIds }) } as never,
    store: store.market,
    ...{ waits: {} as never, readVersion: () => 0 },
  });
  return getStatus({ chain: 'devnet', txHash, waitMs: 0 }, {} as never);
}

describe('readTransactionTrades', () => {
  it('finds every trade of every transaction even if block times step back', async (t) => {
    const uneven = { clock: 'wild', gaps: true } as const;
    const options = { seed: 12, finalityDepth: 30, blocks: 300, ...uneven };
    const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
    const { store, chain } = scene;
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
      const listPlaces = (rows: readonly TradeRecord[]) =>
        rows.map(({ token, logIndex, index }) => `${index} ${logIndex} ${token}`).sort();
      assert.deepEqual(listPlaces(found), listPlaces(expected));
      const status = await readStatus(scene, expected);
      assert.equal(status.status, block <= chain.finalized ? 'finalized' : 'confirmed');
      assert.equal(status.block, block);
      const ids = new Set(expected.map((one) => `devnet:${txHash}:${one.index}`));
      assert.deepEqual(new Set(status.tradeIds), ids);
    }
  });

  it('reads a block with more trades of a token than a page holds', async (t) => {
    const options = { seed: 3, finalityDepth: 5, blocks: 3, eventCountMax: 0 };
    const scene = await createMarketScene(t, { engine: 'sqlite', ...options });
    const pool = poolId(buildFakeAddress('dddd', 77));
    const tokens = [buildFakeAddress('aaaa', 18), buildFakeAddress('eeee', 5)] as const;
    const swaps = Array.from({ length: 450 }, (_, logIndex) =>
      buildSwapEvent(pool, [10n ** 18n, -(10n ** 15n)], {
        txHash: transactionId(`0x${logIndex % 3}`),
        logIndex,
      }),
    );
    const created = [createPool(pool, tokens), setReserves(pool, 10n ** 24n, 10n ** 21n)];
    scene.chain.extend(1, [...created, ...swaps]);
    scene.chain.extend(1, [
      buildSwapEvent(pool, [10n ** 18n, -(10n ** 15n)], { txHash: transactionId('0x2') }),
    ]);
    await scene.settle();
    const block = scene.chain.headerBelow(1);
    const wanted = {
      txHash: transactionId('0x2'),
      block,
      poolCandidates: [pool, poolId('0xnone')],
    };
    const found = await readTransactionTrades(scene.store.market, 'devnet', wanted);
    assert.deepEqual(
      found.map(({ logIndex }) => logIndex),
      Array.from({ length: 150 }, (_, index) => index * 3 + 2),
    );
  });
});
