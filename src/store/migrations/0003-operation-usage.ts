// What keys and sessions were used for, by hour and operation.

import type { Migration } from './migration.ts';

export const OPERATION_USAGE_MIGRATION: Migration = {
  id: 3,
  name: 'operation usage',
  toStatements: (dialect) => {
    const isPostgres = dialect === 'postgres';
    const text = isPostgres ? 'TEXT COLLATE "C"' : 'TEXT';
    const integer = isPostgres ? 'BIGINT' : 'INTEGER';
    const table = `CREATE TABLE access_operation_usage (
      wallet_id ${text} NOT NULL,
      hour ${integer} NOT NULL,
      source ${text} NOT NULL,
      operation ${text} NOT NULL,
      requests ${integer} NOT NULL,
      cost_milli ${integer} NOT NULL,
      limited ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      PRIMARY KEY (wallet_id, hour, source, operation)
    )`;
    return [
      isPostgres ? table : `${table} STRICT, WITHOUT ROWID`,
      'CREATE INDEX access_operation_usage_by_hour ON access_operation_usage (hour)',
    ];
  },
};
