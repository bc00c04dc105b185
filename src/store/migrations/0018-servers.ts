// Of which server an epoch is: a standby that was promoted may lack its last commits.

import type { Migration } from './migration.ts';

export const SERVERS_MIGRATION: Migration = {
  id: 18,
  name: 'servers',
  isAdditive: true,
  toStatements: (dialect) => [
    `ALTER TABLE chain_epochs ADD COLUMN server ${dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"'}`,
  ],
};
