// Every step of PostgreSQL's schemas. Steps are appended; released ones are never edited.

import type { Migration, MigrationHistory } from '../migrations/migration.ts';
import { ACCESS_SCHEMA, MARKET_SCHEMA } from './first-schema.ts';

const MARKET_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-schema', sql: MARKET_SCHEMA },
];

const ACCESS_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-access-schema', sql: ACCESS_SCHEMA },
];

const STARTING_OVER = 'Drop its schema (`DROP SCHEMA public CASCADE; CREATE SCHEMA public;`)';

export const POSTGRES_MARKET: MigrationHistory = {
  table: 'mintwire_migrations',
  migrations: MARKET_MIGRATIONS,
  startingOver: STARTING_OVER,
};

/** Separate, because access may be backed up and restored without the market. */
export const POSTGRES_ACCESS: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: ACCESS_MIGRATIONS,
  startingOver: STARTING_OVER,
};
