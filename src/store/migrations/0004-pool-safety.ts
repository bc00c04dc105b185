// What simulated round trips showed of pools, so that a restart need not look at them all anew.

import type { Migration, SqlDialect } from './migration.ts';

function toTable(dialect: SqlDialect): string {
  const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
  const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
  return `CREATE TABLE pool_safety (
    chain ${text} NOT NULL,
    pool ${text} NOT NULL,
    token0 ${text} NOT NULL,
    token1 ${text} NOT NULL,
    out0_e2 ${integer},
    in0_e2 ${integer},
    sellable0 ${integer},
    out1_e2 ${integer},
    in1_e2 ${integer},
    sellable1 ${integer},
    hook_fee0 ${integer},
    hook_fee1 ${integer},
    checked_at_ms ${integer} NOT NULL,
    PRIMARY KEY (chain, pool)
  )`;
}

export const POOL_SAFETY_MIGRATION: Migration = {
  id: 4,
  name: 'pool-safety',
  toStatements: (dialect) => [
    `${toTable(dialect)}${dialect === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''}`,
  ],
};
