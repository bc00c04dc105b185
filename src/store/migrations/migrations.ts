// Every migration of the market in order. New ones are appended; released ones are never edited.

import { MARKETS_MIGRATION } from './0001-markets.ts';
import type { Migration, MigrationHistory } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [MARKETS_MIGRATION];

export const MARKET_HISTORY: MigrationHistory = {
  table: 'mintwire_migrations',
  migrations: MIGRATIONS,
};
