// Jobs that fill in history from before the first indexed block, and the balances of those that
// are not joined with the index yet.

import type { Migration } from './migration.ts';

export const BACKFILLS_MIGRATION: Migration = {
  id: 9,
  name: 'backfills',
  toStatements: (dialect) => {
    const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
    const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    const end = dialect === 'sqlite' ? ') STRICT, WITHOUT ROWID' : ')';
    return [
      `CREATE TABLE backfills (
        chain ${text} NOT NULL,
        token ${text} NOT NULL,
        kind ${text} NOT NULL,
        status ${text} NOT NULL,
        requested_at_ms ${integer} NOT NULL,
        from_block ${integer},
        from_ms ${integer},
        to_block ${integer} NOT NULL,
        to_ms ${integer},
        next_block ${integer} NOT NULL,
        next_ms ${integer},
        join_block ${integer},
        memory ${text} NOT NULL,
        reason ${text},
        PRIMARY KEY (chain, token, kind)
      ${end}`,
      `CREATE TABLE backfill_balances (
        chain ${text} NOT NULL,
        token ${text} NOT NULL,
        owner ${text} NOT NULL,
        amount_raw ${text} NOT NULL,
        PRIMARY KEY (chain, token, owner)
      ${end}`,
    ];
  },
};
