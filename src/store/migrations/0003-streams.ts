// What streams resume from beyond the rows themselves: what was taken back, and which index it is.

import type { Migration, SqlDialect } from './migration.ts';

interface ColumnTypes {
  readonly text: string;
  readonly name: string;
  readonly integer: string;
}

function toColumnTypes(dialect: SqlDialect): ColumnTypes {
  if (dialect === 'sqlite') return { text: 'TEXT', name: 'INTEGER', integer: 'INTEGER' };
  const text = 'TEXT COLLATE "C"';
  return { text, name: text, integer: 'BIGINT' };
}

function toTables({ text, name, integer }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE chain_epochs (
      chain ${text} NOT NULL,
      epoch ${text} NOT NULL,
      forgotten_version ${integer} NOT NULL,
      PRIMARY KEY (chain)
    )`,
    `CREATE TABLE rollbacks (
      chain ${text} NOT NULL,
      version ${integer} NOT NULL,
      block ${integer} NOT NULL,
      timestamp_ms ${integer} NOT NULL,
      tip_block ${integer} NOT NULL,
      tip_timestamp_ms ${integer} NOT NULL,
      recorded_at_ms ${integer} NOT NULL,
      PRIMARY KEY (chain, version)
    )`,
    `CREATE TABLE reverted_trades (
      chain ${name} NOT NULL,
      token ${name} NOT NULL,
      version ${integer} NOT NULL,
      timestamp_ms ${integer} NOT NULL,
      block ${integer} NOT NULL,
      log_index ${integer} NOT NULL,
      tx_hash ${text} NOT NULL,
      tx_swap_index ${integer} NOT NULL,
      PRIMARY KEY (chain, token, version, timestamp_ms, block, log_index)
    )`,
  ];
}

const INDEXES = ['CREATE INDEX reverted_trades_by_version ON reverted_trades (chain, version)'];

/** A chain that is indexed already gets its epoch now. */
const ADD_EPOCHS: Record<SqlDialect, string> = {
  sqlite: `INSERT INTO chain_epochs (chain, epoch, forgotten_version)
    SELECT chain, lower(hex(randomblob(8))), 0 FROM checkpoints`,
  postgres: `INSERT INTO chain_epochs (chain, epoch, forgotten_version)
    SELECT chain, substr(md5(random()::text || clock_timestamp()::text), 1, 16), 0 FROM checkpoints`,
};

export const STREAMS_MIGRATION: Migration = {
  id: 3,
  name: 'streams',
  toStatements: (dialect) => {
    const strict = dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : '';
    const tables = toTables(toColumnTypes(dialect)).map((table) => `${table}${strict}`);
    return [...tables, ...INDEXES, ADD_EPOCHS[dialect]];
  },
};
