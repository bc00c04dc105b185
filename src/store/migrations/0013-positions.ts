// Positions of wallets, and trades and balances by wallet.
//
// Trades of one wallet with one token are found among all trades of the wallet, so the index by
// wallet takes the place of the one by token and wallet. Positions start with the next block:
// transfers of earlier ones are not stored.

import type { Migration } from './migration.ts';

const INDEXES = [
  'DROP INDEX trades_by_wallet',
  'CREATE INDEX trades_by_wallet ON trades (chain, wallet, timestamp_ms, block, log_index, token)',
  'CREATE INDEX positions_by_volume ON positions (chain, token, volume_step)',
];

// Balances are found by token through the index by amount. In PostgreSQL the key serves owners,
// too, if it begins with them; in SQLite rows are stored in the key's order, which is to stay.
const BALANCES = {
  sqlite: ['CREATE INDEX balances_by_owner ON balances (chain, owner, token)'],
  postgres: [
    'ALTER TABLE balances DROP CONSTRAINT balances_pkey',
    'ALTER TABLE balances ADD PRIMARY KEY (chain, owner, token)',
  ],
};

const SQLITE = `CREATE TABLE positions (
  chain INTEGER NOT NULL,
  wallet BLOB NOT NULL,
  token INTEGER NOT NULL,
  volume_step INTEGER NOT NULL,
  first_trade_at_ms INTEGER NOT NULL,
  last_trade_at_ms INTEGER NOT NULL,
  cost_known INTEGER NOT NULL,
  held TEXT NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (chain, wallet, token)
) STRICT, WITHOUT ROWID`;

// Room in each page lets a row be replaced without touching the indexes.
const POSTGRES = `CREATE TABLE positions (
  first_trade_at_ms BIGINT NOT NULL,
  last_trade_at_ms BIGINT NOT NULL,
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  volume_step SMALLINT NOT NULL,
  cost_known SMALLINT NOT NULL,
  wallet BYTEA NOT NULL,
  held TEXT COLLATE "C" NOT NULL,
  figures TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, wallet, token)
) WITH (fillfactor = 85)`;

export const POSITIONS_MIGRATION: Migration = {
  id: 13,
  name: 'positions',
  toStatements: (dialect) => [
    dialect === 'sqlite' ? SQLITE : POSTGRES,
    ...INDEXES,
    ...BALANCES[dialect],
    `ALTER TABLE checkpoints ADD COLUMN positions_from_ms ${dialect === 'sqlite' ? 'INTEGER' : 'BIGINT'}`,
    'UPDATE checkpoints SET positions_from_ms = timestamp_ms',
  ],
};
