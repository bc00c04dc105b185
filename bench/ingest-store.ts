// The store of an ingest run: a file in a temporary folder, or a database of a real server.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createPostgresStore } from '../src/store/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
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
