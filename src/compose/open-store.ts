// Picks the store's engine: PostgreSQL where a URL is set, else SQLite files.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createPostgresStore } from '../store/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts';
import type { Store } from '../store/store.ts';

export type OnTiming = (operation: string, ms: number) => void;

export function openStore(config: Config['store'], onTiming?: OnTiming): Promise<Store> {
  const timing = onTiming === undefined ? {} : { onTiming };
  if (config.databaseUrl !== null) {
    const poolSize = config.databasePoolSize;
    return createPostgresStore({ url: config.databaseUrl, poolSize, ...timing });
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  return createSqliteStore({ file: join(config.dataDir, 'market.sqlite'), ...timing });
}

/** A store in memory, for work that nobody keeps. */
export function openScratchStore(): Promise<Store> {
  return createSqliteStore({ file: ':memory:' });
}
