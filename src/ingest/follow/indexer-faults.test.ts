// Sources and stores that fail, lag and lie: nothing is lost, duplicated or rolled back without
// cause.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { type CommitFault, createFailingStore } from '../../../test/fakes/failing-store.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { createFaults } from '../../../test/fakes/fake-faults.ts';
import { type IndexedChain, readIndex, startIndexer } from '../../../test/fakes/indexed-chain.ts';
import type { MarketStore } from '../../store/store.ts';
import type { CommittedEvent } from '../commit/commit-batch.ts';

async function withStore<T>(work: (store: MarketStore) => Promise<T>): Promise<T> {
  const place = await createSqlitePlace();
  const store = await place.open();
  try {
    return await work(store.market);
  } finally {
    await store.close();
    await place.remove();
  }
}

function indexAfresh(chain: FakeChain, startBlock = 0) {
  return withStore(async (store) => {
    const { indexer, settle } = startIndexer(chain, store, { startBlock });
    await settle();
    await indexer.stop();
    return await readIndex(store);
  });
}

async function pass(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await setImmediate();
}

/** Waits until the indexer has polled the chain often enough to react. */
async function waitFor(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not come to that');
    await setImmediate();
  }
}

/** The trades of a listener that received every event and nothing else. */
function replay(events: readonly CommittedEvent[]): string[] {
  const trades = new Set<string>();
  let version = 0;
  for (const event of events) {
    version += 1;
    assert.equal(event.version, version);
    for (const trade of event.reverted?.trades ?? []) {
      assert.ok(trades.delete(`${trade.block} ${trade.logIndex} ${trade.token}`));
    }
    for (const trade of event.trades) {
      const key = `${trade.block} ${trade.logIndex} ${trade.token}`;
      assert.ok(!trades.has(key));
      trades.add(key);
    }
  }
  return [...trades].sort();
}

async function live(chain: FakeChain, indexed: IndexedChain, random: () => number): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const depth = 1 + Math.floor(random() * 6);
    if (random() < 0.6) chain.extend(1 + Math.floor(random() * 4));
    else chain.reorganise(depth, depth + 1);
    await pass(Math.floor(random() * 40));
  }
  await indexed.settle();
  await indexed.indexer.stop();
}

async function assertSame(store: MarketStore, chain: FakeChain, events: readonly CommittedEvent[]) {
  const index = await readIndex(store);
  assert.deepEqual(index, await indexAfresh(chain));
  assert.deepEqual(
    replay(events),
    index.trades.map((trade) => `${trade.block} ${trade.logIndex} ${trade.token}`).sort(),
  );
}

describe('a source', () => {
  for (let seed = 1; seed <= 4; seed += 1) {
    it(`that fails every third request loses nothing, seed ${seed}`, async () => {
      const random = createRandom(seed);
      const chain = new FakeChain({ seed, finalityDepth: 8, gaps: seed % 2 === 1 });
      chain.extend(30);
      await withStore(async (store) => {
        const faults = createFaults();
        faults.beforeRequest = (method) => {
          if (random() < 0.33) throw new Error(`${method} timed out`);
        };
        const indexed = startIndexer(chain, store, { faults });
        await live(chain, indexed, random);
        assert.ok(indexed.warnings.some((warning) => warning.includes('timed out')));
        await assertSame(store, chain, indexed.events);
      });
    });
  }

  it('that is down is logged once, and once when it is back', async () => {
    const chain = new FakeChain({ seed: 9, finalityDepth: 8 });
    chain.extend(30);
    await withStore(async (store) => {
      const lines: string[] = [];
      const log = {
        info: (_: object, message: string) => lines.push(message),
        warn: (_: object, message: string) => lines.push(message),
      };
      const faults = createFaults();
      const { indexer, settle } = startIndexer(chain, store, { faults, log });
      await settle();
      let failed = 0;
      const failAll = (until: number) => {
        faults.beforeRequest = (method) => {
          if (failed >= until) return;
          failed += 1;
          // As when some requests wait for the endpoints that others tried.
          throw new Error(failed % 3 === 0 ? 'all are cooling down' : `no answer: ${method}`);
        };
        return waitFor(() => failed >= until);
      };
      for (const until of [20, 40]) {
        await failAll(until);
        chain.extend(2);
        await settle();
      }
      await indexer.stop();
      const told = lines.filter((line) => line.startsWith('indexing'));
      const outage = ['indexing failed', 'indexing failed', 'indexing works again'];
      assert.deepEqual(told, [...outage, ...outage]);
    });
  });

  it('that is behind us causes no rollback, and is reported as stalled', async () => {
    const chain = new FakeChain({ seed: 5, finalityDepth: 10 });
    chain.extend(30);
    await withStore(async (store) => {
      const indexed = startIndexer(chain, store);
      await indexed.settle();
      assert.equal(indexed.indexer.status().state, 'following');
      indexed.adapter.faults.lag = 7;
      await waitFor(() => indexed.indexer.status().state === 'stalled');
      assert.equal((await store.readCheckpoint('devnet'))?.block, chain.head.position);
      chain.extend(3);
      indexed.adapter.faults.lag = 0;
      await indexed.settle();
      assert.equal(indexed.indexer.status().state, 'following');
      await indexed.indexer.stop();
      assert.ok(indexed.events.every(({ reverted }) => reverted === undefined));
      await assertSame(store, chain, indexed.events);
    });
  });

  it('that keeps within its budget is late, and not told as stalled', async () => {
    const chain = new FakeChain({ seed: 5, finalityDepth: 10 });
    chain.extend(30);
    await withStore(async (store) => {
      const indexed = startIndexer(chain, store, { headStallAfterMs: 60_000 });
      await indexed.settle();
      const counts = { endpoints: [], poolsIgnored: 0, repliesRefused: 0, limitations: [] };
      const slowed = 'slowed down to keep within 100 credits a day';
      Object.assign(indexed.adapter, { status: () => ({ ...counts, slowed }) });
      indexed.adapter.faults.lag = 7;
      const lateMs = indexed.indexer.status().lagMs ?? 0;
      await waitFor(() => (indexed.indexer.status().lagMs ?? 0) > lateMs + 600_000);
      assert.equal(indexed.indexer.status().state, 'following');
      await indexed.indexer.stop();
    });
  });

  it('that was reset and mines another branch causes an ordinary reorganisation', async () => {
    const chain = new FakeChain({ seed: 6, finalityDepth: 12 });
    chain.extend(40);
    await withStore(async (store) => {
      const indexed = startIndexer(chain, store);
      await indexed.settle();
      chain.setBack(9);
      await pass(50);
      assert.ok(indexed.events.every(({ reverted }) => reverted === undefined));
      chain.extend(11);
      await indexed.settle();
      await indexed.indexer.stop();
      const reverted = indexed.events.filter((event) => event.reverted !== undefined);
      assert.deepEqual(
        reverted.map(({ toBlock }) => toBlock),
        [31],
      );
      await assertSame(store, chain, indexed.events);
    });
  });

  it('of another chain is rejected, and the right one is used again', async () => {
    const chain = new FakeChain({ seed: 7, finalityDepth: 5 });
    chain.extend(20);
    const other = new FakeChain({ seed: 8, finalityDepth: 5 });
    other.extend(22);
    await withStore(async (store) => {
      const indexed = startIndexer(chain, store);
      await indexed.settle();
      const before = await readIndex(store);
      indexed.adapter.source = other;
      await waitFor(() => indexed.indexer.status().state === 'failed');
      assert.match(indexed.indexer.status().error ?? '', /which was final/);
      other.extend(30);
      await pass(100);
      assert.equal(indexed.indexer.status().state, 'failed');
      assert.deepEqual(await readIndex(store), before);
      indexed.adapter.source = chain;
      chain.extend(2);
      await indexed.settle();
      await waitFor(() => indexed.indexer.status().state === 'following');
      assert.equal(indexed.indexer.status().error, undefined);
      await indexed.indexer.stop();
      await assertSame(store, chain, indexed.events);
    });
  });

  for (const [name, spoil] of [
    ['whose branch does not link', { toHeader: 'parent' }],
    ['that other endpoints contradict', { agrees: false }],
  ] as const) {
    it(`${name} is not believed`, async () => {
      const chain = new FakeChain({ seed: 9, finalityDepth: 10 });
      chain.extend(20);
      await withStore(async (store) => {
        const indexed = startIndexer(chain, store);
        await indexed.settle();
        const before = await readIndex(store);
        const { faults } = indexed.adapter;
        if ('agrees' in spoil) faults.agrees = false;
        const liar = chain.head.position;
        faults.alterHeader = (header) =>
          header.position < liar - 2
            ? header
            : { ...header, hash: `${header.hash}-lie`, parentHash: `0xlie${header.position}` };
        chain.extend(2);
        await waitFor(() => indexed.indexer.status().state === 'failed');
        assert.deepEqual(await readIndex(store), before);
        faults.agrees = true;
        faults.alterHeader = (header) => header;
        await indexed.settle();
        await indexed.indexer.stop();
        assert.ok(indexed.events.every(({ reverted }) => reverted === undefined));
        await assertSame(store, chain, indexed.events);
      });
    });
  }

  it('that cannot read supplies delays no blocks; they are read later', async () => {
    const chain = new FakeChain({ seed: 10, finalityDepth: 5 });
    chain.extend(20);
    await withStore(async (store) => {
      const faults = createFaults();
      faults.beforeRequest = (method) => {
        if (method === 'readSupplies') throw new Error('missing trie node');
      };
      const indexed = startIndexer(chain, store, { faults });
      await waitFor(() => indexed.indexer.status().block === chain.head.position);
      chain.extend(5);
      await waitFor(() => indexed.indexer.status().block === chain.head.position);
      await waitFor(() =>
        indexed.warnings.includes('supplies could not be read supplies at block 25'),
      );
      assert.equal(indexed.indexer.status().error, undefined);
      const unasked = (await readIndex(store)).tokens.every(({ supplyRaw }) => supplyRaw === null);
      assert.ok(unasked);
      faults.beforeRequest = () => undefined;
      await indexed.settle();
      await indexed.indexer.stop();
      await assertSame(store, chain, indexed.events);
    });
  });
});

describe('a store', () => {
  for (let seed = 1; seed <= 4; seed += 1) {
    it(`that fails before or after its commits doubles nothing, seed ${seed}`, async () => {
      const random = createRandom(seed + 100);
      const chain = new FakeChain({ seed, finalityDepth: 8, gaps: seed % 2 === 1 });
      chain.extend(30);
      await withStore(async (store) => {
        const faults: CommitFault[] = ['before', 'after', null, null];
        const failing = createFailingStore(store, () => faults[Math.floor(random() * 4)] ?? null);
        const indexed = startIndexer(chain, failing);
        await live(chain, indexed, random);
        assert.ok(indexed.warnings.includes('indexing failed the disk is full'));
        assert.ok(indexed.warnings.includes('indexing failed the connection was lost'));
        await assertSame(store, chain, indexed.events);
      });
    });
  }

  it('that another indexer writes to is not overwritten', async () => {
    const chain = new FakeChain({ seed: 12, finalityDepth: 5 });
    chain.extend(25);
    await withStore(async (store) => {
      const one = startIndexer(chain, store);
      const two = startIndexer(chain, store);
      for (let round = 0; round < 8; round += 1) {
        chain.extend(2);
        await pass(20);
      }
      await one.settle();
      await one.indexer.stop();
      await two.indexer.stop();
      assert.deepEqual(await readIndex(store), await indexAfresh(chain));
    });
  });
});

describe('an indexer', () => {
  it('that applies a long batch in parts stores what short batches do', async () => {
    const chain = new FakeChain({ seed: 9, finalityDepth: 3 });
    chain.extend(400);
    await withStore(async (store) => {
      const sizes = { blockCountMax: 5000, eventCountMax: 20_000 };
      const { indexer, adapter, events, settle } = startIndexer(chain, store, { sizes });
      await settle();
      await indexer.stop();
      const range = { fromBlock: 0, toBlock: 397, linked: false, ...sizes };
      const { blocks } = await adapter.readBlocks(range);
      const count = blocks.reduce((sum, block) => sum + block.events.length, 0);
      assert.ok(count > 2000, `${count} events are no long batch`);
      assert.ok((events[0]?.blockCount ?? 0) > 390);
      assert.deepEqual(await readIndex(store), await indexAfresh(chain));
    });
  });

  it('that is stopped at any moment leaves whole batches, and the next one continues', async () => {
    const random = createRandom(77);
    const chain = new FakeChain({ seed: 13, finalityDepth: 9 });
    chain.extend(60);
    await withStore(async (store) => {
      const events: CommittedEvent[] = [];
      for (let life = 0; life < 12; life += 1) {
        const onCommitted = (event: CommittedEvent): void => {
          events.push(event);
        };
        const { indexer } = startIndexer(chain, store, { onCommitted });
        await pass(Math.floor(random() * 60));
        await indexer.stop();
        const checkpoint = await store.readCheckpoint('devnet');
        assert.equal(checkpoint?.version ?? 0, events.length);
        if (life % 3 === 2) chain.reorganise(4, 6);
      }
      const indexed = startIndexer(chain, store);
      await indexed.settle();
      await indexed.indexer.stop();
      await assertSame(store, chain, [...events, ...indexed.events]);
    });
  });

  it('starts at the given block, with pools that are older than it', async () => {
    const chain = new FakeChain({ seed: 14, finalityDepth: 6 });
    chain.extend(50);
    for (const startBlock of [20, 48]) {
      await withStore(async (store) => {
        const indexed = startIndexer(chain, store, { startBlock });
        await indexed.settle();
        chain.reorganise(2, 4);
        await indexed.settle();
        await indexed.indexer.stop();
        const index = await readIndex(store);
        assert.equal(index.checkpoint?.startBlock, startBlock);
        assert.ok(index.trades.every(({ block }) => block >= startBlock));
        assert.deepEqual(index, await indexAfresh(chain, startBlock));
      });
    }
  });

  it('says what it is doing', async () => {
    const chain = new FakeChain({ seed: 15, finalityDepth: 5 });
    chain.extend(40);
    await withStore(async (store) => {
      const states = new Set<string>();
      const indexed = startIndexer(chain, store, {
        onCommitted: () => states.add(indexed.indexer.status().state),
      });
      assert.equal(indexed.indexer.status().state, 'starting');
      await indexed.settle();
      assert.deepEqual([...states], ['backfilling', 'following']);
      const status = indexed.indexer.status();
      assert.equal(status.head, chain.head.position);
      assert.equal(status.block, chain.head.position);
      assert.equal(status.finalized, chain.finalized);
      assert.equal(status.lagMs, 0);
      indexed.adapter.faults.beforeRequest = () => {
        throw new Error('no answer');
      };
      await waitFor(() => indexed.indexer.status().state === 'failed');
      assert.equal(indexed.indexer.status().error, 'no answer');
      await indexed.indexer.stop();
    });
  });

  it('is stalled when the head of a chain that never rests stands still', async () => {
    const chain = new FakeChain({ seed: 16, finalityDepth: 5 });
    chain.extend(10);
    await withStore(async (store) => {
      const indexed = startIndexer(chain, store, { headStallAfterMs: 300_000 });
      await indexed.settle();
      await waitFor(() => indexed.indexer.status().state === 'stalled');
      assert.equal(indexed.indexer.status().error, undefined);
      chain.extend(1);
      await waitFor(() => indexed.indexer.status().state === 'following');
      await indexed.indexer.stop();
    });
  });
});
