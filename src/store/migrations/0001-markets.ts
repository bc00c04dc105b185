// The first schema: everything that indexing keeps.

import type { Migration, SqlDialect } from './migration.ts';

interface ColumnTypes {
  readonly text: string;
  readonly name: string;
  readonly integer: string;
}

/** PostgreSQL compares text by a locale unless told otherwise; bytes are what both must sort by. */
const POSTGRES_TEXT = 'TEXT COLLATE "C"';

const COLUMN_TYPES: Record<SqlDialect, ColumnTypes> = {
  // SQLite keeps names as numbers (see `NameTable`).
  sqlite: { text: 'TEXT', name: 'INTEGER', integer: 'INTEGER' },
  postgres: { text: POSTGRES_TEXT, name: POSTGRES_TEXT, integer: 'BIGINT' },
};

function toTables({ text, integer }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE checkpoints (
      chain ${text} NOT NULL,
      start_block ${integer} NOT NULL,
      block ${integer} NOT NULL,
      block_hash ${text} NOT NULL,
      timestamp_ms ${integer} NOT NULL,
      finalized_block ${integer} NOT NULL,
      version ${integer} NOT NULL,
      PRIMARY KEY (chain)
    )`,
    `CREATE TABLE headers (
      chain ${text} NOT NULL,
      number ${integer} NOT NULL,
      hash ${text} NOT NULL,
      parent_hash ${text} NOT NULL,
      timestamp_ms ${integer} NOT NULL,
      PRIMARY KEY (chain, number)
    )`,
    `CREATE TABLE tokens (
      chain ${text} NOT NULL,
      token ${text} NOT NULL,
      symbol ${text},
      name ${text},
      decimals ${integer},
      first_seen_block ${integer} NOT NULL,
      first_seen_at_ms ${integer} NOT NULL,
      balance_sum_raw ${text} NOT NULL,
      holders ${integer} NOT NULL,
      balances_broken ${integer} NOT NULL,
      supply_raw ${text},
      supply_block ${integer},
      supply_balance_sum_raw ${text},
      price_native ${text},
      price_usd ${text},
      last_trade_at_ms ${integer},
      trade_count ${integer} NOT NULL,
      PRIMARY KEY (chain, token)
    )`,
  ];
}

function toPoolTables({ text, integer }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE pools (
      chain ${text} NOT NULL,
      pool ${text} NOT NULL,
      venue ${text} NOT NULL,
      token0 ${text} NOT NULL,
      token1 ${text} NOT NULL,
      fee_pips ${integer} NOT NULL,
      tick_spacing ${integer},
      hooks ${text},
      vault ${text} NOT NULL,
      created_block ${integer} NOT NULL,
      created_at_ms ${integer} NOT NULL,
      complete ${integer} NOT NULL,
      reserve0 ${text},
      reserve1 ${text},
      sqrt_price_x96 ${text},
      liquidity ${text},
      tick ${integer},
      protocol_fee ${integer} NOT NULL,
      last_swap_at_ms ${integer},
      PRIMARY KEY (chain, pool)
    )`,
    `CREATE TABLE ticks (
      chain ${text} NOT NULL,
      pool ${text} NOT NULL,
      tick ${integer} NOT NULL,
      liquidity_gross ${text} NOT NULL,
      liquidity_net ${text} NOT NULL,
      PRIMARY KEY (chain, pool, tick)
    )`,
  ];
}

function toBigTables({ text, name, integer }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE balances (
      chain ${name} NOT NULL,
      token ${name} NOT NULL,
      owner ${text} NOT NULL,
      amount_raw ${text} NOT NULL,
      PRIMARY KEY (chain, token, owner)
    )`,
    `CREATE TABLE candles (
      chain ${name} NOT NULL,
      token ${name} NOT NULL,
      pool ${name} NOT NULL,
      interval ${name} NOT NULL,
      open_time_ms ${integer} NOT NULL,
      volume_raw ${text} NOT NULL,
      quote_volume_native ${text} NOT NULL,
      quote_volume_usd ${text} NOT NULL,
      trades ${integer} NOT NULL,
      buys ${integer} NOT NULL,
      sells ${integer} NOT NULL,
      native ${text},
      usd ${text},
      native_clean ${text},
      usd_clean ${text},
      PRIMARY KEY (chain, token, pool, interval, open_time_ms)
    )`,
    `CREATE TABLE trades (
      chain ${name} NOT NULL,
      token ${name} NOT NULL,
      timestamp_ms ${integer} NOT NULL,
      block ${integer} NOT NULL,
      log_index ${integer} NOT NULL,
      tx_hash ${text} NOT NULL,
      tx_swap_index ${integer} NOT NULL,
      is_buy ${integer} NOT NULL,
      wallet ${text} NOT NULL,
      venue ${name} NOT NULL,
      pool ${name} NOT NULL,
      amount_raw ${text} NOT NULL,
      quote_token ${name} NOT NULL,
      quote_amount_raw ${text} NOT NULL,
      price_native ${text},
      price_usd ${text},
      value_native ${text},
      value_usd ${text},
      outlier ${integer} NOT NULL,
      PRIMARY KEY (chain, token, timestamp_ms, block, log_index)
    )`,
    `CREATE TABLE undo_images (
      chain ${text} NOT NULL,
      block ${integer} NOT NULL,
      part ${integer} NOT NULL,
      images ${text} NOT NULL,
      PRIMARY KEY (chain, block, part)
    )`,
  ];
}

const INDEXES: readonly string[] = [
  'CREATE INDEX pools_by_token0 ON pools (chain, token0, token1)',
  'CREATE INDEX pools_by_token1 ON pools (chain, token1)',
  'CREATE INDEX balances_by_amount ON balances (chain, token, amount_raw DESC, owner)',
  'CREATE INDEX trades_by_block ON trades (chain, block, log_index)',
];

/** Rows that are found by key are kept in the key's own tree; documents and trades are not. */
const SQLITE_ROWID_TABLES = /CREATE TABLE (trades|undo_images) /;

/**
 * Of two indexes that cost the same by its estimate PostgreSQL takes the younger one, and before a
 * table's first ANALYZE that is every index: looking a balance up must not walk through all of its
 * token's holders meanwhile.
 */
const POSTGRES_KEY_LAST = `
  ALTER TABLE balances
    DROP CONSTRAINT balances_pkey, ADD PRIMARY KEY (chain, token, owner)`;

const SQLITE_NAMES = `
  CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT`;

export const MARKETS_MIGRATION: Migration = {
  id: 1,
  name: 'markets',
  toStatements: (dialect) => {
    const types = COLUMN_TYPES[dialect];
    const tables = [...toTables(types), ...toPoolTables(types), ...toBigTables(types)];
    if (dialect === 'postgres') return [...tables, ...INDEXES, POSTGRES_KEY_LAST];
    const strict = tables.map((table) =>
      SQLITE_ROWID_TABLES.test(table) ? `${table} STRICT` : `${table} STRICT, WITHOUT ROWID`,
    );
    return [SQLITE_NAMES, ...strict, ...INDEXES];
  },
};
