// The migrations of access: a separate history, because it may be in a separate file.

import { ACCESS_MIGRATION } from './0001-access.ts';
import { KEY_LIMITS_MIGRATION } from './0002-key-limits.ts';
import { OPERATION_USAGE_MIGRATION } from './0003-operation-usage.ts';
import { TIERS_MIGRATION } from './0004-tiers.ts';
import { USED_CHALLENGES_MIGRATION } from './0005-used-challenges.ts';
import type { MigrationHistory } from './migration.ts';

export const ACCESS_HISTORY: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: [
    ...[ACCESS_MIGRATION, KEY_LIMITS_MIGRATION, OPERATION_USAGE_MIGRATION, TIERS_MIGRATION],
    USED_CHALLENGES_MIGRATION,
  ],
};
