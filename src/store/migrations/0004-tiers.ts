// The tiers that operators gave to wallets, and the processes that run on this store.

import type { Migration } from './migration.ts';

export const TIERS_MIGRATION: Migration = {
  id: 4,
  name: 'tiers',
  toStatements: (dialect) => {
    const isPostgres = dialect === 'postgres';
    const text = isPostgres ? 'TEXT COLLATE "C"' : 'TEXT';
    const integer = isPostgres ? 'BIGINT' : 'INTEGER';
    const end = isPostgres ? '' : ' STRICT, WITHOUT ROWID';
    return [
      // Also of wallets that never signed in.
      `CREATE TABLE access_tiers (
        wallet_id ${text} NOT NULL,
        tier ${text} NOT NULL,
        assigned_at_ms ${integer} NOT NULL,
        PRIMARY KEY (wallet_id)
      )${end}`,
      `CREATE TABLE access_nodes (
        id ${text} NOT NULL,
        report ${text} NOT NULL,
        seen_at_ms ${integer} NOT NULL,
        PRIMARY KEY (id)
      )${end}`,
    ];
  },
};
