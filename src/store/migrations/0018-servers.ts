// Of which server an epoch is: a standby that was promoted may lack its last commits. And indexes
// by which rows are found that may go: adoptions that later ones replaced, and old probes.

import type { Migration } from './migration.ts';

export const SERVERS_MIGRATION: Migration = {
  id: 18,
  name: 'servers',
  isAdditive: true,
  toStatements: (dialect) => [
    `ALTER TABLE chain_epochs ADD COLUMN server ${dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"'}`,
    'CREATE INDEX adoptions_by_pool ON adoptions (chain, pool, version)',
    ...(dialect === 'sqlite'
      ? ['CREATE INDEX pool_safety_by_time ON pool_safety (chain, checked_at_ms)']
      : []),
  ],
};
