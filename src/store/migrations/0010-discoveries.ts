// Tokens that were looked up on demand, with the pools that were found then.

import type { Migration } from './migration.ts';

export const DISCOVERIES_MIGRATION: Migration = {
  id: 10,
  name: 'discoveries',
  toStatements: (dialect) => {
    const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
    const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    return [
      `CREATE TABLE discoveries (
        chain ${text} NOT NULL,
        version ${integer} NOT NULL,
        token ${text} NOT NULL,
        block ${integer} NOT NULL,
        pools ${text} NOT NULL,
        PRIMARY KEY (chain, version, token)
      )${dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''}`,
      'CREATE INDEX discoveries_by_block ON discoveries (chain, block)',
    ];
  },
};
