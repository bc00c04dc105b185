// From when on trades and fine candles are kept: what is older was deleted, not missed.

import type { Migration } from './migration.ts';

export const RETENTION_MIGRATION: Migration = {
  id: 8,
  name: 'retention',
  toStatements: (dialect) =>
    ['trades_from_ms', 'candles_from_ms'].map(
      (column) =>
        `ALTER TABLE checkpoints ADD COLUMN ${column} ${dialect === 'sqlite' ? 'INTEGER' : 'BIGINT'}`,
    ),
};
