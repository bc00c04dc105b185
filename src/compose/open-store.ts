// Picks the store's engine: PostgreSQL if a URL is set, otherwise SQLite files.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createPostgresStore } from '../store/postgres/create-postgres-store.ts';
import type { OnTiming } from '../store/sql.ts';
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { OnStoreHealth } from '../store/store-health.ts';

interface OpenStoreOptions extends OnStoreHealth {
  readonly onTiming?: OnTiming;
}

export function openStore(config: Config['store'], options: OpenStoreOptions = {}): Promise<Store> {
  if (config.databaseUrl !== null) {
    const poolSize = config.databasePoolSize;
    return createPostgresStore({ url: config.databaseUrl, poolSize, ...options });
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  return createSqliteStore({ file: join(config.dataDir, 'market.sqlite'), ...options });
}

/** A temporary store in memory. */
export function openScratchStore(): Promise<Store> {
  return createSqliteStore({ file: ':memory:' });
}
