// Pools say of which kind they are, and keep what is their kind's own as text that the kind writes.

import type { Migration, SqlDialect } from './migration.ts';

const IS_PAIR = 'tick_spacing IS NULL';

/** Amounts stand in sortable text, two digits of length first; the new text has plain digits. */
function digits(column: string): string {
  return `COALESCE(SUBSTR(${column}, 3), '')`;
}

function whole(column: string): string {
  return `COALESCE(CAST(${column} AS TEXT), '')`;
}

function join(...fields: readonly string[]): string {
  return fields.join(" || ',' || ");
}

const KIND = `CASE WHEN ${IS_PAIR} THEN 'constantProduct' ELSE 'concentrated' END`;

/** A V4 pool's id has 32 bytes; every other pool is a contract with an address. */
const TERMS = `CASE WHEN ${IS_PAIR} THEN '' ELSE ${join(
  whole('tick_spacing'),
  "CASE WHEN LENGTH(pool) = 66 THEN '1' ELSE '0' END",
  "COALESCE(hooks, '')",
)} END`;

const STATE = `CASE WHEN ${IS_PAIR} THEN ${join(digits('reserve0'), digits('reserve1'))} ELSE ${join(
  digits('sqrt_price_x96'),
  digits('liquidity'),
  whole('tick'),
  whole('protocol_fee'),
  digits('amount0'),
  digits('amount1'),
)} END`;

const SHARED = [
  ...['chain', 'pool', 'venue', 'token0', 'token1', 'fee_pips', 'vault'],
  ...['created_block', 'created_at_ms', 'complete', 'last_swap_at_ms', 'liquidity_usd_e18'],
].join(', ');

function toTable(dialect: SqlDialect): string {
  const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
  const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
  return `CREATE TABLE pools (
    chain ${text} NOT NULL,
    pool ${text} NOT NULL,
    venue ${text} NOT NULL,
    token0 ${text} NOT NULL,
    token1 ${text} NOT NULL,
    fee_pips ${integer} NOT NULL,
    vault ${text} NOT NULL,
    created_block ${integer} NOT NULL,
    created_at_ms ${integer} NOT NULL,
    complete ${integer} NOT NULL,
    last_swap_at_ms ${integer},
    liquidity_usd_e18 ${text},
    kind ${text} NOT NULL,
    terms ${text} NOT NULL,
    state ${text} NOT NULL,
    PRIMARY KEY (chain, pool)
  )${dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''}`;
}

/** Constraints and indexes keep their names when a table is renamed, so the old ones go first. */
function toFreedNames(dialect: SqlDialect): readonly string[] {
  const indexes = ['pools_by_token0', 'pools_by_token0_depth', 'pools_by_token1_depth'];
  const dropped = indexes.map((index) => `DROP INDEX ${index}`);
  if (dialect === 'sqlite') return dropped;
  return [...dropped, 'ALTER TABLE pools_before DROP CONSTRAINT pools_pkey'];
}

function toIndexes(dialect: SqlDialect): readonly string[] {
  const deepest = dialect === 'sqlite' ? 'DESC' : 'DESC NULLS LAST';
  return [
    'CREATE INDEX pools_by_token0 ON pools (chain, token0, token1)',
    `CREATE INDEX pools_by_token0_depth ON pools (chain, token0, liquidity_usd_e18 ${deepest}, pool)`,
    `CREATE INDEX pools_by_token1_depth ON pools (chain, token1, liquidity_usd_e18 ${deepest}, pool)`,
  ];
}

export const POOL_KINDS_MIGRATION: Migration = {
  id: 6,
  name: 'pool-kinds',
  toStatements: (dialect) => [
    'ALTER TABLE pools RENAME TO pools_before',
    ...toFreedNames(dialect),
    toTable(dialect),
    `INSERT INTO pools (${SHARED}, kind, terms, state)
      SELECT ${SHARED}, ${KIND}, ${TERMS}, ${STATE} FROM pools_before`,
    'DROP TABLE pools_before',
    ...toIndexes(dialect),
  ],
};
