// What is kept of a chain's rows, and what goes.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  createPostgresPlace,
  createSqlitePlace,
  openStoreAt,
} from '../../../test/conformance/store-place.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { startIndexer } from '../../../test/fakes/indexed-chain.ts';
import {
  assertFlatForThirtyDays,
  BLOCKS_A_DAY,
  countRows,
  DAY_MS,
  KEPT,
  repeatDay,
  WAIT_MAX_MS,
} from '../../../test/retention-days.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import { RowRetention } from './row-retention.ts';

test('thirty days keep rows and disk flat, and all that is kept right', (t) =>
  assertFlatForThirtyDays(t, { createPlace: createSqlitePlace }));

test('a floor is the start of a day below the finalized block, and never goes down', () => {
  const checkpoint = { timestampMs: 100 * DAY_MS } as Checkpoint;
  const store = {} as MarketStore;
  const days = { trades: 2, fineCandles: null };
  const retention = new RowRetention({ store, chain: 'devnet', days, onError: assert.ifError });
  const floors = retention.planFloors(checkpoint, 50.5 * DAY_MS);
  assert.deepEqual(floors, { tradesFromMs: 48 * DAY_MS });
  const moved = { ...checkpoint, ...floors };
  assert.equal(retention.planFloors(moved, 50.9 * DAY_MS), null);
  assert.equal(retention.planFloors(moved, 40 * DAY_MS), null);
  assert.deepEqual(retention.planFloors(moved, 51 * DAY_MS), { tradesFromMs: 49 * DAY_MS });
});

test('a delete that fails is reported and tried again, and holds nothing up', async () => {
  let calls = 0;
  const failure = new Error('the disk is slow');
  const deleteOldTrades = async () => {
    calls += 1;
    if (calls === 1) throw failure;
    return 0;
  };
  const deleteOldAdoptions = async () => 0;
  const errors: unknown[] = [];
  const retention = new RowRetention({
    store: { deleteOldTrades, deleteOldAdoptions } as unknown as MarketStore,
    chain: 'devnet',
    days: { trades: 2, fineCandles: null },
    onError: (error) => errors.push(error),
  });
  const checkpoint = { tradesFromMs: DAY_MS, finalizedBlock: 1 } as Checkpoint;
  await retention.deleteSome(checkpoint, 0);
  await retention.deleteSome(checkpoint, 0);
  assert.deepEqual(errors, [failure]);
  assert.equal(calls, 2);
});

test('an error of partitions is reported once, rows are deleted, and it is tried again after an hour', async () => {
  const failure = new Error('must be owner of table trades');
  const calls = { rotate: 0, delete: 0 };
  let [nowMs, isBroken] = [0, true];
  const store = {
    deleteOldTrades: async () => {
      calls.delete += 1;
      return 0;
    },
    deleteOldAdoptions: async () => 0,
    partitions: {
      rotate: async () => {
        calls.rotate += 1;
        if (isBroken) throw failure;
        return 'none';
      },
    },
  } as unknown as MarketStore;
  const errors: unknown[] = [];
  const retention = new RowRetention({
    ...{ store, chain: 'devnet', days: { trades: 2, fineCandles: 2 } },
    ...{ onError: (error) => errors.push(error), monotonicMs: () => nowMs },
  });
  let day = 1;
  const commit = async () => {
    day += 1;
    const timestampMs = day * DAY_MS;
    await retention.deleteSome(
      { timestampMs, tradesFromMs: timestampMs, finalizedBlock: 1 } as Checkpoint,
      0,
    );
    return { ...calls };
  };
  assert.deepEqual(await commit(), { rotate: 2, delete: 1 });
  assert.deepEqual(await commit(), { rotate: 2, delete: 2 });
  nowMs += 3_600_000;
  assert.deepEqual(await commit(), { rotate: 4, delete: 3 });
  const tables = errors.map((error) => /of (\w+) could not/.exec(String(error))?.[1]);
  assert.deepEqual(tables, ['trades', 'candles']);
  assert.equal((errors[0] as Error).cause, failure);
  isBroken = false;
  nowMs += 3_600_000;
  assert.deepEqual(await commit(), { rotate: 6, delete: 3 });
});

test('an account that owns no table deletes rows one by one', async (t) => {
  const place = await createPostgresPlace();
  const owner = await place.open();
  const role = `reader_${randomBytes(6).toString('hex')}`;
  t.after(async () => {
    await owner.close();
    await place.run(`DROP OWNED BY ${role}`);
    await place.run(`DROP ROLE ${role}`);
    await place.remove();
  });
  await place.run(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await place.run(`GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
  await place.run(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
  await place.run(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  const url = new URL(place.address.target);
  [url.username, url.password] = [role, 'secret'];
  const store = await openStoreAt({ engine: 'postgres', target: url.href });
  t.after(() => store.close());
  const chain = new FakeChain({ seed: 91, finalityDepth: 6, blockMs: DAY_MS / BLOCKS_A_DAY });
  chain.extend(BLOCKS_A_DAY);
  const indexed = startIndexer(chain, store.market, { retention: KEPT });
  t.after(() => indexed.indexer.stop());
  for (let day = 1; day <= 6; day += 1) repeatDay(chain);
  await indexed.settle(WAIT_MAX_MS);
  const { tradesFromMs = 0 } = (await store.market.readCheckpoint('devnet')) ?? {};
  assert.ok(tradesFromMs > 0);
  const sql = `SELECT COUNT(*) FROM trades WHERE timestamp_ms < ${tradesFromMs}`;
  assert.equal(await countRows(place, sql), 0);
  const tables = indexed.warnings.map((text) => /of (\w+) could .* be owner/.exec(text)?.[1]);
  assert.deepEqual(tables, ['trades', 'candles']);
});
