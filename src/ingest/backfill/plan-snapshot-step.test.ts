// What happens to jobs and to the journal if holders cannot be listed.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import { address } from '../../../test/test-ids.ts';
import type { ChainAdapter, OwnerReading } from '../../chains/adapter.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { BackfillError } from './backfill-error.ts';
import { HistorySource } from './history-source.ts';
import { SnapshotSteps } from './plan-snapshot-step.ts';
import { TransferJournal } from './transfer-journal.ts';

const BLOCK = 50;
const OWNER = address('a7');

function createJob(token: Address): BackfillRecord {
  return {
    ...{ token, kind: 'holders', status: 'queued', requestedAtMs: 1, fromBlock: null },
    ...{ fromMs: null, toBlock: 40, toMs: null, nextBlock: 0, nextMs: null, joinBlock: null },
    ...{ memory: '', reason: null },
  };
}

/** The steps on a chain whose nodes list holders as `list` says. */
async function createSteps(
  t: TestContext,
  list: NonNullable<ChainAdapter['readHolders']>,
  readings: readonly OwnerReading[] = [],
) {
  const stores = await createSqliteStore({ file: ':memory:' });
  t.after(() => stores.close());
  const store = stores.market;
  const chain = new FakeChain({ seed: 1, finalityDepth: 2 });
  const { signal } = new AbortController();
  const asked: Address[] = [];
  const adapter: ChainAdapter = Object.assign(new FakeAdapter(chain), {
    readHolders: async (query: { readonly token: Address; readonly minBlock: number }) => {
      asked.push(query.token);
      return await list(query);
    },
    readHeldNow: async () => ({ readings, callCount: 1 }),
  });
  const journal = new TransferJournal();
  journal.reconcile({ block: BLOCK, blockHash: 'b50' });
  const steps = new SnapshotSteps({
    ...{ source: new HistorySource(adapter, null, signal), store, journal, signal },
    ...{ findHash: () => 'b50', onJoined: () => undefined, sleep: async () => undefined },
  });
  return { steps, journal, asked };
}

const timeOut = async () => {
  throw new Error('the scan took too long');
};

test('tokens whose lists fail leave the journal, so that others are listed', async (t) => {
  const { steps, journal, asked } = await createSteps(t, timeOut);
  const tokens = Array.from({ length: 20 }, (_, index) => address(`a${200 + index}`));
  for (const token of tokens) {
    await assert.rejects(steps.plan(createJob(token)), /the scan took too long/);
    assert.equal(journal.findStart(token), null);
  }
  assert.deepEqual(asked, tokens);
});

test('a job fails after eight failures in a row, and begins to count again', async (t) => {
  let isListed = false;
  const balances = new Map([[OWNER, 5n]]);
  const at = { position: BLOCK, hash: 'b50' };
  const list = async () => (isListed ? { balances, at, callCount: 1 } : await timeOut());
  const { steps } = await createSteps(t, list);
  const [token, other] = [address('a1'), address('a2')];
  const failAgain = async (count: number) => {
    for (let done = 0; done < count; done += 1) {
      await assert.rejects(
        steps.plan(createJob(token)),
        (error) => !(error instanceof BackfillError),
      );
    }
  };
  await failAgain(7);
  await assert.rejects(steps.plan(createJob(other)), (error) => !(error instanceof BackfillError));
  await assert.rejects(steps.plan(createJob(token)), (error) => {
    assert.ok(error instanceof BackfillError, String(error));
    return /could not be listed 8 times in a row: the scan took too long/.test(error.message);
  });
  await failAgain(7);
  isListed = true;
  assert.notEqual(await steps.plan(createJob(token)), 'wait');
  isListed = false;
  await failAgain(7);
});

test('a list that another reading contradicts is made again', async (t) => {
  const balances = new Map([[OWNER, 5n]]);
  const at = { position: BLOCK, hash: 'b50' };
  const list = async () => ({ balances, at, callCount: 1 });
  const token = address('a1');
  const right = { owner: OWNER, amountRaw: 5n, block: BLOCK };
  const good = await createSteps(t, list, [right]);
  assert.notEqual(await good.steps.plan(createJob(token)), 'wait');
  assert.equal(good.journal.findStart(token), BLOCK);
  const bad = await createSteps(t, list, [right, { ...right, amountRaw: 4n }]);
  await assert.rejects(bad.steps.plan(createJob(token)), /not what was listed as of block 50/);
  assert.equal(bad.journal.findStart(token), null);
  // What the index does not reach cannot be compared.
  const late = await createSteps(t, list, [{ ...right, block: BLOCK + 1 }]);
  assert.equal(await late.steps.plan(createJob(token)), 'wait');
  assert.equal(late.journal.findStart(token), null);
});
