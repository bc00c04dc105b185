// Pools met mid-life whose whole state was read from their contracts, as it was then.

import type { Migration } from './migration.ts';

export const ADOPTIONS_MIGRATION: Migration = {
  id: 7,
  name: 'adoptions',
  toStatements: (dialect) => {
    const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
    const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    return [
      `CREATE TABLE adoptions (
        chain ${text} NOT NULL,
        version ${integer} NOT NULL,
        pool ${text} NOT NULL,
        block ${integer} NOT NULL,
        kind ${text} NOT NULL,
        fee_pips ${integer} NOT NULL,
        state ${text} NOT NULL,
        ticks ${text} NOT NULL,
        PRIMARY KEY (chain, version, pool)
      )${dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''}`,
      'CREATE INDEX adoptions_by_block ON adoptions (chain, block)',
      // A pair's reserves are told whole by every event: one that has any is known in full.
      `UPDATE pools SET complete = 1 WHERE kind = 'constantProduct' AND state <> ','`,
    ];
  },
};
