// A token that comes into scope late gets its older pools and its history: the rows are those of an
// index of the whole chain, and `verify` repeats them.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { FAKE_ASSETS, FAKE_TOKENS } from '../../../test/fakes/fake-market.ts';
import { type IndexedChain, readIndex, startIndexer } from '../../../test/fakes/indexed-chain.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../store/store.ts';
import type { IndexerOptions } from '../follow/indexer-options.ts';
import { verifyChain } from '../verify/verify-chain.ts';
import type { ChainScope } from './chain-scope.ts';
import { LiquidScope } from './liquid-scope.ts';
import { WatchScope } from './watch-scope.ts';

const DEADLINE_MS = 120_000;
const [first, late] = [FAKE_TOKENS[0]!, FAKE_TOKENS[1]!];

interface ScopedScene {
  readonly chain: FakeChain;
  readonly store: MarketStore;
  readonly watched: Set<Address>;
  start(options?: Partial<IndexerOptions>): IndexedChain;
  readJobs(token: Address): Promise<BackfillRecord[]>;
  /** Mines blocks until something holds, and the index is at the head. */
  until(indexed: IndexedChain, what: string, isTrue: () => Promise<boolean>): Promise<void>;
  /** Until all jobs of the token are done. */
  untilFilled(indexed: IndexedChain, token: Address): Promise<void>;
}

function createScope(name: 'watch' | 'liquid', store: MarketStore, watched: Set<Address>) {
  let nowMs = 0;
  const clock = {
    nowMs: () => {
      nowMs += 1_000;
      return nowMs;
    },
  };
  const adapter = { chain: 'devnet', assets: FAKE_ASSETS } as const;
  const scope: ChainScope =
    name === 'watch'
      ? new WatchScope({ adapter, store, readWatched: async () => [...watched], clock })
      : new LiquidScope({ assets: FAKE_ASSETS, floorUsdE18: 1n });
  return scope;
}

async function createScene(
  t: TestContext,
  options: { readonly seed: number; readonly scope?: 'watch' | 'liquid' },
): Promise<ScopedScene> {
  const chain = new FakeChain({
    ...{ seed: options.seed, finalityDepth: 12, clock: 'steady', seenWhole: true },
    market: { tokenCount: 3, poolCountMax: 12, rankedOnly: true, positionCountMax: 25 },
  });
  chain.extend(150);
  const place = await createSqlitePlace();
  const opened = await place.open();
  const store = opened.market;
  const indexers: IndexedChain[] = [];
  t.after(async () => {
    for (const { indexer } of indexers) await indexer.stop();
    await opened.close();
    await place.remove();
  });
  const watched = new Set<Address>([first]);
  const readJobs = (token: Address) => store.readBackfills('devnet', [token]);
  const until: ScopedScene['until'] = async (indexed, what, isTrue) => {
    const deadline = Date.now() + DEADLINE_MS;
    for (let turn = 1; !(await isTrue()); turn += 1) {
      // Some steps wait for blocks to become final.
      if (turn % 50 === 0) chain.extend(1);
      if (Date.now() > deadline) {
        throw new Error(`not ${what}: ${indexed.warnings.slice(-3).join('; ')}`);
      }
      await setImmediate();
    }
    await untilAtHead(indexed);
  };
  const untilAtHead = async (indexed: IndexedChain) => {
    const deadline = Date.now() + DEADLINE_MS;
    while ((await store.readCheckpoint('devnet'))?.blockHash !== chain.head.hash) {
      if (Date.now() > deadline) throw new Error(`not at the head: ${indexed.warnings.at(-1)}`);
      await setImmediate();
    }
  };
  return {
    ...{ chain, store, watched, readJobs, until },
    start(more = {}) {
      const callsPerMinute = Number.POSITIVE_INFINITY;
      const indexed = startIndexer(chain, store, {
        scope: createScope(options.scope ?? 'watch', store, watched),
        adoption: { callsPerMinute },
        backfill: { callsPerMinute, tokensMax: 10 },
        ...more,
      });
      indexers.push(indexed);
      return indexed;
    },
    untilFilled: (indexed, token) =>
      until(indexed, 'filled in', async () => {
        const jobs = await readJobs(token);
        return jobs.length === 2 && jobs.every(({ status }) => status === 'done');
      }),
  };
}

async function readFull(chain: FakeChain) {
  const place = await createSqlitePlace();
  const whole = await place.open();
  const indexed = startIndexer(chain, whole.market);
  try {
    await indexed.settle();
    return await readIndex(whole.market);
  } finally {
    await indexed.indexer.stop();
    await whole.close();
    await place.remove();
  }
}

function pickRows(rows: Awaited<ReturnType<typeof readIndex>>, token: Address) {
  const { balanceSumRaw, holders, balancesBroken } = rows.tokens.find(
    (row) => row.token === token,
  )!;
  return {
    trades: rows.trades.filter((row) => row.token === token),
    candles: rows.candles.filter((row) => row.token === token),
    balances: rows.balances.filter((row) => row.token === token),
    sums: { balanceSumRaw, holders, balancesBroken },
  };
}

/** One by one, so that a failure shows the row. */
function assertSame(found: readonly object[], expected: readonly object[]): void {
  assert.equal(found.length, expected.length);
  expected.forEach((row, index) => {
    assert.deepEqual(found[index], row);
  });
}

/** Up to a block; its balances are those at the head. */
async function assertWhole(
  { chain, store }: ScopedScene,
  token: Address,
  toBlock = Number.POSITIVE_INFINITY,
): Promise<void> {
  const [own, full] = [await readIndex(store), await readFull(chain)];
  const [found, expected] = [pickRows(own, token), pickRows(full, token)];
  const isBefore = ({ block }: { readonly block: number }) => block < toBlock;
  assert.ok(expected.trades.length > 30, `only ${expected.trades.length} trades`);
  assertSame(found.trades.filter(isBefore), expected.trades.filter(isBefore));
  if (toBlock === Number.POSITIVE_INFINITY) assertSame(found.candles, expected.candles);
  assertSame(found.balances, expected.balances);
  assert.deepEqual(found.sums, expected.sums);
}

async function assertVerified({ store }: ScopedScene, { adapter }: IndexedChain): Promise<void> {
  const { differences, checked } = await verifyChain({
    ...{ adapter, store, attemptCountMax: 3 },
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 40, eventCountMax: 5_000 },
    signal: new AbortController().signal,
  });
  assert.deepEqual(differences.slice(0, 5), []);
  assert.ok((checked['trade'] ?? 0) > 30);
}

describe('a token that is watched late', () => {
  test('gets its older pools and its history without being asked for', async (t) => {
    const scene = await createScene(t, { seed: 41 });
    const indexed = scene.start();
    await indexed.settle();
    scene.watched.add(late);
    const joined = scene.chain.head.position + 1;
    scene.chain.extend(5);
    await scene.untilFilled(indexed, late);
    const [entry] = await scene.store.readScopeEntries('devnet', [late]);
    assert.equal(entry?.fromBlock, joined);
    await assertWhole(scene, late);
    assert.deepEqual(await scene.readJobs(first), [], 'watched from the beginning');
    await assertVerified(scene, indexed);
  });

  test('gets neither if it is a quote asset: nearly every pool of the chain would come with it', async (t) => {
    const scene = await createScene(t, { seed: 41 });
    const indexed = scene.start();
    await indexed.settle();
    const [quote] = FAKE_ASSETS.stable;
    if (quote === undefined) assert.fail();
    // Due first: what is due is done in this order.
    scene.watched.add(quote);
    scene.chain.extend(1);
    await scene.until(indexed, 'in scope', async () => {
      return (await scene.store.readScopeEntries('devnet', [quote])).length === 1;
    });
    scene.watched.add(late);
    scene.chain.extend(5);
    await scene.untilFilled(indexed, late);
    assert.deepEqual(await scene.readJobs(quote), []);
    const allowed = new Set<Address>([first, late]);
    const { pools } = await readIndex(scene.store);
    const outside = pools.filter(
      ({ pool, token0, token1 }) =>
        !allowed.has(token0) && !allowed.has(token1) && !FAKE_ASSETS.anchorPools.includes(pool),
    );
    assert.deepEqual(outside, []);
  });

  test('gets them after a restart before its lookup', async (t) => {
    const scene = await createScene(t, { seed: 42 });
    const before = scene.start({ adoption: { callsPerMinute: 0 } });
    await before.settle();
    scene.watched.add(late);
    scene.chain.extend(5);
    await scene.until(before, 'in scope', async () => {
      return (await scene.store.readScopeEntries('devnet', [late])).length === 1;
    });
    await before.indexer.stop();
    const after = scene.start();
    await scene.untilFilled(after, late);
    await assertWhole(scene, late);
    await assertVerified(scene, after);
  });

  test('loses its jobs when it leaves for good, and starts anew when it comes back', async (t) => {
    const scene = await createScene(t, { seed: 43 });
    const indexed = scene.start();
    await indexed.settle();
    scene.watched.add(late);
    scene.chain.extend(5);
    await scene.untilFilled(indexed, late);
    const [before] = await scene.readJobs(late);
    scene.watched.delete(late);
    scene.chain.extend(2);
    await scene.until(indexed, 'forgotten', async () => (await scene.readJobs(late)).length === 0);
    await assertVerified(scene, indexed);
    scene.chain.extend(10);
    await scene.until(indexed, 'at the head', async () => true);
    scene.watched.add(late);
    const rejoined = scene.chain.head.position + 1;
    scene.chain.extend(5);
    await scene.untilFilled(indexed, late);
    const [after] = await scene.readJobs(late);
    assert.ok(after!.toBlock > before!.toBlock);
    // From then on its pools were followed again, but not complete yet.
    await assertWhole(scene, late, rejoined);
    await assertVerified(scene, indexed);
  });

  test('has the ticks of its pools as they are when it comes back, and none of the old ones', async (t) => {
    const scene = await createScene(t, { seed: 43 });
    scene.watched.add(late);
    const indexed = scene.start();
    await indexed.settle();
    const ids = new Set(listPools(scene, late, 'concentrated'));
    const readTicks = ({ ticks }: Awaited<ReturnType<typeof readIndex>>) =>
      ticks.filter(({ pool }) => ids.has(pool));
    const toPlaces = (ticks: ReturnType<typeof readTicks>) =>
      new Set(ticks.map(({ pool, tick }) => `${pool} ${tick}`));
    const before = toPlaces(readTicks(await readIndex(scene.store)));
    scene.watched.delete(late);
    scene.chain.extend(2);
    await scene.until(indexed, 'out of scope', async () => {
      return (await scene.store.readScopeEntries('devnet', [late])).length === 0;
    });
    scene.chain.extend(60);
    await scene.until(indexed, 'at the head', async () => true);
    scene.watched.add(late);
    scene.chain.extend(5);
    await scene.until(indexed, 'adopted', async () => {
      const pools = await scene.store.readPools('devnet', [...ids]);
      return pools.every(({ complete }) => complete);
    });
    await indexed.indexer.stop();
    const expected = readTicks(await readFull(scene.chain));
    const places = toPlaces(expected);
    assert.ok(
      [...before].some((one) => !places.has(one)),
      'no tick was removed meanwhile',
    );
    assertSame(readTicks(await readIndex(scene.store)), expected);
  });

  test('keeps its jobs where a reorganisation takes its leave back', async (t) => {
    const scene = await createScene(t, { seed: 44 });
    const indexed = scene.start();
    await indexed.settle();
    scene.watched.add(late);
    scene.chain.extend(5);
    await scene.untilFilled(indexed, late);
    const before = await scene.readJobs(late);
    scene.watched.delete(late);
    scene.chain.extend(2);
    await scene.until(indexed, 'out of scope', async () => {
      return (await scene.store.readScopeEntries('devnet', [late])).length === 0;
    });
    assert.ok((await scene.readJobs(late)).length > 0);
    await assertVerified(scene, indexed);
    scene.watched.add(late);
    scene.chain.reorganise(8, 10);
    await scene.until(indexed, 'back', async () => {
      return (await scene.store.readScopeEntries('devnet', [late])).length === 1;
    });
    const after = await scene.readJobs(late);
    const toPlace = ({ kind, toBlock }: BackfillRecord) => `${kind} ${toBlock}`;
    assert.deepEqual(after.map(toPlace), before.map(toPlace));
    await scene.untilFilled(indexed, late);
    await assertWhole(scene, late);
    await assertVerified(scene, indexed);
  });

  test('is verified while its history is being filled in', async (t) => {
    const scene = await createScene(t, { seed: 45 });
    const indexed = scene.start();
    indexed.adapter.history.span = 4;
    await indexed.settle();
    scene.watched.add(late);
    scene.chain.extend(5);
    const isHalf = async () => {
      const jobs = await scene.readJobs(late);
      const trades = jobs.find(({ kind }) => kind === 'trades');
      return trades?.status === 'running' && trades.nextBlock < trades.toBlock - 20;
    };
    await scene.until(indexed, 'half filled in', isHalf);
    await indexed.indexer.stop();
    const [trades] = await scene.readJobs(late);
    assert.equal(trades?.status === 'done', false);
    await assertVerified(scene, indexed);
  });
});

/** The token's pools on the chain, by kind. */
function listPools({ chain }: ScopedScene, token: Address, kind: string): PoolId[] {
  return chain
    .worldAt(chain.head.hash)
    .pools.map(({ description }) => description)
    .filter((pool) => pool.kind === kind && [pool.token0, pool.token1].includes(token))
    .map(({ pool }) => pool);
}

describe('a pool that is found after the history was filled in', () => {
  for (const [kind, seed] of [
    ['concentrated', 51],
    ['constantProduct', 53],
  ] as const) {
    test(`has its trades filled in as well: ${kind}`, async (t) => {
      const scene = await createScene(t, { seed });
      const indexed = scene.start();
      const [hidden] = listPools(scene, late, kind);
      assert.ok(hidden !== undefined, 'there is no such pool');
      indexed.adapter.hiddenPools.add(hidden);
      await indexed.settle();
      scene.watched.add(late);
      const joined = scene.chain.head.position + 1;
      scene.chain.extend(5);
      await scene.untilFilled(indexed, late);
      const countTrades = async () => {
        const { trades } = await readIndex(scene.store);
        return trades.filter(({ pool, block }) => pool === hidden && block < joined).length;
      };
      assert.equal(await countTrades(), 0);
      indexed.adapter.hiddenPools.clear();
      await indexed.indexer.lookUp(late);
      await scene.until(indexed, 'filled in again', async () => (await countTrades()) > 0);
      await scene.untilFilled(indexed, late);
      await assertWhole(scene, late, joined);
      await assertVerified(scene, indexed);
    });
  }
});

describe('a token that passes the floor late', () => {
  test('gets its history from before, and is verified', async (t) => {
    const scene = await createScene(t, { seed: 46, scope: 'liquid' });
    const indexed = scene.start();
    await indexed.settle();
    const entries = await scene.store.readScopeEntries('devnet', [first]);
    const [entry] = entries;
    assert.ok(entry !== undefined && entry.fromBlock > 1 && entry.pool !== null);
    indexed.indexer.request(first);
    await scene.untilFilled(indexed, first);
    await assertWhole(scene, first);
    await assertVerified(scene, indexed);
  });
});
