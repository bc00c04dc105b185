// Shorter indexes of trades: by block alone, and by wallet and time alone.
//
// Trades of one block, or of one wallet at one time, are few: reads sort them. PostgreSQL stores an
// equal key once for many rows, so the index by block shrinks to a quarter.

import type { Migration } from './migration.ts';

const BY_BLOCK = 'ON trades (chain, block)';
const BY_WALLET = 'ON trades (chain, wallet, timestamp_ms)';

/** Trades are read during the build: only the exchange at the end locks them out. */
const POSTGRES_STATEMENTS = [
  `CREATE INDEX trades_by_block_alone ${BY_BLOCK}`,
  `CREATE INDEX trades_by_wallet_alone ${BY_WALLET}`,
  'DROP INDEX trades_by_block',
  'DROP INDEX trades_by_wallet',
  'ALTER INDEX trades_by_block_alone RENAME TO trades_by_block',
  'ALTER INDEX trades_by_wallet_alone RENAME TO trades_by_wallet',
];

const SQLITE_STATEMENTS = [
  'DROP INDEX trades_by_block',
  `CREATE INDEX trades_by_block ${BY_BLOCK}`,
  'DROP INDEX trades_by_wallet',
  `CREATE INDEX trades_by_wallet ${BY_WALLET}`,
];

export const TRADE_INDEXES_MIGRATION: Migration = {
  id: 15,
  name: 'trade-indexes',
  toStatements: (dialect) => (dialect === 'postgres' ? POSTGRES_STATEMENTS : SQLITE_STATEMENTS),
};
