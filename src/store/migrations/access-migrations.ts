// The migrations of access: a separate history, because it may be in a separate file.

import { ACCESS_MIGRATION } from './0001-access.ts';
import type { MigrationHistory } from './migration.ts';

export const ACCESS_HISTORY: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: [ACCESS_MIGRATION],
};
