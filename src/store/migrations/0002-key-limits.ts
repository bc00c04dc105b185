// What keys may be used for. Keys from before may be used for everything, from anywhere.

import type { Migration } from './migration.ts';

export const KEY_LIMITS_MIGRATION: Migration = {
  id: 2,
  name: 'key limits',
  toStatements: (dialect) => {
    const integer = dialect === 'postgres' ? 'BIGINT' : 'INTEGER';
    const text = dialect === 'postgres' ? 'TEXT COLLATE "C"' : 'TEXT';
    return [
      `ALTER TABLE access_keys ADD COLUMN scopes ${text} NOT NULL DEFAULT 'data mcp quote'`,
      `ALTER TABLE access_keys ADD COLUMN allowed_ips ${text} NOT NULL DEFAULT ''`,
      `ALTER TABLE access_keys ADD COLUMN per_minute ${integer}`,
    ];
  },
};
