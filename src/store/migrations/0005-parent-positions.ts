// Where a block's parent stands: on chains with skipped slots it is not simply one below.

import type { Migration } from './migration.ts';

export const PARENT_POSITIONS_MIGRATION: Migration = {
  id: 5,
  name: 'parent-positions',
  toStatements: (dialect) => [
    `ALTER TABLE headers ADD COLUMN parent_number ${dialect === 'sqlite' ? 'INTEGER' : 'BIGINT'} NOT NULL DEFAULT -1`,
    'UPDATE headers SET parent_number = number - 1',
  ],
};
