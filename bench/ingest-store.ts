// The store of an ingest run: a file in a temporary folder, or a database of a real server.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { AlertRecord } from '../src/model/alert.ts';
import { createPostgresStore } from '../src/store/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import type { Table } from '../src/store/table.ts';
import {
  ALERT_STATE_TABLE,
  ALERT_TABLE,
  toAlertRow,
  toAlertStateRow,
} from '../src/store/tables/alert-table.ts';
import { createTestDatabase } from '../test/postgres.ts';

export interface StoreAddress {
  readonly engine: Store['engine'];
  /** A file, or a URL. */
  readonly target: string;
}

export interface BenchStorePlace {
  readonly address: StoreAddress;
  remove(): Promise<void>;
}

export async function createStorePlace(engine: Store['engine']): Promise<BenchStorePlace> {
  if (engine === 'postgres') {
    const database = await createTestDatabase();
    return { address: { engine, target: database.url }, remove: () => database.drop() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-bench-'));
  return {
    address: { engine, target: join(folder, 'market.sqlite') },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const POOL_SIZE = 4;

export function openBenchStore({ engine, target }: StoreAddress): Promise<Store> {
  return engine === 'sqlite'
    ? createSqliteStore({ file: target, isThreaded: true })
    : createPostgresStore({ url: target, poolSize: POOL_SIZE });
}

/** Writes alerts with the states that they begin with, past the limits of their owners. */
export function addAlerts({ engine, target }: StoreAddress, alerts: readonly AlertRecord[]): void {
  if (engine !== 'sqlite') throw new Error('alerts are measured on SQLite');
  const database = new DatabaseSync(target);
  const insert = (table: Table) => {
    const places = table.columns.map(() => '?').join(', ');
    return database.prepare(`INSERT INTO ${table.name} VALUES (${places})`);
  };
  const [alert, state] = [insert(ALERT_TABLE), insert(ALERT_STATE_TABLE)];
  const start = { block: -1, fromBlock: -1, endedBlock: null, isArmed: false, mark: null };
  const none = { firings: 0, firedAtMs: null, figure: null };
  database.exec('BEGIN');
  for (const record of alerts) {
    alert.run(...toAlertRow('devnet', record));
    state.run(...toAlertStateRow('devnet', { alert: record.id, ...start, ...none }));
  }
  database.exec('COMMIT');
  database.close();
}

/** Tables with their indexes, dead rows included: as many bytes as the run left on the disk. */
const SELECT_BYTES = `SELECT SUM(pg_total_relation_size(c.oid))::text AS bytes FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'r'`;

const SELECT_BACKENDS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** Milliseconds of CPU that the server's processes for our connections have used. */
export async function readServerMs({ engine, target }: StoreAddress): Promise<number> {
  if (engine === 'sqlite') return 0;
  const client = new Client({ connectionString: target });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(SELECT_BACKENDS);
    const texts = rows.map(({ pid }) => readFileSync(`/proc/${pid}/schedstat`, 'utf8'));
    return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
  } finally {
    await client.end();
  }
}

/** What a closed store takes; a PostgreSQL server's own catalogue is not part of it. */
export async function readStoredBytes({ engine, target }: StoreAddress): Promise<number> {
  if (engine === 'sqlite') return (await stat(target)).size;
  const client = new Client({ connectionString: target });
  await client.connect();
  try {
    return Number((await client.query<{ bytes: string }>(SELECT_BYTES)).rows[0]?.bytes);
  } finally {
    await client.end();
  }
}
