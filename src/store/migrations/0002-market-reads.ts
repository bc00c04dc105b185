// What the market's reads need beyond the rows that indexing keeps: liquidity, pauses, contracts.

import type { Migration, SqlDialect } from './migration.ts';

/** PostgreSQL compares text by a locale unless told otherwise; bytes are what both must sort by. */
function toColumnTypes(dialect: SqlDialect): { text: string; integer: string } {
  return dialect === 'sqlite'
    ? { text: 'TEXT', integer: 'INTEGER' }
    : { text: 'TEXT COLLATE "C"', integer: 'BIGINT' };
}

function toColumns({ text, integer }: { text: string; integer: string }): readonly string[] {
  return [
    `ALTER TABLE pools ADD COLUMN amount0 ${text}`,
    `ALTER TABLE pools ADD COLUMN amount1 ${text}`,
    `ALTER TABLE pools ADD COLUMN liquidity_usd_e18 ${text}`,
    `ALTER TABLE tokens ADD COLUMN liquidity_usd_e18 ${text}`,
    `ALTER TABLE tokens ADD COLUMN paired_pool ${text}`,
    `ALTER TABLE tokens ADD COLUMN paired_usd_e18 ${text}`,
    `ALTER TABLE checkpoints ADD COLUMN start_at_ms ${integer}`,
  ];
}

function toTables({ text, integer }: { text: string; integer: string }): readonly string[] {
  return [
    `CREATE TABLE token_pauses (
      chain ${text} NOT NULL,
      token ${text} NOT NULL,
      paused ${integer} NOT NULL,
      changed_at_ms ${integer} NOT NULL,
      version ${integer} NOT NULL UNIQUE,
      PRIMARY KEY (chain, token)
    )`,
    `CREATE TABLE accounts (
      chain ${text} NOT NULL,
      address ${text} NOT NULL,
      is_contract ${integer} NOT NULL,
      PRIMARY KEY (chain, address)
    )`,
  ];
}

/** The deepest pools come first; SQLite puts nulls last by itself, PostgreSQL must be told. */
function toIndexes(dialect: SqlDialect): readonly string[] {
  const deepest = dialect === 'sqlite' ? 'DESC' : 'DESC NULLS LAST';
  return [
    'DROP INDEX pools_by_token1',
    `CREATE INDEX pools_by_token0_depth ON pools (chain, token0, liquidity_usd_e18 ${deepest}, pool)`,
    `CREATE INDEX pools_by_token1_depth ON pools (chain, token1, liquidity_usd_e18 ${deepest}, pool)`,
    'CREATE INDEX trades_by_wallet ON trades (chain, token, wallet, timestamp_ms, block, log_index)',
  ];
}

export const MARKET_READS_MIGRATION: Migration = {
  id: 2,
  name: 'market reads',
  toStatements: (dialect) => {
    const types = toColumnTypes(dialect);
    const strict = dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : '';
    return [
      ...toColumns(types),
      ...toTables(types).map((table) => `${table}${strict}`),
      ...toIndexes(dialect),
    ];
  },
};
