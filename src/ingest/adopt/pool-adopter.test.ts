// Pools older than the index are adopted: an index that began late ends with the same pools.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  type CreatePlace,
  createPostgresPlace,
  createSqlitePlace,
} from '../../../test/conformance/store-place.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { createFaults } from '../../../test/fakes/fake-faults.ts';
import { type IndexedChain, readIndex, startIndexer } from '../../../test/fakes/indexed-chain.ts';
import { poolId } from '../../../test/test-ids.ts';
import { systemClock } from '../../lib/clock.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../store/store.ts';
import { verifyChain } from '../verify/verify-chain.ts';
import { AdoptionJournal } from './adoption-journal.ts';
import { PoolAdopter } from './pool-adopter.ts';

const ADOPTION = { callsPerMinute: 1_000_000, idleMs: 1 };
const WAIT_MAX_MS = 20_000;

/** Indexers on the store of the test, which end before it is closed. */
const running: IndexedChain[] = [];

function start(...parameters: Parameters<typeof startIndexer>): IndexedChain {
  const indexed = startIndexer(...parameters);
  running.push(indexed);
  return indexed;
}

async function withStore<T>(
  createPlace: CreatePlace,
  work: (store: MarketStore) => Promise<T>,
): Promise<T> {
  const place = await createPlace();
  const store = await place.open();
  try {
    return await work(store.market);
  } finally {
    for (const { indexer } of running.splice(0)) await indexer.stop();
    await store.close();
    await place.remove();
  }
}

async function readPools(store: MarketStore): Promise<PoolRecord[]> {
  const pools: PoolRecord[] = [];
  for await (const rows of store.scanPools('devnet')) pools.push(...rows);
  return pools;
}

async function until(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain: ${what}`);
    await setImmediate();
  }
}

/** Waits until the index is at the head and every pool in it is complete. */
async function settleWhole(indexed: IndexedChain, store: MarketStore): Promise<void> {
  await indexed.settle();
  await until(
    async () => {
      const pools = await readPools(store);
      return pools.every(({ complete }) => complete);
    },
    `adoption: ${JSON.stringify(indexed.indexer.adoption())} ${indexed.warnings.at(-1)}`,
  );
  await indexed.settle();
}

/** The positions' amounts are added in another order, so they round differently. */
function isNear(a: bigint | null, b: bigint | null): boolean {
  if (a === null || b === null) return a === b;
  const difference = a > b ? a - b : b - a;
  return difference <= 1000n + (a > b ? a : b) / 10n ** 9n;
}

/** A pool without fields that depend on when it was found or on rounding. */
function toComparable({ createdBlock, createdAtMs, lastSwapAtMs, ...row }: PoolRecord): object {
  const { liquidityUsdE18: _value, feePips: _fee, ...rest } = row;
  if (rest.kind !== 'concentrated') return rest;
  return { ...rest, state: { ...rest.state, amount0: null, amount1: null } };
}

/** Compares every pool that the late index has, and all of its ticks, with a full index. */
async function assertEqualsFull(chain: FakeChain, late: MarketStore): Promise<number> {
  return await withStore(createSqlitePlace, async (store) => {
    const sizes = { blockCountMax: 1000, eventCountMax: 10_000 };
    const { indexer, settle } = start(chain, store, { sizes });
    await settle();
    await indexer.stop();
    const [full, own] = [await readIndex(store), await readIndex(late)];
    const known = new Map(full.pools.map((row) => [row.pool, row]));
    for (const row of own.pools) {
      const expected = known.get(row.pool) ?? assert.fail(`${row.pool} is unknown`);
      assert.deepEqual(toComparable(row), toComparable(expected));
      if (row.kind !== 'concentrated' || expected.kind !== 'concentrated') continue;
      // The fake market's swaps move no matching amounts, so only the read fields are compared.
      if (row.lastSwapAtMs !== null || expected.lastSwapAtMs !== null) continue;
      assert.ok(isNear(row.state.amount0, expected.state.amount0), row.pool);
      assert.ok(isNear(row.state.amount1, expected.state.amount1), row.pool);
    }
    const met = new Set(own.pools.map(({ pool }) => pool));
    assert.deepEqual(
      own.ticks,
      full.ticks.filter(({ pool }) => met.has(pool)),
    );
    return own.pools.length;
  });
}

async function assertVerified(indexed: IndexedChain, store: MarketStore): Promise<void> {
  const verification = await verifyChain({
    adapter: indexed.adapter,
    store,
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 11, eventCountMax: 100 },
    attemptCountMax: 3,
    signal: new AbortController().signal,
  });
  // The fake market overdraws balances, which a late start may not detect.
  const differences = verification.differences.filter((line) => !line.startsWith('balanceOf'));
  assert.deepEqual(differences, []);
  assert.ok((verification.checked['tick of contract'] ?? 0) > 0);
}

const ENGINES: readonly { name: string; createPlace: CreatePlace; seeds: number }[] = [
  { name: 'sqlite', createPlace: createSqlitePlace, seeds: 8 },
  { name: 'postgres', createPlace: createPostgresPlace, seeds: 2 },
];

for (const { name, createPlace, seeds } of ENGINES) {
  describe(`PoolAdopter on ${name}`, () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      it(`makes a late index equal a full one through reorganisations, seed ${seed}`, async () => {
        const random = createRandom(seed * 104_729);
        const finalityDepth = 2 + Math.floor(random() * 10);
        const gaps = seed % 2 === 1;
        const chain = new FakeChain({ seed, finalityDepth, gaps, seenWhole: true });
        chain.extend(40 + Math.floor(random() * 40));
        const startBlock = chain.headerBelow(Math.floor(random() * 20)).position;
        await withStore(createPlace, async (store) => {
          const faults = createFaults();
          let moves = 40;
          // The chain grows and leaves its branch while pools are being read.
          faults.beforeRequest = (method) => {
            const roll = method === 'readPoolPage' && moves > 0 ? random() : 1;
            if (roll < 0.3) moves -= 1;
            if (roll < 0.2) chain.extend(1);
            else if (roll < 0.3) chain.reorganise(1 + Math.floor(random() * 5), 5);
          };
          const indexed = start(chain, store, { adoption: ADOPTION, startBlock, faults });
          for (let round = 0; round < 8; round += 1) {
            if (random() < 0.5) chain.extend(1 + Math.floor(random() * 6));
            else chain.reorganise(1 + Math.floor(random() * 8), 8);
            const roll = random();
            if (roll < 0.3) await indexed.settle();
            else if (roll < 0.6) await settleWhole(indexed, store);
          }
          await settleWhole(indexed, store);
          await indexed.indexer.stop();
          assert.ok(moves < 40);
          assert.ok((await assertEqualsFull(chain, store)) > 3);
          assert.ok((indexed.indexer.adoption()?.adopted ?? 0) > 0);
          await assertVerified(indexed, store);
        });
      });
    }
  });
}

describe('a reading', () => {
  const SEED = 77;

  function createChain(): { readonly chain: FakeChain; readonly startBlock: number } {
    const chain = new FakeChain({ seed: SEED, finalityDepth: 6, seenWhole: true });
    chain.extend(80);
    const startBlock = chain.headerBelow(25).position;
    return { chain, startBlock };
  }

  it('starts again after the process was killed, and leaves no partial state', async () => {
    const { chain, startBlock } = createChain();
    const random = createRandom(SEED);
    await withStore(createSqlitePlace, async (store) => {
      for (let life = 0; life < 15; life += 1) {
        const { indexer, settle } = start(chain, store, { adoption: ADOPTION, startBlock });
        if (life === 0) await settle();
        for (let turns = Math.floor(random() * 60); turns > 0; turns -= 1) await setImmediate();
        await indexer.stop();
        chain.extend(1);
      }
      const indexed = start(chain, store, { adoption: ADOPTION, startBlock });
      await settleWhole(indexed, store);
      await indexed.indexer.stop();
      await assertEqualsFull(chain, store);
      await assertVerified(indexed, store);
    });
  });

  it('continues at a newer block if the node has pruned the first one', async () => {
    const { chain, startBlock } = createChain();
    const faults = createFaults();
    faults.statesKept = 2;
    let pages = 0;
    // The chain moves on while a pool is read: its block is soon too old.
    faults.beforeRequest = (method) => {
      if (method !== 'readPoolPage') return;
      pages += 1;
      if (pages % 3 === 0 && pages < 300) chain.extend(1);
    };
    await withStore(createSqlitePlace, async (store) => {
      const indexed = start(chain, store, { adoption: ADOPTION, startBlock, faults });
      await settleWhole(indexed, store);
      await indexed.indexer.stop();
      assert.ok(pages > 100, String(pages));
      await assertEqualsFull(chain, store);
      await assertVerified(indexed, store);
    });
  });

  it('that misses a tick is rejected, and repeated', async () => {
    const { chain, startBlock } = createChain();
    const faults = createFaults();
    let isHiding = true;
    faults.isTickHidden = (tick) => isHiding && tick % 120 === 0;
    await withStore(createSqlitePlace, async (store) => {
      const indexed = start(chain, store, { adoption: ADOPTION, startBlock, faults });
      await indexed.settle();
      const countTold = () =>
        indexed.warnings.filter((warning) => /could not be adopted/.test(warning)).length;
      await until(async () => countTold() > 0, 'a failure that is told');
      // The first one is not.
      assert.ok(countTold() < (indexed.indexer.adoption()?.failed ?? 0));
      isHiding = false;
      await settleWhole(indexed, store);
      await indexed.indexer.stop();
      await assertEqualsFull(chain, store);
    });
  });

  it('survives a node that fails now and then', async () => {
    const { chain, startBlock } = createChain();
    const faults = createFaults();
    let requests = 0;
    faults.beforeRequest = () => {
      requests += 1;
      if (requests % 7 === 0) throw new Error('cut');
    };
    await withStore(createSqlitePlace, async (store) => {
      const indexed = start(chain, store, { adoption: ADOPTION, startBlock, faults });
      await settleWhole(indexed, store);
      await indexed.indexer.stop();
      await assertEqualsFull(chain, store);
    });
  });
});

describe('the budget', () => {
  it('spaces requests out, and serves requested pools first', async () => {
    const chain = new FakeChain({ seed: 5, finalityDepth: 6, seenWhole: true });
    chain.extend(120);
    const startBlock = chain.headerBelow(60).position;
    await withStore(createSqlitePlace, async (store) => {
      const options = { adoption: { callsPerMinute: 6, idleMs: 1 }, startBlock };
      const first = start(chain, store, { startBlock });
      await first.settle();
      await first.indexer.stop();
      const waiting = (await readPools(store)).filter(({ complete }) => !complete);
      const asked = waiting.at(-1)?.pool ?? assert.fail('every pool is complete');
      assert.ok(waiting.length > 2);
      const { indexer, clock, settle } = start(chain, store, options);
      indexer.adopt([asked], 'shown');
      const startMs = clock.nowMs();
      await until(async () => (indexer.adoption()?.adopted ?? 0) > 0, 'the first adoption');
      const adopted = (await readPools(store)).filter(
        (row) => row.complete && waiting.some(({ pool }) => pool === row.pool),
      );
      assert.ok(adopted.some(({ pool }) => pool === asked));
      await settle();
      await until(async () => (indexer.adoption()?.adopted ?? 0) > 1, 'another adoption');
      const { calls } = indexer.adoption() ?? assert.fail();
      const minutes = (clock.nowMs() - startMs) / 60_000;
      await indexer.stop();
      // One page may have been read in advance.
      assert.ok(calls <= 6 * minutes + 3, `${calls} calls in ${minutes} minutes`);
    });
  });

  it('of zero leaves pools unadopted', async () => {
    const chain = new FakeChain({ seed: 5, finalityDepth: 6, seenWhole: true });
    chain.extend(60);
    const startBlock = chain.headerBelow(20).position;
    await withStore(createSqlitePlace, async (store) => {
      const adoption = { callsPerMinute: 0 };
      const { indexer, settle, adapter } = start(chain, store, { startBlock, adoption });
      adapter.faults.beforeRequest = (method) => assert.notEqual(method, 'readPoolPage');
      await settle();
      await indexer.stop();
      assert.equal(indexer.adoption(), null);
      assert.ok((await readPools(store)).some(({ complete }) => !complete));
    });
  });
});

describe('a pool that is asked for and cannot be adopted', () => {
  it('keeps nobody waiting: unknown, complete, or not indexed', async () => {
    await withStore(createSqlitePlace, async (store) => {
      const chain = new FakeChain({ seed: 61, finalityDepth: 5, seenWhole: true });
      chain.extend(30);
      const indexed = start(chain, store);
      await indexed.settle();
      const [known] = await readPools(store);
      assert.ok(known?.complete);
      await store.transaction('devnet', async (transaction) => {
        await transaction.putPools([{ ...known, pool: poolId('0xout'), complete: false }]);
      });
      const asked = [poolId('0xnone'), known.pool, poolId('0xout')];
      const settled: string[] = [];
      const adopter = new PoolAdopter({
        ...{ adapter: indexed.adapter, store, journal: new AdoptionJournal() },
        ...{ ...ADOPTION, clock: systemClock, random: () => 0.5, isAtHead: () => true },
        isIndexed: ({ pool }) => pool !== poolId('0xout'),
        findHash: () => null,
        sleep: async (_ms, signal) => {
          await setImmediate();
          signal?.throwIfAborted();
        },
        log: { warn: () => undefined },
        onSettled: (pool) => void settled.push(pool),
      });
      adopter.start();
      adopter.ask(asked, 'shown');
      await until(async () => asked.every((pool) => settled.includes(pool)), 'all are settled');
      await adopter.stop();
    });
  });
});
