// History that was filled in later equals the history of a full index.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type BackfillScene, createBackfillScene } from '../../../test/backfill-scene.ts';
import { createPostgresPlace } from '../../../test/conformance/store-place.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { createFaults } from '../../../test/fakes/fake-faults.ts';
import { WETH } from '../../../test/fakes/fake-market.ts';
import { type IndexedChain, readIndex } from '../../../test/fakes/indexed-chain.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { type Verification, verifyChain } from '../verify/verify-chain.ts';

const POLL_MS = 777;

type Rows = Awaited<ReturnType<typeof readIndex>>;

/** What both indexes must agree on: everything of the token from before the late one began. */
function pickHistory(rows: Rows, { token, startBlock, chain }: BackfillScene) {
  const startMs = chain.header(startBlock)!.timestampMs;
  const lengths = { '5s': 5, '1m': 60, '15m': 900, '2h': 7200, '1d': 86_400 };
  return {
    trades: rows.trades.filter((row) => row.token === token && row.block < startBlock),
    candles: rows.candles.filter(
      (row) => row.token === token && row.openTimeMs + lengths[row.interval] * 1000 <= startMs,
    ),
  };
}

function pickHolders(rows: Rows, { token }: BackfillScene) {
  const row = rows.tokens.find((one) => one.token === token)!;
  const { balanceSumRaw, holders, balancesBroken } = row;
  return {
    ...{ balanceSumRaw, holders, balancesBroken },
    balances: rows.balances.filter((one) => one.token === token),
  };
}

async function assertSameHistory(scene: BackfillScene): Promise<Rows> {
  const full = await scene.readFull();
  const late = await readIndex(scene.store);
  const [expected, found] = [pickHistory(full, scene), pickHistory(late, scene)];
  assert.equal(found.trades.length, expected.trades.length);
  assert.deepEqual(found.trades, expected.trades);
  assert.deepEqual(found.candles, expected.candles);
  assert.deepEqual(pickHolders(late, scene), pickHolders(full, scene));
  return full;
}

async function verify(scene: BackfillScene, { adapter }: IndexedChain): Promise<Verification> {
  return await verifyChain({
    ...{ adapter, store: scene.store, attemptCountMax: 3 },
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 200, eventCountMax: 5_000 },
    signal: new AbortController().signal,
  });
}

async function assertVerified(scene: BackfillScene, indexed: IndexedChain): Promise<void> {
  await indexed.settle();
  const { differences } = await verify(scene, indexed);
  assert.deepEqual(differences, []);
}

describe('history that is filled in', () => {
  test('equals that of a full index', async (t) => {
    const scene = await createBackfillScene(t, {
      seed: 5,
      blocks: 300,
      spacing: 50,
      tokenCount: 2,
    });
    const indexed = scene.start();
    await indexed.settle();
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    const full = await assertSameHistory(scene);
    const older = full.trades.filter(({ block }) => block < scene.startBlock);
    assert.ok(older.length > 300 && older.some(({ outlier }) => outlier));
    await assertVerified(scene, indexed);
  });

  test('is read again before the snapshot of the store that it is compared in', async (t) => {
    const scene = await createBackfillScene(t, { seed: 5, blocks: 120, spacing: 50 });
    const indexed = scene.start();
    await indexed.settle();
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    await indexed.settle();
    let isInSnapshot = false;
    const reads = { before: 0, inSnapshot: 0 };
    const { history } = indexed.adapter;
    const readPoolEvents = history.readPoolEvents.bind(history);
    history.readPoolEvents = (...query) => {
      reads[isInSnapshot ? 'inSnapshot' : 'before'] += 1;
      return readPoolEvents(...query);
    };
    const { store } = scene;
    const snapshots = store.snapshots.bind(store);
    store.snapshots = (work) => {
      isInSnapshot = true;
      return snapshots(work);
    };
    await assertVerified(scene, indexed);
    assert.ok(isInSnapshot && reads.before > 0);
    assert.equal(reads.inSnapshot, 0);
  });

  test('equals it where no node has old states', async (t) => {
    const scene = await createBackfillScene(t, { seed: 8, blocks: 200, spacing: 50 });
    const indexed = scene.start();
    indexed.adapter.history.isArchive = false;
    indexed.adapter.readPoolStates = async () => [];
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    await assertSameHistory(scene);
  });

  test('equals it on PostgreSQL', async (t) => {
    const place = await createPostgresPlace();
    const scene = await createBackfillScene(t, { seed: 6, blocks: 150, spacing: 50, place });
    const indexed = scene.start();
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    await assertSameHistory(scene);
    await assertVerified(scene, indexed);
  });

  test('is read from the newest trades back, and says how far it has come', async (t) => {
    const scene = await createBackfillScene(t, { seed: 12, blocks: 200, spacing: 50 });
    const indexed = scene.start();
    indexed.adapter.history.span = 500;
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    for (const event of indexed.events) {
      if (event.backfilled === scene.token) assert.deepEqual(event.trades, []);
    }
    assert.ok(indexed.events.filter(({ backfilled }) => backfilled === scene.token).length > 10);
    await assertVerified(scene, indexed);
  });

  test('joins balances again where a reorganisation took the join back', async (t) => {
    const scene = await createBackfillScene(t, { seed: 9, blocks: 200, spacing: 50 });
    const { chain } = scene;
    const indexed = scene.start();
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    const joins = new Set<number | null>();
    for (let round = 0; round < 3; round += 1) {
      const jobs = await scene.readJobs();
      joins.add(jobs.find(({ kind }) => kind === 'holders')!.joinBlock);
      chain.reorganise(8, 10);
      await indexed.settle();
      await scene.settle(indexed);
      await indexed.settle();
    }
    assert.ok(joins.size > 1, 'no join was taken back');
    await assertSameHistory(scene);
    await assertVerified(scene, indexed);
  });

  test('ends where rows are no longer kept', async (t) => {
    const scene = await createBackfillScene(t, { seed: 10, blocks: 700, spacing: 5 });
    const indexed = scene.start({ retention: { trades: 1, fineCandles: 1 } });
    await indexed.settle();
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    const { tradesFromMs = 0 } = (await scene.store.readCheckpoint('devnet'))!;
    const first = scene.chain.header(0)!.timestampMs;
    assert.ok(tradesFromMs > first + 3_600_000, 'the chain is too short for the test');
    const rows = await readIndex(scene.store);
    const times = rows.trades.map(({ timestampMs }) => timestampMs);
    const startMs = scene.chain.header(scene.startBlock)!.timestampMs;
    assert.ok(tradesFromMs < startMs, 'nothing could be filled in');
    assert.ok(times.some((timeMs) => timeMs < startMs));
    assert.ok(times.every((timeMs) => timeMs >= tradesFromMs));
    await assertVerified(scene, indexed);
  });

  test('lets a block that is there go first, however many steps are ready', async (t) => {
    const scene = await createBackfillScene(t, { seed: 15, blocks: 200, spacing: 10 });
    const { chain } = scene;
    const clock = new ManualClock();
    /** The commit after each wait for the head, during which a block came. */
    const firsts: { readonly isBlock: boolean; readonly ready: number }[] = [];
    let hasNewBlock = false;
    const indexed = scene.start({
      clock,
      sleep: async (ms, signal) => {
        clock.advance(ms);
        await setImmediate();
        signal?.throwIfAborted();
        if (ms !== POLL_MS) return;
        // Time for steps to become ready.
        for (let turn = 0; turn < 100; turn += 1) await setImmediate();
        chain.extend(1);
        hasNewBlock = true;
      },
      pollIntervalMs: POLL_MS,
      onCommitted: ({ blockCount, backfilled }) => {
        const ready = backfilled === undefined ? 0 : 1;
        if (hasNewBlock) firsts.push({ isBlock: blockCount > 0, ready });
        else if (ready > 0) firsts.push({ isBlock: true, ready });
        hasNewBlock = false;
      },
    });
    indexed.adapter.history.span = 20;
    indexed.indexer.request(scene.token);
    await scene.settle(indexed);
    assert.ok(firsts.filter(({ ready }) => ready > 0).length > 20);
    assert.deepEqual(
      firsts.filter(({ isBlock }) => !isBlock),
      [],
    );
  });

  test('ends at the start of the index for assets that price others, and is not made twice', async (t) => {
    const scene = await createBackfillScene(t, { seed: 14, blocks: 80, spacing: 10 });
    const indexed = scene.start();
    const [stable] = [...indexed.adapter.assets.stable];
    const tokens = [stable!, WETH, scene.token];
    for (const token of tokens) indexed.indexer.request(token);
    await scene.settle(indexed, tokens);
    const before = await readIndex(scene.store);
    indexed.indexer.request(scene.token);
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    assert.deepEqual((await readIndex(scene.store)).trades, before.trades);
    const jobs = await scene.store.readBackfills('devnet', [stable!, WETH]);
    assert.deepEqual(
      jobs.map(({ kind, status }) => `${kind} ${status}`),
      ['trades done', 'trades done'],
    );
    const coins = before.trades.filter(({ token }) => token === WETH);
    assert.ok(coins.length > 0 && coins.every(({ block }) => block >= scene.startBlock));
  });

  test('equals that of a full index: 5,000 trades in 100,000 blocks, through kills', async (t) => {
    const scene = await createBackfillScene(t, { seed: 11, blocks: 2_400, spacing: 42 });
    assert.ok(scene.chain.head.position > 99_000);
    const random = createRandom(7);
    const faults = createFaults();
    faults.beforeRequest = (method) => {
      if (random() < 0.02) throw new Error(`${method} failed`);
    };
    let killed = 0;
    for (let life = 0; life < 25; life += 1) {
      const indexed = scene.start({ faults });
      indexed.adapter.history.span = 900;
      indexed.indexer.request(scene.token);
      for (let turn = Math.floor(random() * 1_200); turn > 0; turn -= 1) {
        if (turn % 300 === 0) scene.chain.extend(1);
        await setImmediate();
      }
      await indexed.indexer.stop();
      const jobs = await scene.readJobs();
      if (jobs.some(({ status }) => status === 'running')) killed += 1;
    }
    assert.ok(killed > 10, `killed ${killed} times while it was reading`);
    const last = scene.start({ faults });
    last.indexer.request(scene.token);
    await scene.settle(last);
    await last.settle();
    const full = await assertSameHistory(scene);
    const older = full.trades.filter(({ block }) => block < scene.startBlock);
    assert.ok(older.length >= 4_500, `only ${older.length} trades`);
    assert.ok(older.some(({ outlier }) => outlier));
    assert.ok(older.some(({ index }) => index > 0));
  });
});
