// Challenges that have signed in, and indexes for deleting ended keys and idle sessions.
//
// Open challenges have no rows any more: `access_challenges` is left to the version before.

import type { Migration } from './migration.ts';

export const USED_CHALLENGES_MIGRATION: Migration = {
  id: 5,
  name: 'used challenges',
  isAdditive: true,
  toStatements: (dialect) => {
    const isPostgres = dialect === 'postgres';
    const text = isPostgres ? 'TEXT COLLATE "C"' : 'TEXT';
    const integer = isPostgres ? 'BIGINT' : 'INTEGER';
    const end = isPostgres ? '' : ' STRICT, WITHOUT ROWID';
    return [
      `CREATE TABLE access_used_challenges (
        nonce ${text} NOT NULL,
        expires_at_ms ${integer} NOT NULL,
        PRIMARY KEY (nonce)
      )${end}`,
      'CREATE INDEX access_used_challenges_by_end ON access_used_challenges (expires_at_ms)',
      'CREATE INDEX access_sessions_by_use ON access_sessions (last_used_at_ms)',
      'CREATE INDEX access_keys_by_revocation ON access_keys (revoked_at_ms)',
      'CREATE INDEX access_keys_by_end ON access_keys (expires_at_ms)',
    ];
  },
};
