// What every feed must do, as one suite. A new implementation must pass it.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { decodeBatch, encodeBatch } from '../../src/live/encode-batch.ts';
import type { Feed, FeedBatch, FeedListener } from '../../src/live/feed.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import type { TokenNotice } from '../../src/model/token-notice.ts';
import { poolId } from '../test-ids.ts';
import { buildCheckpoint, buildTrade, toAddress } from './store-samples.ts';

export interface FeedUnderTest {
  /** Where an indexer publishes. */
  readonly publisher: Pick<Feed, 'publish'>;
  /** Where a node listens; the same feed if there is only one process. */
  readonly subscriber: Feed;
  /** Resolves when everything published has been received. */
  settle(): Promise<void>;
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

function buildNotice(version: number): TokenNotice {
  return { kind: 'event', token: toAddress(version), topics: ['0x99'], isAdmin: true };
}

export function buildBatch(
  version: number,
  part: { chain?: ChainSlug; epoch?: string; reverts?: boolean } = {},
): FeedBatch {
  return decodeBatch(
    encodeBatch({
      chain: part.chain ?? 'devnet',
      epoch: part.epoch ?? 'first',
      version,
      fromBlock: version,
      toBlock: version,
      checkpoint: buildCheckpoint(version),
      trades: [buildTrade({ block: version, amountRaw: 2n ** 200n + BigInt(version) })],
      ...(part.reverts ? { reverted: { trades: [buildTrade({ block: version + 1 })] } } : {}),
      tokens: [toAddress(version)],
      pools: [poolId(toAddress(500))],
      listed: [],
      complete: true,
      notices: part.reverts ? null : [buildNotice(version)],
    }),
  );
}

interface Heard extends FeedListener {
  readonly log: string[];
  readonly batches: FeedBatch[];
}

function createListener(): Heard {
  const log: string[] = [];
  const batches: FeedBatch[] = [];
  return {
    log,
    batches,
    onBatch: (batch) => {
      log.push(`${batch.chain} ${batch.version}`);
      batches.push(batch);
    },
    onGap: (chain) => log.push(`${chain} gap`),
  };
}

export function describeFeed(name: string, create: () => Promise<FeedUnderTest>): void {
  describe(name, () => {
    let feed: FeedUnderTest;
    beforeEach(async () => {
      feed = await create();
    });
    afterEach(() => feed.close());
    itKeepsOrder(() => feed);
    itReportsGaps(() => feed);
    itCarriesEverything(() => feed);
    itKeepsListenersApart(() => feed);
  });
}

function itKeepsOrder(get: () => FeedUnderTest): void {
  it('delivers every batch once and in order, each chain separately', async () => {
    const listener = createListener();
    get().subscriber.subscribe(listener);
    for (const version of [1, 2, 3]) {
      get().publisher.publish(buildBatch(version));
      get().publisher.publish(buildBatch(version + 10, { chain: 'base' }));
    }
    await get().settle();
    const of = (chain: string) => listener.log.filter((line) => line.startsWith(chain));
    assert.deepEqual(of('devnet'), ['devnet gap', 'devnet 1', 'devnet 2', 'devnet 3']);
    assert.deepEqual(of('base'), ['base gap', 'base 11', 'base 12', 'base 13']);
  });

  it('drops batches that it has delivered before', async () => {
    const listener = createListener();
    get().subscriber.subscribe(listener);
    for (const version of [5, 6, 6, 5, 7]) get().publisher.publish(buildBatch(version));
    await get().settle();
    assert.deepEqual(listener.log, ['devnet gap', 'devnet 5', 'devnet 6', 'devnet 7']);
  });
}

function itReportsGaps(get: () => FeedUnderTest): void {
  it('reports missing batches before the next one', async () => {
    const listener = createListener();
    get().subscriber.subscribe(listener);
    for (const version of [1, 2, 5, 6]) get().publisher.publish(buildBatch(version));
    await get().settle();
    assert.deepEqual(listener.log.slice(1), [
      'devnet 1',
      'devnet 2',
      'devnet gap',
      'devnet 5',
      'devnet 6',
    ]);
  });
}

function itCarriesEverything(get: () => FeedUnderTest): void {
  it('carries trades, reverted trades and checkpoints to the last unit', async () => {
    const listener = createListener();
    get().subscriber.subscribe(listener);
    get().publisher.publish(buildBatch(1));
    get().publisher.publish(buildBatch(2, { reverts: true }));
    await get().settle();
    const [first, second] = listener.batches;
    assert.deepEqual(first?.checkpoint, buildCheckpoint(1));
    assert.deepEqual(first?.readTrades(), [buildTrade({ block: 1, amountRaw: 2n ** 200n + 1n })]);
    assert.equal(first?.isRollback, false);
    assert.deepEqual(first?.readReverted(), []);
    assert.equal(second?.isRollback, true);
    assert.deepEqual(second?.readReverted(), [buildTrade({ block: 3 })]);
    assert.deepEqual(second?.tokens, [toAddress(2)]);
    assert.deepEqual([first?.notices, second?.notices], [[buildNotice(1)], null]);
    assert.deepEqual(second?.pools, [toAddress(500)]);
  });
}

function itKeepsListenersApart(get: () => FeedUnderTest): void {
  it('still notifies the others if one listener throws, and stops when it is unsubscribed', async () => {
    const [first, second] = [createListener(), createListener()];
    const { subscriber } = get();
    subscriber.subscribe({
      onBatch: () => {
        throw new Error('mine');
      },
      onGap: () => undefined,
    });
    const end = subscriber.subscribe(first);
    subscriber.subscribe(second);
    get().publisher.publish(buildBatch(1));
    await get().settle();
    end();
    get().publisher.publish(buildBatch(2));
    await get().settle();
    assert.deepEqual(first.log, ['devnet gap', 'devnet 1']);
    assert.deepEqual(second.log, ['devnet gap', 'devnet 1', 'devnet 2']);
    assert.equal(get().errors.length, 2);
  });
}
