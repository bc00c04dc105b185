// The migrations of access: a history of its own, because it may live in a file of its own.

import { ACCESS_MIGRATION } from './0001-access.ts';
import type { MigrationHistory } from './migration.ts';

export const ACCESS_HISTORY: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: [ACCESS_MIGRATION],
};
