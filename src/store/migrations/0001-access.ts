// The first schema of access: who signed in, with which sessions and keys.

import type { Migration, SqlDialect } from './migration.ts';

function toSignInTables(text: string, integer: string): readonly string[] {
  return [
    // Rows to be locked by those who must come one after the other.
    `CREATE TABLE access_locks (
      name ${text} NOT NULL,
      version ${integer} NOT NULL,
      PRIMARY KEY (name)
    )`,
    `CREATE TABLE access_peppers (
      version ${integer} NOT NULL,
      mark ${text} NOT NULL,
      PRIMARY KEY (version)
    )`,
    `CREATE TABLE access_wallets (
      id ${text} NOT NULL,
      address ${text} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      signed_in_at_ms ${integer} NOT NULL,
      keys_issued ${integer} NOT NULL,
      PRIMARY KEY (id)
    )`,
    `CREATE TABLE access_challenges (
      id ${text} NOT NULL,
      chain ${text} NOT NULL,
      address ${text} NOT NULL,
      domain ${text} NOT NULL,
      message ${text} NOT NULL,
      caller_mark ${text} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      PRIMARY KEY (id)
    )`,
    `CREATE TABLE access_sessions (
      id ${text} NOT NULL,
      token_hash ${text} NOT NULL,
      wallet_id ${text} NOT NULL,
      address ${text} NOT NULL,
      chain ${text} NOT NULL,
      transport ${text} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      last_used_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer} NOT NULL,
      PRIMARY KEY (id)
    )`,
  ];
}

function toKeyTables(text: string, integer: string): readonly string[] {
  return [
    `CREATE TABLE access_keys (
      id ${text} NOT NULL,
      wallet_id ${text} NOT NULL,
      name ${text} NOT NULL,
      hash ${text} NOT NULL,
      pepper_version ${integer} NOT NULL,
      prefix ${text} NOT NULL,
      last4 ${text} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      expires_at_ms ${integer},
      revoked_at_ms ${integer},
      last_used_at_ms ${integer},
      PRIMARY KEY (id)
    )`,
    `CREATE TABLE access_idempotency (
      wallet_id ${text} NOT NULL,
      word ${text} NOT NULL,
      request ${text} NOT NULL,
      key_id ${text} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      PRIMARY KEY (wallet_id, word)
    )`,
    `CREATE TABLE access_usage (
      wallet_id ${text} NOT NULL,
      source ${text} NOT NULL,
      hour ${integer} NOT NULL,
      requests ${integer} NOT NULL,
      PRIMARY KEY (wallet_id, source, hour)
    )`,
  ];
}

function toTables(text: string, integer: string): readonly string[] {
  return [...toSignInTables(text, integer), ...toKeyTables(text, integer)];
}

const INDEXES: readonly string[] = [
  'CREATE UNIQUE INDEX access_sessions_by_token ON access_sessions (token_hash)',
  'CREATE INDEX access_sessions_by_wallet ON access_sessions (wallet_id, created_at_ms)',
  'CREATE UNIQUE INDEX access_keys_by_hash ON access_keys (hash)',
  'CREATE INDEX access_keys_by_wallet ON access_keys (wallet_id, created_at_ms, id)',
  'CREATE INDEX access_wallets_by_address ON access_wallets (address)',
  'CREATE INDEX access_challenges_by_caller ON access_challenges (caller_mark, expires_at_ms)',
  'CREATE INDEX access_challenges_by_address ON access_challenges (address, expires_at_ms)',
  'CREATE INDEX access_challenges_by_end ON access_challenges (expires_at_ms)',
];

const ROWS: readonly string[] = [
  "INSERT INTO access_locks (name, version) VALUES ('challenges', 0)",
];

export const ACCESS_MIGRATION: Migration = {
  id: 1,
  name: 'access',
  toStatements: (dialect: SqlDialect) => {
    if (dialect === 'postgres') {
      return [...toTables('TEXT COLLATE "C"', 'BIGINT'), ...INDEXES, ...ROWS];
    }
    const tables = toTables('TEXT', 'INTEGER').map((table) => `${table} STRICT, WITHOUT ROWID`);
    return [...tables, ...INDEXES, ...ROWS];
  },
};
