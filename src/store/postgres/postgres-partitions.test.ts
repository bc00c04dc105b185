// Tables are divided by time, and old rows go with their partition; nobody who reads waits for that
// or misses rows.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createPostgresPlace } from '../../../test/conformance/store-place.ts';
import { buildCheckpoint, buildTrade, toAddress } from '../../../test/conformance/store-samples.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { type CandleRecord, STORED_INTERVALS } from '../../model/market-record.ts';
import type { PartitionPlan, RowPartitions } from '../row-partitions.ts';
import type { SqlEngine } from '../sql.ts';
import { PostgresPartitions, planSlices } from './postgres-partitions.ts';
import { BEGIN_SNAPSHOT, PostgresPool } from './postgres-pool.ts';

const DAY_MS = 86_400_000;
const FIRST_DAY = 20_000;

const toMs = (day: number) => day * DAY_MS;

function buildCandles(day: number): CandleRecord[] {
  return STORED_INTERVALS.map((interval) => ({
    ...{ token: toAddress(1), pool: null, interval, openTimeMs: toMs(day) },
    ...{ volumeRaw: 1n, quoteVolumeNative: '0', quoteVolumeUsd: '0' },
    ...{ trades: 1, buys: 1, sells: 0 },
    ...{ native: null, usd: null, nativeClean: null, usdClean: null },
  }));
}

async function openMarket(t: TestContext) {
  const place = await createPostgresPlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const { market } = store;
  const partitions = market.partitions as RowPartitions;
  const versions = new Map<ChainSlug, number>();
  const list = async (table: string) =>
    (
      await place.run(`SELECT relid::regclass::text AS name FROM pg_partition_tree('${table}')
      WHERE isleaf ORDER BY 1`)
    ).map(({ name }) => String(name));
  return {
    ...{ place, market, partitions, list },
    divide: async () => [await partitions.divide('trades'), await partitions.divide('candles')],
    /** A trade and candles of each of the days, and the floor of both. */
    add: async (chain: ChainSlug, days: readonly number[], floorDay = 0) => {
      const version = (versions.get(chain) ?? 0) + 1;
      versions.set(chain, version);
      await market.transaction(chain, async (transaction) => {
        const timestampMs = toMs((days.at(-1) ?? floorDay) + 0.5);
        const floors = { tradesFromMs: toMs(floorDay), candlesFromMs: toMs(floorDay) };
        await transaction.setCheckpoint({ ...buildCheckpoint(version), timestampMs, ...floors });
        await transaction.putTrades(
          days.map((day) => buildTrade({ block: day, timestampMs: toMs(day) })),
        );
        await transaction.putCandles(days.flatMap(buildCandles));
      });
    },
    rotate: async (nowDay: number, floorDay: number, more: Partial<PartitionPlan> = {}) => {
      const [nowMs, floorMs] = [toMs(nowDay), toMs(floorDay)];
      const plan: PartitionPlan = { chain: 'devnet', spanDays: 1, nowMs, floorMs, ...more };
      return [await partitions.rotate('trades', plan), await partitions.rotate('candles', plan)];
    },
    readDays: async (chain: ChainSlug) => {
      const trades: number[] = [];
      for await (const rows of market.scanTrades(chain)) {
        trades.push(...rows.map(({ timestampMs }) => timestampMs / DAY_MS));
      }
      const fine = new Set<number>();
      const days = new Set<number>();
      for await (const rows of market.scanCandles(chain)) {
        for (const { interval, openTimeMs } of rows) {
          (interval === '1d' ? days : fine).add(openTimeMs / DAY_MS);
        }
      }
      const sort = (set: Set<number>) => [...set].sort((a, b) => a - b);
      return { trades, fine: sort(fine), days: sort(days) };
    },
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('a table is divided with its rows, which go with their partitions; candles of days stay', async (t) => {
  const { add, divide, rotate, readDays, list } = await openMarket(t);
  const old = range(FIRST_DAY, FIRST_DAY + 2);
  await add('devnet', old);
  assert.deepEqual(await divide(), ['done', 'done']);
  assert.deepEqual(await divide(), ['before', 'before']);
  assert.deepEqual(await rotate(FIRST_DAY + 2, 0), ['rows', 'rows']);
  assert.deepEqual(await readDays('devnet'), { trades: old, fine: old, days: old });
  const end = FIRST_DAY + 4;
  const later = range(FIRST_DAY + 3, FIRST_DAY + 6);
  await rotate(FIRST_DAY + 4, 0);
  await add('devnet', later);
  await rotate(FIRST_DAY + 6, 0);
  const all = [...old, ...later];
  assert.deepEqual(await readDays('devnet'), { trades: all, fine: all, days: all });
  assert.deepEqual(
    (await list('trades')).filter((name) => !name.startsWith(`trades_${FIRST_DAY + 7}`)),
    [
      ...[
        `trades_${end}_${end + 1}`,
        `trades_${end + 1}_${end + 2}`,
        `trades_${end + 2}_${end + 3}`,
      ],
      ...[`trades_${end + 4}_${end + 5}`, `trades_${end + 5}_${end + 6}`],
      ...['trades_rest', `trades_to_${end}`],
    ],
  );
  // The floor is within the first partition: its rows are deleted, as before.
  await add('devnet', [], FIRST_DAY + 2);
  assert.deepEqual(await rotate(FIRST_DAY + 6, FIRST_DAY + 2), ['rows', 'rows']);
  await add('devnet', [], FIRST_DAY + 5);
  assert.deepEqual(await rotate(FIRST_DAY + 6, FIRST_DAY + 5), ['none', 'none']);
  const kept = range(FIRST_DAY + 5, FIRST_DAY + 6);
  assert.deepEqual(await readDays('devnet'), { trades: kept, fine: kept, days: all });
  assert.ok(!(await list('candles')).includes(`candles_to_${end}`));
});

test('a partition stays as long as one chain keeps its rows', async (t) => {
  const { add, divide, rotate, readDays } = await openMarket(t);
  await add('base', [FIRST_DAY]);
  await add('devnet', [FIRST_DAY]);
  await divide();
  await rotate(FIRST_DAY + 2, 0);
  const days = range(FIRST_DAY + 2, FIRST_DAY + 4);
  await add('base', days, FIRST_DAY + 2);
  await add('devnet', days, FIRST_DAY + 3);
  assert.deepEqual(await rotate(FIRST_DAY + 4, FIRST_DAY + 3), ['partitions', 'partitions']);
  assert.deepEqual((await readDays('base')).trades, days);
  await add('base', [], FIRST_DAY + 3);
  assert.deepEqual(await rotate(FIRST_DAY + 4, FIRST_DAY + 3), ['none', 'none']);
  for (const chain of ['base', 'devnet'] as const) {
    assert.deepEqual((await readDays(chain)).trades, days.slice(1));
  }
  // A chain that is far behind does not keep the others' rows.
  await add('devnet', [], FIRST_DAY + 9);
  assert.deepEqual(await rotate(FIRST_DAY + 9, FIRST_DAY + 9), ['rows', 'rows']);
});

test('a reader holds a partition and nobody waits; it goes once the reader has ended', async (t) => {
  const { add, divide, rotate, readDays, market } = await openMarket(t);
  await add('devnet', [FIRST_DAY]);
  await divide();
  await rotate(FIRST_DAY + 2, 0);
  const days = range(FIRST_DAY + 2, FIRST_DAY + 4);
  await add('devnet', days, FIRST_DAY + 3);
  const [reading, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reader = market.snapshot(async (snapshot) => {
    const read = async () => {
      const found = [];
      for await (const rows of snapshot.scanTrades('devnet')) found.push(...rows);
      return found.length;
    };
    const before = await read();
    await snapshot.readCandles('devnet', []);
    reading.resolve();
    await end.promise;
    return [before, await read()];
  });
  await reading.promise;
  try {
    assert.equal((await rotate(FIRST_DAY + 4, FIRST_DAY + 3))[0], 'partitions');
    assert.equal((await readDays('devnet')).trades.length, 4);
  } finally {
    end.resolve();
  }
  assert.deepEqual(await reader, [4, 4]);
  assert.deepEqual(await rotate(FIRST_DAY + 4, FIRST_DAY + 3), ['none', 'none']);
});

test('rows of times without a partition are kept, and deleted one by one', async (t) => {
  const { add, divide, rotate, readDays, list, market } = await openMarket(t);
  await add('devnet', [FIRST_DAY]);
  await divide();
  await rotate(FIRST_DAY + 2, 0);
  const far = FIRST_DAY + 50;
  await add('devnet', [far], FIRST_DAY + 40);
  // Nothing in the rest is below the floor, or of this chain.
  assert.deepEqual(await rotate(far, FIRST_DAY + 40), ['none', 'none']);
  assert.deepEqual(await rotate(far + 2, far + 1, { chain: 'base' }), ['none', 'none']);
  assert.deepEqual(await rotate(far + 2, far + 1), ['rows', 'rows']);
  assert.ok(!(await list('trades')).includes(`trades_${far}_${far + 1}`));
  assert.deepEqual((await readDays('devnet')).trades, [far]);
  await add('devnet', [far + 1], far + 1);
  const old = { beforeMs: toMs(far + 1), upToBlock: far + 1, limit: 10 };
  assert.equal(await market.deleteOldTrades('devnet', old), 1);
  assert.equal((await rotate(far + 1, far + 1))[0], 'none');
  assert.deepEqual((await readDays('devnet')).trades, [far + 1]);
});

test('a table with rows is divided only if an operator wants it, one without by itself', async (t) => {
  const { add, rotate, list } = await openMarket(t);
  await add('devnet', [FIRST_DAY]);
  assert.deepEqual(await rotate(FIRST_DAY, 0), ['rows', 'rows']);
  assert.deepEqual([...(await list('trades')), ...(await list('candles'))], []);
  const fresh = await openMarket(t);
  // All rows are kept: nobody needs partitions.
  await fresh.rotate(FIRST_DAY, 0, { spanDays: null });
  assert.deepEqual(await fresh.list('trades'), []);
  await fresh.rotate(FIRST_DAY, 0);
  await fresh.add('devnet', [FIRST_DAY]);
  const [row] = await fresh.place.run('SELECT tableoid::regclass::text AS part FROM trades');
  assert.equal(row?.['part'], `trades_${FIRST_DAY}_${FIRST_DAY + 1}`);
});

test('an operator is told of a reader in the way of a division', async (t) => {
  const { add, partitions, market } = await openMarket(t);
  await add('devnet', [FIRST_DAY]);
  await market.snapshot(async () => {
    assert.equal(await partitions.divide('trades'), 'later');
  });
  assert.equal(await partitions.divide('trades'), 'done');
});

test('a snapshot has the rows of its time, even if it reads them after others wanted to drop them', async (t) => {
  const { add, rotate, market } = await openMarket(t);
  await rotate(FIRST_DAY, 0);
  await add('devnet', range(FIRST_DAY, FIRST_DAY + 2), FIRST_DAY + 2);
  const found = { trades: 0, candles: 0 };
  await market.snapshot(async (snapshot) => {
    assert.deepEqual(await rotate(FIRST_DAY + 2, FIRST_DAY + 2), ['partitions', 'partitions']);
    for await (const rows of snapshot.scanTrades('devnet')) found.trades += rows.length;
    for await (const rows of snapshot.scanCandles('devnet')) found.candles += rows.length;
  });
  assert.deepEqual(found, { trades: 3, candles: 3 * STORED_INTERVALS.length });
  assert.deepEqual(await rotate(FIRST_DAY + 2, FIRST_DAY + 2), ['none', 'none']);
});

test('a chain that begins right before a drop keeps its rows', async (t) => {
  const { add, rotate, readDays, place } = await openMarket(t);
  await rotate(FIRST_DAY, 0);
  await add('devnet', range(FIRST_DAY, FIRST_DAY + 2), FIRST_DAY + 2);
  const pool = new PostgresPool({ url: place.address.target, poolSize: 2 });
  t.after(() => pool.close());
  let isBegun = false;
  const engine: SqlEngine = {
    session: {
      ...pool.session,
      query: async (statement, values) => {
        const rows = await pool.session.query(statement, values);
        // The floors were read just now.
        if (!isBegun && statement.sql.includes('checkpoints')) {
          isBegun = true;
          await add('base', [FIRST_DAY]);
        }
        return rows;
      },
    },
    transaction: (work) => pool.transaction('BEGIN', work),
    snapshot: (work) => pool.transaction(BEGIN_SNAPSHOT, work),
  };
  const late = new PostgresPartitions(engine, () => assert.fail('nothing is divided'));
  const [nowMs, floorMs] = [toMs(FIRST_DAY + 2), toMs(FIRST_DAY + 2)];
  await late.rotate('trades', { chain: 'devnet', spanDays: 1, nowMs, floorMs });
  assert.ok(isBegun);
  assert.deepEqual((await readDays('base')).trades, [FIRST_DAY]);
});

test('a chain that stands still keeps its own partitions, and others go once they are empty', async (t) => {
  const { add, rotate, readDays, list, market } = await openMarket(t);
  await rotate(FIRST_DAY, 0);
  await add('base', [FIRST_DAY], FIRST_DAY);
  for (const day of range(FIRST_DAY, FIRST_DAY + 8)) {
    await rotate(day, 0);
    await add('devnet', [day]);
  }
  const floor = FIRST_DAY + 7;
  await add('devnet', [], floor);
  const isDue = (name: string) => Number(name.split('_')[2]) <= floor;
  const listDue = async () => (await list('trades')).filter(isDue);
  assert.equal((await rotate(FIRST_DAY + 8, floor))[0], 'rows');
  assert.equal((await listDue()).length, 7);
  const old = { beforeMs: toMs(floor), upToBlock: FIRST_DAY + 8, limit: 100 };
  assert.equal(await market.deleteOldTrades('devnet', old), 7);
  await rotate(FIRST_DAY + 8, floor);
  assert.deepEqual(await listDue(), [`trades_${FIRST_DAY}_${FIRST_DAY + 1}`]);
  assert.deepEqual((await readDays('base')).trades, [FIRST_DAY]);
});

test('while all rows are kept a divided table gets partitions, too, and fewer', async (t) => {
  const { add, rotate, list, place } = await openMarket(t);
  await rotate(FIRST_DAY, 0);
  const day = FIRST_DAY + 60;
  await rotate(day, 0, { spanDays: null });
  await add('devnet', [day], 0);
  const [row] = await place.run('SELECT tableoid::regclass::text AS part FROM trades');
  const [, from, to] = String(row?.['part']).split('_').map(Number);
  assert.ok(from! <= day && day < to! && to! - from! === 30, String(row?.['part']));
  // With fewer days again, its rows are deleted one by one: the partition would stay for long.
  await add('devnet', [day + 1], day + 1);
  assert.deepEqual(await rotate(day + 1, day + 1), ['rows', 'rows']);
  assert.ok((await list('trades')).includes(String(row?.['part'])));
});

test('partitions are planned ahead of the chain, without those that are there', () => {
  const days = (slices: ReturnType<typeof planSlices>) =>
    slices.map(({ fromDay, toDay }) => [fromDay, toDay]);
  const plan = { spanDays: 2, nowMs: toMs(101) };
  assert.deepEqual(days(planSlices([], plan)), [
    ...[
      [100, 102],
      [102, 104],
    ],
    ...[
      [104, 106],
      [106, 108],
    ],
  ]);
  const there = [
    { fromDay: Number.NEGATIVE_INFINITY, toDay: 101 },
    { fromDay: 103, toDay: 104 },
  ];
  assert.deepEqual(days(planSlices(there, plan)), [
    ...[[101, 102]],
    ...[
      [104, 106],
      [106, 108],
    ],
  ]);
});
