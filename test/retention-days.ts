// Thirty days of a chain that keeps trades and fine candles for a few days: kept rows are right,
// and the disk does not grow.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { verifyChain } from '../src/ingest/verify/verify-chain.ts';
import type { Checkpoint } from '../src/model/market-record.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../src/store/store.ts';
import type { CreatePlace, StorePlace } from './conformance/store-place.ts';
import { FakeChain } from './fakes/fake-chain.ts';
import { startIndexer } from './fakes/indexed-chain.ts';

export const DAY_MS = 86_400_000;
/** For a day of a few trades; a busier one has each of them several times. */
export const BLOCKS_A_DAY = 48;
const DAYS = 30;
export const KEPT = { trades: 3, fineCandles: 5 };
/** Commits of the feed. */
const PRUNED_AT_ONCE = 50;
/** On a busy machine a day of many swaps takes long. */
export const WAIT_MAX_MS = 120_000;
const STEP_BYTES = 128 * 1024;
/** From here on as many rows are deleted as are added. */
const FULL_DAY = 10;

export async function countRows(place: StorePlace, sql: string): Promise<number> {
  const [row] = await place.run(sql);
  return Number(Object.values(row ?? {})[0]);
}

/**
 * The size of the files, log included; on PostgreSQL that of the two tables with their partitions
 * and indexes.
 */
async function readSize(place: StorePlace): Promise<number> {
  const { engine, target } = place.address;
  if (engine === 'sqlite') {
    await place.run('PRAGMA wal_checkpoint(TRUNCATE)');
    return statSync(target).size;
  }
  // The work of autovacuum, done now.
  await place.run('VACUUM trades');
  await place.run('VACUUM candles');
  const sum = (table: string) =>
    `(SELECT SUM(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}'))`;
  return countRows(place, `SELECT ${sum('trades')} + ${sum('candles')}`);
}

/** Old rows went with their partitions, and there are no more of these than days are kept. */
async function assertDropped(place: StorePlace): Promise<void> {
  const rows = await place.run(
    "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY relname",
  );
  const names = rows.map(({ relname }) => String(relname));
  for (const [table, kept] of [
    ['trades', KEPT.trades],
    ['candles', KEPT.fineCandles],
  ] as const) {
    const days = names.filter((name) => new RegExp(`^${table}_[0-9]+_[0-9]+$`).test(name));
    // The current day and some ahead.
    assert.ok(days.length > kept && days.length <= kept + 6, days.join(' '));
  }
  const others = names.filter((name) => !/_[0-9]+_[0-9]+$/.test(name));
  assert.deepEqual(others, ['candles_days', 'candles_rest', 'trades_rest']);
}

/** Candles of days stay, so they are left out. */
function countFineCandles(place: StorePlace, beforeMs: number): Promise<number> {
  const day = "(SELECT id FROM names WHERE name = '1d')";
  return countRows(
    place,
    `SELECT COUNT(*) FROM candles WHERE open_time_ms < ${beforeMs} AND interval <> ${day}`,
  );
}

async function countOld(place: StorePlace, { tradesFromMs = 0, candlesFromMs = 0 }: Checkpoint) {
  const sql = `SELECT COUNT(*) FROM trades WHERE timestamp_ms < ${tradesFromMs}`;
  return (await countRows(place, sql)) + (await countFineCandles(place, candlesFromMs));
}

/** Waits until every row below the floors is gone. */
async function settleFloors(place: StorePlace, store: MarketStore): Promise<Checkpoint> {
  const deadline = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const checkpoint = await store.readCheckpoint('devnet');
    if (checkpoint !== null && (await countOld(place, checkpoint)) === 0) return checkpoint;
    if (Date.now() > deadline) throw new Error('old rows are still there');
    await setImmediate();
  }
}

/**
 * A day like every other: the swaps of the chain's first day again, `times` times. Left to itself
 * the fake market drifts, and its figures get longer from day to day.
 */
export function repeatDay(chain: FakeChain, times = 1): void {
  for (const { events } of chain.blocks(1, BLOCKS_A_DAY)) {
    const swaps = events.filter((event) => event.kind === 'swap');
    const logs = Math.max(0, ...swaps.map(({ logIndex }) => logIndex)) + 1;
    const repeated = Array.from({ length: times }, (_, time) =>
      swaps.map((swap) => ({ ...swap, logIndex: swap.logIndex + time * logs })),
    );
    chain.extend(1, repeated.flat());
  }
}

/** Every table of the engine but the records of migrations. */
async function listTables(place: StorePlace): Promise<string[]> {
  const sql =
    place.address.engine === 'sqlite'
      ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : `SELECT relname AS name FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
        WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname = 'public'`;
  const names = (await place.run(sql)).map(({ name }) => String(name)).sort();
  return names.filter((name) => !name.includes('migrations'));
}

/** On SQLite without the bytes: its pages are counted for the whole file. */
async function measureTable(place: StorePlace, table: string) {
  const rows = await countRows(place, `SELECT COUNT(*) FROM ${table}`);
  if (place.address.engine === 'sqlite') return { rows, bytes: 0 };
  await place.run(`VACUUM ${table}`);
  const sum = `SELECT SUM(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}')`;
  const whole = `SELECT COALESCE((${sum}), pg_total_relation_size('${table}'))`;
  return { rows, bytes: await countRows(place, whole) };
}

/** What comes and goes at once of the feed: whether it is there depends on the day. */
async function measurePruned(place: StorePlace): Promise<number> {
  const size = await countRows(place, 'SELECT MAX(pg_column_size(body)) FROM feed_batches');
  return PRUNED_AT_ONCE * size;
}

/** Every pool is read again every day, as some of Solana's are. */
async function adoptAgain(market: MarketStore): Promise<void> {
  const pools: PoolRecord[] = [];
  for await (const rows of market.scanPools('devnet')) pools.push(...rows);
  const { block, version } = (await market.readCheckpoint('devnet')) ?? assert.fail();
  const ticks = Array.from({ length: 20 }, (_, tick) => ({
    ...{ tick, liquidityGross: 10n ** 18n, liquidityNet: 0n },
  }));
  const complete = pools.filter((row) => row.complete);
  assert.ok(complete.length > 0);
  await market.transaction('devnet', (one) =>
    one.putAdoptions(complete.map((row) => ({ ...row, block, version, ticks }))),
  );
}

/** The same events in other blocks, so that nothing comes that was not there before. */
function repeatFork(chain: FakeChain): void {
  const { position } = chain.head;
  const last = [...chain.blocks(position - 4, position)];
  chain.setBack(last.length);
  for (const { events } of last) chain.extend(1, [...events]);
}

/** `slack` for what comes and goes in steps: pages, and commits that are pruned fifty at once. */
function assertFlat(what: string, figures: readonly number[], slack = 0): void {
  const before = Math.max(...figures.slice(0, figures.length / 2));
  const after = Math.max(...figures.slice(figures.length / 2));
  assert.ok(after <= before * 1.15 + slack, `${what} grew: ${figures.join(' ')}`);
}

export async function assertFlatForThirtyDays(
  t: TestContext,
  { createPlace, times = 1 }: { readonly createPlace: CreatePlace; readonly times?: number },
): Promise<void> {
  const place = await createPlace();
  const { engine } = place.address;
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const { market } = store;
  const chain = new FakeChain({ seed: 91, finalityDepth: 6, blockMs: DAY_MS / BLOCKS_A_DAY });
  chain.extend(BLOCKS_A_DAY);
  const sizes = { blockCountMax: 50, eventCountMax: 2000 };
  const indexed = startIndexer(chain, market, { sizes, retention: KEPT });
  t.after(() => indexed.indexer.stop());
  const figures = { trades: [] as number[], candles: [] as number[], size: [] as number[] };
  const tables = await listTables(place);
  const perTable = new Map(tables.map((table) => [table, [] as number[]]));
  const bytes = new Map<string, number[]>();
  for (let day = 1; day <= DAYS; day += 1) {
    repeatDay(chain, times);
    if (day % 4 === 0) {
      await indexed.settle(WAIT_MAX_MS);
      repeatFork(chain);
    }
    await indexed.settle(WAIT_MAX_MS);
    const checkpoint = await settleFloors(place, market);
    await adoptAgain(market);
    // These go by the clocks of the process and of the server.
    indexed.clock.advance(DAY_MS);
    if (engine === 'postgres') {
      await place.run("UPDATE feed_batches SET written_at = written_at - interval '1 day'");
    }
    if (day < FULL_DAY) continue;
    for (const table of day % 4 === 2 ? tables : []) {
      const measured = await measureTable(place, table);
      perTable.get(table)?.push(measured.rows);
      bytes.set(table, [...(bytes.get(table) ?? []), measured.bytes]);
    }
    assert.ok(checkpoint.tradesFromMs! <= checkpoint.timestampMs - KEPT.trades * DAY_MS);
    figures.trades.push(await countRows(place, 'SELECT COUNT(*) FROM trades'));
    figures.candles.push(await countFineCandles(place, Number.MAX_SAFE_INTEGER));
    figures.size.push(await readSize(place));
  }
  await indexed.indexer.stop();
  t.diagnostic(JSON.stringify(figures));
  const verification = await verifyChain({
    ...{ adapter: indexed.adapter, store: market, attemptCountMax: 1 },
    ...{ sizes, signal: new AbortController().signal },
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
  });
  // The fake's contracts do not include repeated swaps.
  const rows = /^(token|candle|trade) /;
  assert.deepEqual(
    verification.differences.filter((line) => rows.test(line)),
    [],
  );
  assert.ok((verification.checked['trade'] ?? 0) > 0);
  assertFlat('trades', figures.trades);
  assertFlat('candles', figures.candles);
  assertFlat('size', figures.size);
  const prunedBytes = engine === 'postgres' ? await measurePruned(place) : 0;
  for (const table of tables) {
    const [rows = [], sizes = []] = [perTable.get(table), bytes.get(table)];
    t.diagnostic(`${table}: ${rows.at(-1)} rows, ${sizes.at(-1)} bytes`);
    const isFeed = table === 'feed_batches';
    assertFlat(`rows of ${table}`, rows, isFeed ? PRUNED_AT_ONCE : 0);
    assertFlat(`bytes of ${table}`, sizes, STEP_BYTES + (isFeed ? prunedBytes : 0));
  }
  assert.ok(indexed.events.some(({ reverted }) => reverted !== undefined));
  for (const table of ['trades', 'candles', 'adoptions', 'balances', 'positions', 'names']) {
    assert.ok((perTable.get(table)?.at(-1) ?? 0) > 0, table);
  }
  if (engine === 'postgres') await assertDropped(place);
  assert.deepEqual(
    indexed.warnings.filter((warning) => warning.startsWith('indexing failed')),
    [],
  );
}
