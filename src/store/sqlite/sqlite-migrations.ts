// Every step of SQLite's schemas. Steps are appended; released ones are never edited.

import type { Migration, MigrationHistory } from '../migrations/migration.ts';

// The first schema in SQLite: everything that the market and access store.
//
// Tables that are found by key are stored in the key's order (WITHOUT ROWID). Amounts are sortable
// text (docs/decisions/0003). Released statements are never edited: a change is a further
// migration.

const MARKET_SCHEMA = `
-- Texts that repeat, such as addresses: other tables store their numbers (name-table.ts).
CREATE TABLE names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- How far a chain is indexed, and from when on its rows are kept.
CREATE TABLE checkpoints (
  chain TEXT NOT NULL,
  start_block INTEGER NOT NULL,
  block INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  finalized_block INTEGER NOT NULL,
  version INTEGER NOT NULL,
  start_at_ms INTEGER,
  trades_from_ms INTEGER,
  candles_from_ms INTEGER,
  scope TEXT,
  positions_from_ms INTEGER,
  PRIMARY KEY (chain)
) STRICT, WITHOUT ROWID;

-- The last blocks; on chains with skipped slots a block's parent is not simply one below.
CREATE TABLE headers (
  chain TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  parent_number INTEGER NOT NULL DEFAULT -1,
  PRIMARY KEY (chain, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  symbol TEXT,
  name TEXT,
  decimals INTEGER,
  first_seen_block INTEGER NOT NULL,
  first_seen_at_ms INTEGER NOT NULL,
  balance_sum_raw TEXT NOT NULL,
  holders INTEGER NOT NULL,
  balances_broken INTEGER NOT NULL,
  supply_raw TEXT,
  supply_block INTEGER,
  supply_balance_sum_raw TEXT,
  price_native TEXT,
  price_usd TEXT,
  last_trade_at_ms INTEGER,
  trade_count INTEGER NOT NULL,
  liquidity_usd_e18 TEXT,
  paired_pool TEXT,
  paired_usd_e18 TEXT,
  launch TEXT,
  PRIMARY KEY (chain, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE ticks (
  chain TEXT NOT NULL,
  pool TEXT NOT NULL,
  tick INTEGER NOT NULL,
  liquidity_gross TEXT NOT NULL,
  liquidity_net TEXT NOT NULL,
  PRIMARY KEY (chain, pool, tick)
) STRICT, WITHOUT ROWID;

CREATE TABLE candles (
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  pool INTEGER NOT NULL,
  interval INTEGER NOT NULL,
  open_time_ms INTEGER NOT NULL,
  volume_raw TEXT NOT NULL,
  quote_volume_native TEXT NOT NULL,
  quote_volume_usd TEXT NOT NULL,
  trades INTEGER NOT NULL,
  buys INTEGER NOT NULL,
  sells INTEGER NOT NULL,
  native TEXT,
  usd TEXT,
  native_clean TEXT,
  usd_clean TEXT,
  PRIMARY KEY (chain, token, pool, interval, open_time_ms)
) STRICT, WITHOUT ROWID;

-- Rows as they were before a block that may be rolled back changed them.
CREATE TABLE undo_images (
  chain TEXT NOT NULL,
  block INTEGER NOT NULL,
  part INTEGER NOT NULL,
  images TEXT NOT NULL,
  PRIMARY KEY (chain, block, part)
) STRICT;

CREATE TABLE token_pauses (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  paused INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  version INTEGER NOT NULL UNIQUE,
  PRIMARY KEY (chain, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  chain TEXT NOT NULL,
  address TEXT NOT NULL,
  is_contract INTEGER NOT NULL,
  PRIMARY KEY (chain, address)
) STRICT, WITHOUT ROWID;

-- Which index a chain has: what was read under one epoch says nothing about another.
CREATE TABLE chain_epochs (
  chain TEXT NOT NULL,
  epoch TEXT NOT NULL,
  forgotten_version INTEGER NOT NULL,
  news_forgotten_version INTEGER NOT NULL DEFAULT 0,
  server TEXT,
  PRIMARY KEY (chain)
) STRICT, WITHOUT ROWID;

-- What streams resume from beyond the rows themselves: what was removed, and when.
CREATE TABLE rollbacks (
  chain TEXT NOT NULL,
  version INTEGER NOT NULL,
  block INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  tip_block INTEGER NOT NULL,
  tip_timestamp_ms INTEGER NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  PRIMARY KEY (chain, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE reverted_trades (
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  version INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  block INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  tx_swap_index INTEGER NOT NULL,
  PRIMARY KEY (chain, token, version, timestamp_ms, block, log_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX reverted_trades_by_version ON reverted_trades (chain, version);

-- Results of simulated round trips through pools.
CREATE TABLE pool_safety (
  chain TEXT NOT NULL,
  pool TEXT NOT NULL,
  token0 TEXT NOT NULL,
  token1 TEXT NOT NULL,
  out0_e2 INTEGER,
  in0_e2 INTEGER,
  sellable0 INTEGER,
  out1_e2 INTEGER,
  in1_e2 INTEGER,
  sellable1 INTEGER,
  hook_fee0 INTEGER,
  hook_fee1 INTEGER,
  checked_at_ms INTEGER NOT NULL,
  PRIMARY KEY (chain, pool)
) STRICT, WITHOUT ROWID;
CREATE INDEX pool_safety_by_time ON pool_safety (chain, checked_at_ms);

-- Terms and state are text that the pool's kind writes.
CREATE TABLE pools (
  chain TEXT NOT NULL,
  pool TEXT NOT NULL,
  venue TEXT NOT NULL,
  token0 TEXT NOT NULL,
  token1 TEXT NOT NULL,
  fee_pips INTEGER NOT NULL,
  vault TEXT NOT NULL,
  created_block INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  last_swap_at_ms INTEGER,
  liquidity_usd_e18 TEXT,
  kind TEXT NOT NULL,
  terms TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (chain, pool)
) STRICT, WITHOUT ROWID;
CREATE INDEX pools_by_token0 ON pools (chain, token0, token1);
CREATE INDEX pools_by_token0_depth ON pools (chain, token0, liquidity_usd_e18 DESC, pool);
CREATE INDEX pools_by_token1_depth ON pools (chain, token1, liquidity_usd_e18 DESC, pool);

-- Pools met in the middle of their life whose whole state was read from their contracts.
CREATE TABLE adoptions (
  chain TEXT NOT NULL,
  version INTEGER NOT NULL,
  pool TEXT NOT NULL,
  block INTEGER NOT NULL,
  kind TEXT NOT NULL,
  fee_pips INTEGER NOT NULL,
  state TEXT NOT NULL,
  ticks TEXT NOT NULL,
  PRIMARY KEY (chain, version, pool)
) STRICT, WITHOUT ROWID;
CREATE INDEX adoptions_by_block ON adoptions (chain, block);
CREATE INDEX adoptions_by_pool ON adoptions (chain, pool, version);

-- Jobs that fill in history from before the first indexed block.
CREATE TABLE backfills (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  from_block INTEGER,
  from_ms INTEGER,
  to_block INTEGER NOT NULL,
  to_ms INTEGER,
  next_block INTEGER NOT NULL,
  next_ms INTEGER,
  join_block INTEGER,
  memory TEXT NOT NULL,
  reason TEXT,
  PRIMARY KEY (chain, token, kind)
) STRICT, WITHOUT ROWID;

-- Balances of such jobs until they are joined with the index.
CREATE TABLE backfill_balances (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  owner TEXT NOT NULL,
  amount_raw TEXT NOT NULL,
  PRIMARY KEY (chain, token, owner)
) STRICT, WITHOUT ROWID;

-- Tokens that were looked up on demand, with the pools that were found then.
CREATE TABLE discoveries (
  chain TEXT NOT NULL,
  version INTEGER NOT NULL,
  token TEXT NOT NULL,
  block INTEGER NOT NULL,
  pools TEXT NOT NULL,
  PRIMARY KEY (chain, version, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX discoveries_by_block ON discoveries (chain, block);

-- Since when each token is in scope; token_watches has what the operator added.
CREATE TABLE scope_entries (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  from_block INTEGER NOT NULL,
  from_ms INTEGER NOT NULL,
  left_block INTEGER,
  pool TEXT,
  PRIMARY KEY (chain, token, from_block)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_watches (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  added_at_ms INTEGER NOT NULL,
  PRIMARY KEY (chain, token)
) STRICT, WITHOUT ROWID;

-- Trades of one block, or of one wallet at one time, are few: reads sort them.
CREATE TABLE trades (
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  block INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  tx_hash BLOB NOT NULL,
  tx_swap_index INTEGER NOT NULL,
  is_buy INTEGER NOT NULL,
  wallet BLOB NOT NULL,
  venue INTEGER NOT NULL,
  pool INTEGER NOT NULL,
  amount_raw TEXT NOT NULL,
  quote_token INTEGER NOT NULL,
  quote_amount_raw TEXT NOT NULL,
  price_native TEXT,
  price_usd TEXT,
  value_native TEXT,
  value_usd TEXT,
  outlier INTEGER NOT NULL,
  PRIMARY KEY (chain, token, timestamp_ms, block, log_index)
) STRICT;
CREATE INDEX trades_by_block ON trades (chain, block);
CREATE INDEX trades_by_wallet ON trades (chain, wallet, timestamp_ms);

CREATE TABLE balances (
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  owner BLOB NOT NULL,
  amount_raw TEXT NOT NULL,
  PRIMARY KEY (chain, token, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX balances_by_amount ON balances (chain, token, amount_raw DESC, owner);
CREATE INDEX balances_by_owner ON balances (chain, owner, token);

CREATE TABLE positions (
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
) STRICT, WITHOUT ROWID;
CREATE INDEX positions_by_volume ON positions (chain, token, volume_step);

-- What each commit brought, and which rollback removed it; for streams.
CREATE TABLE news (
  chain INTEGER NOT NULL,
  version INTEGER NOT NULL,
  place INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  block INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  reverted_version INTEGER,
  PRIMARY KEY (chain, version, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX news_by_block ON news (chain, block);
CREATE INDEX news_by_reverted ON news (chain, reverted_version) WHERE reverted_version IS NOT NULL;
`;

const ACCESS_SCHEMA = `
CREATE TABLE access_peppers (
  version INTEGER NOT NULL,
  mark TEXT NOT NULL,
  PRIMARY KEY (version)
) STRICT, WITHOUT ROWID;

CREATE TABLE access_wallets (
  id TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  signed_in_at_ms INTEGER NOT NULL,
  keys_issued INTEGER NOT NULL,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_wallets_by_address ON access_wallets (address);

CREATE TABLE access_sessions (
  id TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  address TEXT NOT NULL,
  chain TEXT NOT NULL,
  transport TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX access_sessions_by_token ON access_sessions (token_hash);
CREATE INDEX access_sessions_by_wallet ON access_sessions (wallet_id, created_at_ms);
CREATE INDEX access_sessions_by_use ON access_sessions (last_used_at_ms);

CREATE TABLE access_keys (
  id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  pepper_version INTEGER NOT NULL,
  prefix TEXT NOT NULL,
  last4 TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  last_used_at_ms INTEGER,
  scopes TEXT NOT NULL DEFAULT 'data mcp quote',
  allowed_ips TEXT NOT NULL DEFAULT '',
  per_minute INTEGER,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX access_keys_by_hash ON access_keys (hash);
CREATE INDEX access_keys_by_wallet ON access_keys (wallet_id, created_at_ms, id);
CREATE INDEX access_keys_by_revocation ON access_keys (revoked_at_ms);
CREATE INDEX access_keys_by_end ON access_keys (expires_at_ms);

CREATE TABLE access_idempotency (
  wallet_id TEXT NOT NULL,
  word TEXT NOT NULL,
  request TEXT NOT NULL,
  key_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (wallet_id, word)
) STRICT, WITHOUT ROWID;

CREATE TABLE access_usage (
  wallet_id TEXT NOT NULL,
  source TEXT NOT NULL,
  hour INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (wallet_id, source, hour)
) STRICT, WITHOUT ROWID;

-- What keys and sessions were used for, by hour and operation.
CREATE TABLE access_operation_usage (
  wallet_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  source TEXT NOT NULL,
  operation TEXT NOT NULL,
  requests INTEGER NOT NULL,
  cost_milli INTEGER NOT NULL,
  limited INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (wallet_id, hour, source, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_operation_usage_by_hour ON access_operation_usage (hour);

-- Tiers that operators gave to wallets, also to such that never signed in.
CREATE TABLE access_tiers (
  wallet_id TEXT NOT NULL,
  tier TEXT NOT NULL,
  assigned_at_ms INTEGER NOT NULL,
  PRIMARY KEY (wallet_id)
) STRICT, WITHOUT ROWID;

-- The processes that run on this store.
CREATE TABLE access_nodes (
  id TEXT NOT NULL,
  report TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;

-- Challenges that have signed in.
CREATE TABLE access_used_challenges (
  nonce TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_used_challenges_by_end ON access_used_challenges (expires_at_ms);
`;

/** Alerts, how far each is as of each block, one count of their changes, and what has fired. */
const ALERTS = `
CREATE TABLE alerts (
  chain TEXT NOT NULL,
  id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  webhook TEXT,
  token TEXT,
  rule TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  change INTEGER NOT NULL,
  PRIMARY KEY (chain, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX alerts_by_change ON alerts (chain, change);
CREATE INDEX alerts_by_wallet ON alerts (wallet_id, change);
CREATE INDEX alerts_by_end ON alerts (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

CREATE TABLE alert_states (
  chain TEXT NOT NULL,
  alert TEXT NOT NULL,
  block INTEGER NOT NULL,
  from_block INTEGER NOT NULL,
  ended_block INTEGER,
  is_armed INTEGER NOT NULL,
  mark TEXT,
  firings INTEGER NOT NULL,
  fired_at_ms INTEGER,
  figure TEXT,
  PRIMARY KEY (chain, alert, block)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_states_by_block ON alert_states (chain, block);

CREATE TABLE alert_changes (last INTEGER NOT NULL) STRICT;
INSERT INTO alert_changes (last) VALUES (0);

ALTER TABLE news ADD COLUMN body TEXT;
`;

const MARKET_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-schema', sql: MARKET_SCHEMA },
  {
    id: 2,
    name: 'archived-blocks',
    sql: 'ALTER TABLE checkpoints ADD COLUMN archived TEXT',
    isAdditive: true,
  },
  { id: 3, name: 'alerts', sql: ALERTS, isAdditive: true },
];

const WEBHOOK_SCHEMA = `
CREATE TABLE webhooks (
  id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  settings TEXT NOT NULL,
  secrets TEXT NOT NULL,
  public_key TEXT NOT NULL,
  rotated_until_ms INTEGER,
  status TEXT NOT NULL,
  disabled_reason TEXT,
  revision INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  step INTEGER NOT NULL,
  progress TEXT NOT NULL,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_by_wallet ON webhooks (wallet_id, created_at_ms);

-- The delivery that a receiver has not accepted yet.
CREATE TABLE webhook_pending (
  webhook_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (webhook_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  status TEXT NOT NULL,
  is_test INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  events INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  http_status INTEGER,
  answer TEXT,
  error TEXT,
  PRIMARY KEY (webhook_id, at_ms, id)
) STRICT, WITHOUT ROWID;
`;

const ACCESS_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-access-schema', sql: ACCESS_SCHEMA },
  { id: 2, name: 'webhooks', sql: WEBHOOK_SCHEMA, isAdditive: true },
];

const STARTING_OVER = 'Delete the folder of DATA_DIR';

export const SQLITE_MARKET: MigrationHistory = {
  table: 'mintwire_migrations',
  migrations: MARKET_MIGRATIONS,
  startingOver: STARTING_OVER,
};

/** Separate, because it is a separate file. */
export const SQLITE_ACCESS: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: ACCESS_MIGRATIONS,
  startingOver: STARTING_OVER,
};
