// The feed between processes, on a real PostgreSQL: the feed's suite, and what only it must do.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { serializeCommit } from '../../src/live/encode-batch.ts';
import type { FeedBatch } from '../../src/live/feed.ts';
import { SharedFeed } from '../../src/live/shared-feed.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { buildBatch, describeFeed } from '../conformance/describe-feed.ts';
import { buildTrade, toAddress } from '../conformance/store-samples.ts';
import { createTestDatabase } from '../postgres.ts';
import type { Cleanup } from '../start-service-process.ts';
import { waitUntil } from '../wait-until.ts';

interface Scene {
  readonly store: Store;
  /** Commits a batch as another process does; its epoch is the chain's from now on. */
  commit(batch: FeedBatch): Promise<void>;
  openFeed(node?: string): { readonly feed: SharedFeed; readonly errors: unknown[] };
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

async function createScene(): Promise<Scene> {
  const database = await createTestDatabase();
  const store = await createPostgresStore({ url: database.url });
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  const market = new Map<ChainSlug, Store['market']>();
  const feeds: SharedFeed[] = [];
  const openMarket = async (chain: ChainSlug) => {
    const wanted = { holder: 'other', lifeMs: 600_000 };
    const lease = (await store.leases?.take(chain, wanted)) ?? assert.fail();
    return store.market.fence(lease);
  };
  return {
    store,
    commit: async (batch) => {
      const { chain, epoch, version } = batch;
      const fenced = market.get(chain) ?? (await openMarket(chain));
      market.set(chain, fenced);
      await admin.query(
        `INSERT INTO chain_epochs (chain, epoch, forgotten_version) VALUES ($1, $2, 0)
          ON CONFLICT (chain) DO UPDATE SET epoch = excluded.epoch`,
        [chain, epoch],
      );
      const { isRollback, readTrades, readReverted, ...rest } = batch;
      const reverted = isRollback ? { reverted: { trades: readReverted() } } : {};
      const body = serializeCommit({ ...rest, trades: readTrades(), ...reverted });
      await fenced.transaction(chain, (one) => one.putFeedRow(() => ({ epoch, version, body })));
    },
    openFeed: (node = 'this') => {
      const errors: unknown[] = [];
      const source = store.feed ?? assert.fail();
      const feed = new SharedFeed({ source, node, onError: (error) => errors.push(error) });
      feeds.push(feed);
      return { feed, errors };
    },
    run: async (sql) => void (await admin.query(sql)),
    close: async () => {
      await Promise.all(feeds.map((feed) => feed.close()));
      await admin.end();
      await store.close();
      await database.drop();
    },
  };
}

/** Closed after the test, also one that fails: open connections would keep the process alive. */
async function openScene(t: Cleanup): Promise<Scene> {
  const scene = await createScene();
  t.after(() => scene.close());
  return scene;
}

/** Until the connection that listens is there: what was committed before it is not heard. */
async function untilListening(scene: Scene): Promise<void> {
  const probe = Promise.withResolvers<void>();
  const end = scene.store.feed?.listen(() => probe.resolve());
  const timer = setInterval(() => {
    void scene.run("SELECT pg_notify('mintwire_feed', 'solana 1 probe')");
  }, 10);
  await probe.promise;
  clearInterval(timer);
  await end?.();
}

function listenTo(feed: SharedFeed): string[] {
  const log: string[] = [];
  feed.subscribe({
    onBatch: ({ chain, epoch, version }) => log.push(`${chain} ${epoch} ${version}`),
    onGap: (chain) => log.push(`${chain} gap`),
  });
  return log;
}

describeFeed('feed between processes', async () => {
  const scene = await createScene();
  const { feed, errors } = scene.openFeed();
  let last: Promise<void> = untilListening(scene);
  const [sent, heard] = [new Map<ChainSlug, number>(), new Map<ChainSlug, number>()];
  feed.subscribe({
    onBatch: ({ chain, version }) => heard.set(chain, version),
    onGap: () => undefined,
  });
  return {
    subscriber: feed,
    publisher: {
      publish: (batch) => {
        sent.set(batch.chain, batch.version);
        last = last.then(() => scene.commit(batch));
      },
    },
    settle: async () => {
      await last;
      await waitUntil(() => [...sent].every(([chain, version]) => heard.get(chain) === version));
    },
    errors,
    close: async () => {
      await last;
      await scene.close();
    },
  };
});

describe('a process that was cut off', () => {
  it('gets every commit that it missed, in order and without a gap', async (t) => {
    const scene = await openScene(t);
    const { feed } = scene.openFeed();
    const log = listenTo(feed);
    await feed.catchUp('devnet', 0);
    for (let version = 1; version <= 45; version += 1) await scene.commit(buildBatch(version));
    await feed.catchUp('devnet', 0);
    const expected = Array.from({ length: 45 }, (_, index) => `devnet first ${index + 1}`);
    assert.deepEqual(log, ['devnet gap', ...expected]);
    await scene.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mintwire signals' AND datname = current_database()",
    );
    await scene.commit(buildBatch(46));
    await feed.catchUp('devnet', 0);
    await waitUntil(() => log.length >= 47);
    assert.deepEqual(log.slice(46), ['devnet first 46']);
  });

  it('is told of a gap if they are no longer kept; old ones are deleted with new commits', async (t) => {
    const scene = await openScene(t);
    const { feed } = scene.openFeed();
    const log = listenTo(feed);
    await scene.commit(buildBatch(1));
    await feed.catchUp('devnet', 0);
    for (const version of [2, 3]) await scene.commit(buildBatch(version));
    await feed.close();
    const { feed: late } = scene.openFeed();
    const lateLog = listenTo(late);
    await late.catchUp('devnet', 1);
    await scene.run("UPDATE feed_batches SET written_at = written_at - interval '1 hour'");
    await scene.commit(buildBatch(50));
    await late.catchUp('devnet', 1);
    assert.equal(log[1], 'devnet first 1');
    assert.deepEqual(lateLog.slice(1), [
      'devnet first 2',
      'devnet first 3',
      'devnet gap',
      'devnet first 50',
    ]);
    const page = { countMax: 99, bytesMax: 1e9 };
    const rows = await scene.store.feed?.readBatches('devnet', { epoch: null, version: 0 }, page);
    assert.equal(rows?.length, 1);
  });

  it('follows an index that was begun again, from its first commit', async (t) => {
    const scene = await openScene(t);
    const { feed } = scene.openFeed();
    const log = listenTo(feed);
    await feed.catchUp('devnet', 0);
    for (const version of [1, 2, 3]) await scene.commit(buildBatch(version));
    await feed.catchUp('devnet', 0);
    for (const version of [1, 2]) await scene.commit(buildBatch(version, { epoch: 'second' }));
    await feed.catchUp('devnet', 0);
    assert.deepEqual(log.slice(4), ['devnet gap', 'devnet second 1', 'devnet second 2']);
  });
});

describe('a process that has had no commit yet', () => {
  it('follows an index that was begun again after it started', async (t) => {
    const scene = await openScene(t);
    // Before the feed is opened, which may otherwise hear of it.
    await scene.commit(buildBatch(7));
    const { feed } = scene.openFeed();
    const log = listenTo(feed);
    await feed.catchUp('devnet', 7);
    await scene.commit(buildBatch(1, { epoch: 'second' }));
    await feed.catchUp('devnet', 0);
    assert.deepEqual(log, ['devnet gap', 'devnet second 1']);
  });
});

describe('a commit of final blocks with many trades', () => {
  it('takes no room for them in the feed, and brings all of them and no others', async (t) => {
    const scene = await openScene(t);
    const trades = Array.from({ length: 300 }, (_, index) =>
      buildTrade({ block: 5 + (index % 3), logIndex: index, token: toAddress(1 + (index % 2)) }),
    ).sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
    const token = toAddress(3);
    await scene.store.market.transaction('devnet', async (one) => {
      await one.insertTrades(trades);
      // Of blocks before and after, and of a token whose past was filled in later.
      await one.insertTrades([4, 8].map((block) => buildTrade({ block })));
      await one.insertTrades([buildTrade({ block: 6, logIndex: 900, token })]);
    });
    const plain = buildBatch(1);
    const batch = {
      ...{ ...plain, fromBlock: 5, toBlock: 7, tokens: [toAddress(1), toAddress(2)] },
      checkpoint: { ...plain.checkpoint, block: 7, finalizedBlock: 7 },
      readTrades: () => trades,
    };
    await scene.commit(batch);
    const page = { countMax: 1, bytesMax: 1 };
    const [body] =
      (await scene.store.feed?.readBatches('devnet', { epoch: null, version: 0 }, page)) ?? [];
    assert.ok((body?.length ?? 0) < 5000, 'a small row');
    const { feed, errors } = scene.openFeed();
    const heard: FeedBatch[] = [];
    feed.subscribe({ onBatch: (one) => heard.push(one), onGap: () => undefined });
    await feed.catchUp('devnet', 0);
    assert.deepEqual(heard[0]?.readTrades(), trades);
    assert.deepEqual([heard[0]?.notices, heard[0]?.isRollback], [plain.notices, false]);
    assert.deepEqual(errors, []);
  });
});

describe('a page of commits', () => {
  it('ends where it has enough bytes, and has one commit at least; all of them are read', async (t) => {
    const scene = await openScene(t);
    for (const version of [1, 2, 3]) await scene.commit(buildBatch(version));
    const read = async (bytesMax: number) => {
      const page = { countMax: 99, bytesMax };
      return (
        (await scene.store.feed?.readBatches('devnet', { epoch: null, version: 0 }, page)) ?? []
      );
    };
    const [first = ''] = await read(1);
    const counts = [1, first.length, first.length + 1, 1e9].map(async (bytes) => {
      return (await read(bytes)).length;
    });
    assert.deepEqual(await Promise.all(counts), [1, 1, 2, 3]);
    await scene.run("UPDATE feed_batches SET body = body || repeat(' ', 5000000)");
    const { feed } = scene.openFeed();
    const log = listenTo(feed);
    await feed.catchUp('devnet', 0);
    assert.deepEqual(log.slice(1), ['devnet first 1', 'devnet first 2', 'devnet first 3']);
  });
});

describe('the process that indexes', () => {
  it('delivers its commits at once, after those of the process before it', async (t) => {
    const scene = await openScene(t);
    const { feed } = scene.openFeed('other');
    const log = listenTo(feed);
    await feed.catchUp('devnet', 0);
    for (const version of [1, 2]) await scene.commit(buildBatch(version));
    // It has not heard of the two before.
    await scene.commit(buildBatch(3));
    feed.publish(buildBatch(3));
    await waitUntil(() => log.length >= 4);
    assert.deepEqual(log.slice(1), ['devnet first 1', 'devnet first 2', 'devnet first 3']);
    feed.publish(buildBatch(4));
    assert.equal(log.at(-1), 'devnet first 4', 'without a read');
  });
});
