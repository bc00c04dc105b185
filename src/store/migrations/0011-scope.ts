// Which tokens of a chain are indexed: what the operator watches, and since when each is in scope.

import type { Migration } from './migration.ts';

export const SCOPE_MIGRATION: Migration = {
  id: 11,
  name: 'scope',
  toStatements: (dialect) => {
    const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
    const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    const end = dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : '';
    return [
      `ALTER TABLE checkpoints ADD COLUMN scope ${text}`,
      `CREATE TABLE scope_entries (
        chain ${text} NOT NULL,
        token ${text} NOT NULL,
        from_block ${integer} NOT NULL,
        from_ms ${integer} NOT NULL,
        left_block ${integer},
        pool ${text},
        PRIMARY KEY (chain, token, from_block)
      )${end}`,
      `CREATE TABLE token_watches (
        chain ${text} NOT NULL,
        token ${text} NOT NULL,
        added_at_ms ${integer} NOT NULL,
        PRIMARY KEY (chain, token)
      )${end}`,
    ];
  },
};
