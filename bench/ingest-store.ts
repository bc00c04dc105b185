// The store of an ingest run: a file in a temporary folder, or a database of a real server.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    ? createSqliteStore({ file: target })
    : createPostgresStore({ url: target, poolSize: POOL_SIZE });
}
