// Which requests become jobs, and what becomes of those that wait, fail or are rolled back.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { buildCheckpoint, buildToken, toAddress } from '../../../test/conformance/store-samples.ts';
import { FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import { FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { HistoryUnavailableError } from '../../chains/chain-history.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../store/store.ts';
import { putBackfill } from '../commit/put-backfill.ts';
import { CallBudget } from '../read/call-budget.ts';
import type { BackfillIndex } from './backfill-step.ts';
import { Backfiller } from './backfiller.ts';
import { HistorySource } from './history-source.ts';
import { HolderSteps } from './plan-holder-step.ts';
import { TransferJournal } from './transfer-journal.ts';

const CHECKPOINT = { ...buildCheckpoint(1, 300), startBlock: 100, finalizedBlock: 290 };
const HOUR_MS = 3_600_000;

interface QueueScene {
  readonly store: MarketStore;
  readonly backfiller: Backfiller;
  readonly adapter: FakeAdapter;
  readonly clock: ManualClock;
  /** Lets the backfiller work, and commits what is ready. */
  turn(count?: number): Promise<void>;
  /** The tokens with jobs in the store. */
  listTokens(): Promise<string[]>;
}

/** Tokens without pools: the jobs of their trades wait. */
async function createScene(
  t: TestContext,
  options: { readonly tokensMax: number; readonly tokens: number },
): Promise<QueueScene> {
  const opened = await createSqliteStore({ file: ':memory:' });
  const store = opened.market;
  await store.transaction('devnet', async (transaction) => {
    await transaction.setCheckpoint(CHECKPOINT);
    const numbers = Array.from({ length: options.tokens }, (_, index) => index + 1);
    const build = (number: number) => buildToken({ token: toAddress(number), supplyRaw: null });
    await transaction.putTokens(numbers.map(build));
  });
  const clock = new ManualClock();
  const adapter = new FakeAdapter(new FakeChain({ seed: 3, finalityDepth: 5 }));
  const backfiller = new Backfiller({
    ...{ adapter, store, clock, journal: new TransferJournal(), tokensMax: options.tokensMax },
    callsPerMinute: Number.POSITIVE_INFINITY,
    isAtHead: () => true,
    findHash: () => null,
    adopt: null,
    onJoined: () => undefined,
    sleep: async (ms, signal) => {
      clock.advance(ms);
      await setImmediate();
      signal?.throwIfAborted();
    },
    random: () => 0.5,
    log: { warn: () => undefined },
  });
  t.after(async () => {
    await backfiller.stop();
    await opened.close();
  });
  const index: BackfillIndex = {
    checkpoint: CHECKPOINT,
    commitBackfill: (changes) =>
      store.transaction('devnet', (transaction) => putBackfill(transaction, 'devnet', changes)),
    joinHolders: async () => undefined,
  };
  return {
    ...{ store, backfiller, adapter, clock },
    async turn(count = 200) {
      for (let turns = 0; turns < count; turns += 1) {
        await backfiller.commit(index);
        await setImmediate();
      }
    },
    async listTokens() {
      const tokens = new Set<string>();
      for await (const jobs of store.scanBackfills('devnet')) {
        for (const { token } of jobs) tokens.add(token);
      }
      return [...tokens];
    },
  };
}

describe('the queue of history', () => {
  it('never has more tokens than it may, however many are requested at once', async (t) => {
    const scene = await createScene(t, { tokens: 40, tokensMax: 12 });
    scene.backfiller.start();
    for (let number = 1; number <= 40; number += 1) scene.backfiller.request(toAddress(number));
    for (let turns = 0; turns < 100; turns += 1) {
      await scene.turn(5);
      const { length } = await scene.listTokens();
      assert.ok(length <= 12, `${length} tokens`);
    }
    assert.ok((await scene.listTokens()).length >= 8);
  });

  it('keeps the request of one caller, however many another one sends', async (t) => {
    const scene = await createScene(t, { tokens: 1, tokensMax: 10 });
    const { backfiller } = scene;
    backfiller.request(toAddress(1), 'asked', 'a');
    for (let number = 2; number <= 2_000; number += 1) {
      backfiller.request(toAddress(number), 'asked', 'b');
    }
    assert.equal(backfiller.status().waiting, 33);
    backfiller.start();
    await scene.turn();
    assert.deepEqual(await scene.listTokens(), [toAddress(1)]);
  });

  it('keeps nothing that was planned before a rollback, and the requests', async (t) => {
    const scene = await createScene(t, { tokens: 1, tokensMax: 10 });
    const { store, backfiller } = scene;
    // A rollback while the request is being decided on.
    const readBackfills = store.readBackfills.bind(store);
    let isRolledBack = false;
    store.readBackfills = async (...of) => {
      const jobs = await readBackfills(...of);
      if (!isRolledBack) backfiller.noteRollback();
      isRolledBack = true;
      return jobs;
    };
    backfiller.start();
    backfiller.request(toAddress(1));
    while (!isRolledBack) await setImmediate();
    assert.equal(backfiller.status().waiting, 1);
    await scene.turn();
    assert.deepEqual(await scene.listTokens(), [toAddress(1)]);
  });

  it('commits a few steps at a time, so that blocks come in between', async (t) => {
    const scene = await createScene(t, { tokens: 40, tokensMax: 40 });
    const { backfiller } = scene;
    backfiller.start();
    for (let number = 1; number <= 40; number += 1) backfiller.request(toAddress(number));
    for (let turns = 0; turns < 200; turns += 1) await setImmediate();
    let committed = 0;
    const index: BackfillIndex = {
      checkpoint: CHECKPOINT,
      commitBackfill: async () => {
        committed += 1;
      },
      joinHolders: async () => undefined,
    };
    await backfiller.commit(index);
    assert.equal(committed, 4);
  });

  it('puts what no client asked for behind what one did', async (t) => {
    const scene = await createScene(t, { tokens: 12, tokensMax: 9 });
    const { backfiller } = scene;
    backfiller.start();
    for (let number = 1; number <= 12; number += 1) {
      backfiller.request(toAddress(number), 'adopted');
    }
    await scene.turn();
    assert.equal((await scene.listTokens()).length, 9);
    backfiller.request(toAddress(11));
    backfiller.request(toAddress(12));
    await scene.turn();
    const tokens = await scene.listTokens();
    assert.ok(tokens.includes(toAddress(11)) && tokens.includes(toAddress(12)));
    assert.equal(tokens.length, 9);
  });

  it('tries a failed job again when it is requested an hour later', async (t) => {
    const scene = await createScene(t, { tokens: 1, tokensMax: 10 });
    const { adapter, backfiller, clock, store } = scene;
    const token = toAddress(1);
    let isPruned = true;
    const findFirstBlock = adapter.history.findFirstBlock.bind(adapter.history);
    adapter.history.findFirstBlock = async (...of) => {
      if (isPruned) throw new HistoryUnavailableError('pruned');
      return await findFirstBlock(...of);
    };
    const readStatus = async () => {
      const jobs = await store.readBackfills('devnet', [token]);
      return jobs.find(({ kind }) => kind === 'holders')?.status;
    };
    backfiller.start();
    backfiller.request(token);
    await scene.turn();
    assert.equal(await readStatus(), 'failed');
    isPruned = false;
    backfiller.request(token);
    await scene.turn();
    assert.equal(await readStatus(), 'failed');
    clock.advance(2 * HOUR_MS);
    backfiller.request(token);
    await scene.turn();
    assert.notEqual(await readStatus(), 'failed');
  });
});

describe('a request to a node that fails', () => {
  it('is paid for as well', async () => {
    const clock = new ManualClock();
    const budget = new CallBudget({ callsPerMinute: 60, clock, sleep: async () => undefined });
    const adapter = new FakeAdapter(new FakeChain({ seed: 3, finalityDepth: 5 }));
    adapter.faults.beforeRequest = () => {
      throw new Error('down');
    };
    const source = new HistorySource(adapter, budget, new AbortController().signal);
    await assert.rejects(source.readHeader(1), /down/);
    const query = { token: toAddress(1), fromBlock: 0, toBlock: 1 };
    await assert.rejects(source.readTransfers(query), /down/);
    assert.equal(budget.spent, 2);
  });
});

interface HolderScene {
  readonly journal: TransferJournal;
  readonly store: MarketStore;
  readonly job: BackfillRecord;
  plan(): ReturnType<HolderSteps['plan']>;
}

/** A job whose last final part is read next; the index is at block 300. */
async function createHolderScene(
  t: TestContext,
  leftBlock: number | null = null,
): Promise<HolderScene> {
  const opened = await createSqliteStore({ file: ':memory:' });
  t.after(() => opened.close());
  const store = opened.market;
  const adapter = new FakeAdapter(new FakeChain({ seed: 3, finalityDepth: 0 }));
  const source = new HistorySource(adapter, null, new AbortController().signal);
  const journal = new TransferJournal();
  journal.record([], CHECKPOINT);
  const token = [...FAKE_ASSETS.stable][0]!;
  const entry = { token, fromBlock: 100, fromMs: 0, leftBlock, pool: null };
  const steps = new HolderSteps({
    ...{ source, journal, store, scope: { findEntry: () => entry }, onJoined: () => undefined },
  });
  const job: BackfillRecord = {
    ...{ token, kind: 'holders', status: 'running', requestedAtMs: 1, reason: null },
    ...{ fromBlock: 0, fromMs: 0, toBlock: 100, toMs: null, nextBlock: 0, nextMs: null },
    joinBlock: null,
    memory:
      '{"balanceSumRaw":"0","holders":0,"balancesBroken":false,"transferCount":0,"firstBlock":null,"firstMs":null}',
  };
  return {
    ...{ journal, store, job },
    plan: () => steps.plan(job, { ...CHECKPOINT, finalizedBlock: 0 }),
  };
}

describe('the holders of a token', () => {
  it('wait for it where a rollback has removed it', async (t) => {
    const scene = await createHolderScene(t);
    assert.equal(await scene.plan(), 'wait');
  });

  for (const [leftBlock, since] of [
    [null, 300],
    [299, null],
  ] as const) {
    it(`are recorded only in scope: it left at ${leftBlock}`, async (t) => {
      const { store, job, journal, plan } = await createHolderScene(t, leftBlock);
      await store.transaction('devnet', (transaction) =>
        transaction.putTokens([buildToken({ token: job.token, supplyRaw: null })]),
      );
      const step = await plan();
      assert.ok(step !== 'wait');
      await step.commit({
        checkpoint: CHECKPOINT,
        commitBackfill: async () => undefined,
        joinHolders: async () => undefined,
      });
      assert.equal(journal.findStart(job.token), since);
    });
  }
});
