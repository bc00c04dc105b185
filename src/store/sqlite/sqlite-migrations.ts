// Every step of SQLite's schemas. Steps are appended; released ones are never edited.

import type { Migration, MigrationHistory } from '../migrations/migration.ts';
import { ACCESS_SCHEMA, MARKET_SCHEMA } from './first-schema.ts';

const MARKET_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-schema', sql: MARKET_SCHEMA },
];

const ACCESS_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-access-schema', sql: ACCESS_SCHEMA },
];

const STARTING_OVER = 'Delete the folder of DATA_DIR';

export const SQLITE_MARKET: MigrationHistory = {
  table: 'mintwire_migrations',
  migrations: MARKET_MIGRATIONS,
  startingOver: STARTING_OVER,
};

/** Separate, because it is a separate file. */
export const SQLITE_ACCESS: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: ACCESS_MIGRATIONS,
  startingOver: STARTING_OVER,
};
