// Conformance: what rollbacks removed is kept for readers that saw it, and deleted in time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChainSlug } from '../../src/model/chain.ts';
import type { NewsRecord } from '../../src/model/news.ts';
import type { Store } from '../../src/store/store.ts';
import type { RollbackRecord } from '../../src/store/stream-reads.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { buildCheckpoint, buildTrade, toAddress, toHash } from './store-samples.ts';

const LIMIT = 100;
const T0 = 1_700_000_000_000;

function buildRollback(version: number, block: number, fields: Partial<RollbackRecord> = {}) {
  return {
    version,
    block,
    timestampMs: T0 + block * 1000,
    tipBlock: block + 3,
    tipTimestampMs: T0 + (block + 3) * 1000,
    recordedAtMs: T0 + version,
    ...fields,
  };
}

function begin(store: Store, chain: ChainSlug): Promise<void> {
  return store.market.transaction(chain, (transaction) =>
    transaction.setCheckpoint(buildCheckpoint(1)),
  );
}

export function describeStreams(createPlace: CreatePlace): void {
  describe('streams', () => {
    const scene = useStore(createPlace);
    itKeepsRollbacks(() => scene.store);
    itForgets(() => scene.store);
    itKnowsIndexesApart(() => scene.store);
    itCounts(() => scene.store);
    itKeepsNews(() => scene.store);
  });
}

function itKeepsRollbacks(get: () => Store): void {
  it('keeps rollbacks in order with the trades of each token, chain by chain', async () => {
    const { market } = get();
    await begin(get(), 'base');
    const mine = [5, 6].map((block) => buildTrade({ block, index: block }));
    const other = buildTrade({ block: 6, logIndex: 1, token: toAddress(9) });
    await market.transaction('base', async (transaction) => {
      await transaction.putRollback(buildRollback(7, 4), [...mine, other]);
      await transaction.putRollback(buildRollback(9, 2), [buildTrade({ block: 3 })]);
    });
    const rollbacks = await market.readRollbacks('base', { afterVersion: 0, limit: LIMIT });
    assert.deepEqual(rollbacks, [buildRollback(7, 4), buildRollback(9, 2)]);
    const later = await market.readRollbacks('base', { afterVersion: 7, limit: LIMIT });
    assert.deepEqual(later, [buildRollback(9, 2)]);
    assert.deepEqual(await market.readRollbacks('base', { afterVersion: 0, limit: 1 }), [
      buildRollback(7, 4),
    ]);
    const wanted = { afterVersion: 0, limit: LIMIT };
    const reverted = await market.readRevertedTrades('base', toAddress(1), wanted);
    assert.deepEqual(
      reverted.map(({ version, block, txHash, index }) => [version, block, txHash, index]),
      [
        [7, 5, toHash(5), 5],
        [7, 6, toHash(6), 6],
        [9, 3, toHash(3), 0],
      ],
    );
    assert.equal((await market.readRevertedTrades('base', toAddress(9), wanted)).length, 1);
    assert.deepEqual(
      await market.readRevertedTrades('base', toAddress(1), { afterVersion: 9, limit: LIMIT }),
      [],
    );
    assert.deepEqual(await market.readRollbacks('polygon', wanted), []);
    assert.deepEqual(await market.readRevertedTrades('polygon', toAddress(1), wanted), []);
  });

  it('leaves nothing of a rollback whose transaction fails', async () => {
    const { market } = get();
    const work = market.transaction('base', async (transaction) => {
      await transaction.putRollback(buildRollback(11, 1), [buildTrade({ block: 2 })]);
      throw new Error('mine');
    });
    await assert.rejects(work, /mine/);
    const after = { afterVersion: 9, limit: LIMIT };
    assert.deepEqual(await market.readRollbacks('base', after), []);
    assert.deepEqual(await market.readRevertedTrades('base', toAddress(1), after), []);
  });
}

function itForgets(get: () => Store): void {
  it('forgets rollbacks by their age, and says up to which one', async () => {
    const { market } = get();
    await begin(get(), 'optimism');
    const trade = buildTrade({ block: 3 });
    await market.transaction('optimism', async (transaction) => {
      await transaction.putRollback(buildRollback(3, 2, { recordedAtMs: 1000 }), [trade]);
      await transaction.putRollback(buildRollback(5, 2, { recordedAtMs: 2000 }), [trade]);
    });
    await market.transaction('optimism', (transaction) => transaction.pruneRollbacks(1000));
    assert.equal((await market.readEpoch('optimism'))?.forgottenVersion, 0);
    await market.transaction('optimism', (transaction) => transaction.pruneRollbacks(2000));
    assert.equal((await market.readEpoch('optimism'))?.forgottenVersion, 3);
    const wanted = { afterVersion: 0, limit: LIMIT };
    const versions = (await market.readRollbacks('optimism', wanted)).map((one) => one.version);
    assert.deepEqual(versions, [5]);
    const reverted = await market.readRevertedTrades('optimism', trade.token, wanted);
    assert.deepEqual(
      reverted.map(({ version }) => version),
      [5],
    );
  });
}

function itKnowsIndexesApart(get: () => Store): void {
  it('gives every index of a chain a lasting epoch of its own', async () => {
    const { market } = get();
    assert.equal(await market.readEpoch('bsc'), null);
    await begin(get(), 'bsc');
    const first = await market.readEpoch('bsc');
    assert.match(first?.epoch ?? '', /^[0-9a-f]{16}$/);
    await market.transaction('bsc', async (transaction) => {
      await transaction.setCheckpoint(buildCheckpoint(2));
      await transaction.putRollback(buildRollback(2, 1), [buildTrade({ block: 2 })]);
    });
    assert.deepEqual(await market.readEpoch('bsc'), first);
    await market.forgetChain('bsc');
    assert.equal(await market.readEpoch('bsc'), null);
    const wanted = { afterVersion: 0, limit: LIMIT };
    assert.deepEqual(await market.readRollbacks('bsc', wanted), []);
    assert.deepEqual(await market.readRevertedTrades('bsc', toAddress(1), wanted), []);
    await begin(get(), 'bsc');
    assert.notEqual((await market.readEpoch('bsc'))?.epoch, first?.epoch);
  });
}

function itCounts(get: () => Store): void {
  it('finds and counts the trades after a log, within a block too, as many as asked for', async () => {
    const { market } = get();
    const token = toAddress(1);
    await market.transaction('arbitrum', (transaction) =>
      transaction.insertTrades(
        [1, 2, 3, 4].flatMap((block) =>
          [0, 1].map((logIndex) => buildTrade({ block, logIndex, index: logIndex })),
        ),
      ),
    );
    const find = async (after: { block: number; logIndex: number }, limit = LIMIT) => {
      const wanted = { after, sinceMs: T0 - 1, limit };
      const trades = await market.readTradesAfter('arbitrum', token, wanted);
      assert.equal(await market.countTradesAfter('arbitrum', token, wanted), trades.length);
      return trades.map(({ block, logIndex }) => `${block}:${logIndex}`);
    };
    assert.deepEqual(await find({ block: 2, logIndex: 0 }), ['2:1', '3:0', '3:1', '4:0', '4:1']);
    assert.deepEqual(await find({ block: 2, logIndex: 2 ** 31 }), ['3:0', '3:1', '4:0', '4:1']);
    assert.deepEqual(await find({ block: 4, logIndex: 1 }), []);
    assert.deepEqual(await find({ block: 0, logIndex: 0 }, 3), ['1:0', '1:1', '2:0']);
    const wanted = { after: { block: 0, logIndex: 0 }, sinceMs: T0 + 4000, limit: LIMIT };
    assert.equal(await market.countTradesAfter('arbitrum', token, wanted), 2);
  });
}

const PAST_ALL = { version: 1e9, index: 0 };

function buildNews(version: number, index: number, block: number): NewsRecord {
  const at = { version, index, block, timestampMs: T0 + block * 1000 };
  const kinds = ['pool', 'launch', 'graduation'] as const;
  if (index === 0) return { kind: 'token', token: toAddress(block), ...at };
  return { kind: kinds[index % 3]!, pool: poolId(toAddress(block * 10 + index)), ...at };
}

function itKeepsNews(get: () => Store): void {
  it('keeps news in order, knows which rollback removed them, and deletes the oldest', async () => {
    const { market } = get();
    await begin(get(), 'polygon');
    const news = [2, 3, 4].flatMap((version) =>
      [0, 1, 2, 3].map((index) => buildNews(version, index, version * 10)),
    );
    await market.transaction('polygon', async (transaction) => {
      await transaction.putNews(news);
      await transaction.revertNews({ block: 30, version: 5 });
      await transaction.putNews([buildNews(6, 0, 31)]);
      await transaction.revertNews({ block: 20, version: 7 });
    });
    const after = { after: { version: 2, index: 1 }, limit: LIMIT };
    assert.deepEqual(await market.readNewsAfter('polygon', after), news.slice(2, 4));
    assert.equal(await market.countNewsAfter('polygon', after), 2);
    assert.equal(await market.countNewsAfter('polygon', { ...after, limit: 1 }), 1);
    assert.deepEqual(await market.readNewsAfter('base', after), []);
    const removed = (afterVersion: number, upTo = PAST_ALL) =>
      market.readRevertedNews('polygon', { upTo, afterVersion, limit: LIMIT });
    assert.deepEqual(await removed(0), [...news.slice(4), buildNews(6, 0, 31)]);
    assert.deepEqual(await removed(5), [...news.slice(4, 8), buildNews(6, 0, 31)]);
    assert.deepEqual(await removed(0, { version: 3, index: 2 }), news.slice(4, 7));
    assert.deepEqual(await removed(7), []);
    await market.transaction('polygon', (one) => one.pruneNews(T0 + 20_000));
    assert.equal((await market.readEpoch('polygon'))?.newsForgottenVersion, 0);
    await market.transaction('polygon', (one) => one.pruneNews(T0 + 30_001));
    assert.equal((await market.readEpoch('polygon'))?.newsForgottenVersion, 3);
    assert.deepEqual(await removed(0), [...news.slice(8), buildNews(6, 0, 31)]);
    await market.forgetChain('polygon');
    assert.deepEqual(await removed(0), []);
  });
}
