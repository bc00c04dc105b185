// Where tokens were launched.

import type { Migration } from './migration.ts';

export const LAUNCHES_MIGRATION: Migration = {
  id: 17,
  name: 'launches',
  toStatements: (dialect) => [
    `ALTER TABLE tokens ADD COLUMN launch ${dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"'}`,
  ],
};
