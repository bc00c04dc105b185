// Picks the store's engine: PostgreSQL if a URL is set, otherwise SQLite files.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { MigrationOptions } from '../store/migrations/run-migrations.ts';
import { createPostgresStore } from '../store/postgres/create-postgres-store.ts';
import type { OnStandby } from '../store/postgres/postgres-standby.ts';
import type { OnTiming } from '../store/sql.ts';
import { createSqliteStore, mustUpgrade } from '../store/sqlite/create-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { OnStoreHealth } from '../store/store-health.ts';

interface OpenStoreOptions extends OnStoreHealth, Pick<MigrationOptions, 'onMigrating'> {
  readonly onTiming?: OnTiming;
  /** Whether an indexer writes the market through it; SQLite then writes on a thread of its own. */
  readonly isIndexing?: boolean;
  /** Whether answers are read from the standby, if there is one. */
  readonly readsStandby?: boolean;
  readonly onStandby?: OnStandby;
  /** Migrates the store whatever the settings say, and reports each migration. */
  readonly onMigrated?: (name: string) => void;
}

export function openStore(
  config: Config['store'],
  { isIndexing, readsStandby, ...more }: OpenStoreOptions = {},
): Promise<Store> {
  const migrates = config.migrate === 'auto' || more.onMigrated !== undefined;
  const options = { ...more, migrates };
  if (config.databaseUrl !== null) {
    const poolSize = config.databasePoolSize;
    const standbyUrl = readsStandby === true ? config.databaseReadUrl : null;
    return createPostgresStore({ url: config.databaseUrl, standbyUrl, poolSize, ...options });
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const file = findMarketFile(config);
  return createSqliteStore({ file, isThreaded: isIndexing, ...options });
}

function findMarketFile({ dataDir }: Config['store']): string {
  return join(dataDir, 'market.sqlite');
}

/**
 * Whether opening the store would upgrade it in this thread, statement by statement, each of which
 * may take minutes. PostgreSQL does that on its own.
 */
export function blocksToUpgrade(config: Config['store']): boolean {
  const { databaseUrl, migrate } = config;
  return databaseUrl === null && migrate === 'auto' && mustUpgrade(findMarketFile(config));
}

/** A store in a temporary file. */
export function openScratchStore(): Promise<Store> {
  return createSqliteStore({ file: ':memory:' });
}
