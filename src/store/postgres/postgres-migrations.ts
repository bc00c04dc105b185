// Every step of PostgreSQL's schemas. Steps are appended; released ones are never edited.

import type { Migration, MigrationHistory } from '../migrations/migration.ts';

// The first schema in PostgreSQL: everything that the market and access store.
//
// Texts sort by their bytes (COLLATE "C"), as in SQLite. Amounts are sortable text
// (docs/decisions/0003). The order of indexes matters: of two that cost the same PostgreSQL takes
// the younger one. Released statements are never edited: a change is a further migration.

const MARKET_SCHEMA = `
-- How far a chain is indexed, and from when on its rows are kept.
CREATE TABLE checkpoints (
  chain TEXT COLLATE "C" NOT NULL,
  start_block BIGINT NOT NULL,
  block BIGINT NOT NULL,
  block_hash TEXT COLLATE "C" NOT NULL,
  timestamp_ms BIGINT NOT NULL,
  finalized_block BIGINT NOT NULL,
  version BIGINT NOT NULL,
  start_at_ms BIGINT,
  trades_from_ms BIGINT,
  candles_from_ms BIGINT,
  scope TEXT COLLATE "C",
  positions_from_ms BIGINT,
  PRIMARY KEY (chain)
);

-- The last blocks; on chains with skipped slots a block's parent is not simply one below.
CREATE TABLE headers (
  chain TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  parent_hash TEXT COLLATE "C" NOT NULL,
  timestamp_ms BIGINT NOT NULL,
  parent_number BIGINT NOT NULL DEFAULT -1,
  PRIMARY KEY (chain, number)
);

CREATE TABLE tokens (
  chain TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  symbol TEXT COLLATE "C",
  name TEXT COLLATE "C",
  decimals BIGINT,
  first_seen_block BIGINT NOT NULL,
  first_seen_at_ms BIGINT NOT NULL,
  balance_sum_raw TEXT COLLATE "C" NOT NULL,
  holders BIGINT NOT NULL,
  balances_broken BIGINT NOT NULL,
  supply_raw TEXT COLLATE "C",
  supply_block BIGINT,
  supply_balance_sum_raw TEXT COLLATE "C",
  price_native TEXT COLLATE "C",
  price_usd TEXT COLLATE "C",
  last_trade_at_ms BIGINT,
  trade_count BIGINT NOT NULL,
  liquidity_usd_e18 TEXT COLLATE "C",
  paired_pool TEXT COLLATE "C",
  paired_usd_e18 TEXT COLLATE "C",
  launch TEXT COLLATE "C",
  PRIMARY KEY (chain, token)
);

CREATE TABLE ticks (
  chain TEXT COLLATE "C" NOT NULL,
  pool TEXT COLLATE "C" NOT NULL,
  tick BIGINT NOT NULL,
  liquidity_gross TEXT COLLATE "C" NOT NULL,
  liquidity_net TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, pool, tick)
);

-- Rows as they were before a block that may be rolled back changed them.
CREATE TABLE undo_images (
  chain TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  part BIGINT NOT NULL,
  images TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, block, part)
);

CREATE TABLE token_pauses (
  chain TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  paused BIGINT NOT NULL,
  changed_at_ms BIGINT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (chain, token),
  UNIQUE (version)
);

CREATE TABLE accounts (
  chain TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C" NOT NULL,
  is_contract BIGINT NOT NULL,
  PRIMARY KEY (chain, address)
);

-- Which index a chain has: what was read under one epoch says nothing about another.
CREATE TABLE chain_epochs (
  chain TEXT COLLATE "C" NOT NULL,
  epoch TEXT COLLATE "C" NOT NULL,
  forgotten_version BIGINT NOT NULL,
  news_forgotten_version BIGINT NOT NULL DEFAULT 0,
  server TEXT COLLATE "C",
  PRIMARY KEY (chain)
);

-- What streams resume from beyond the rows themselves: what was removed, and when.
CREATE TABLE rollbacks (
  chain TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  block BIGINT NOT NULL,
  timestamp_ms BIGINT NOT NULL,
  tip_block BIGINT NOT NULL,
  tip_timestamp_ms BIGINT NOT NULL,
  recorded_at_ms BIGINT NOT NULL,
  PRIMARY KEY (chain, version)
);

-- Results of simulated round trips through pools.
CREATE TABLE pool_safety (
  chain TEXT COLLATE "C" NOT NULL,
  pool TEXT COLLATE "C" NOT NULL,
  token0 TEXT COLLATE "C" NOT NULL,
  token1 TEXT COLLATE "C" NOT NULL,
  out0_e2 BIGINT,
  in0_e2 BIGINT,
  sellable0 BIGINT,
  out1_e2 BIGINT,
  in1_e2 BIGINT,
  sellable1 BIGINT,
  hook_fee0 BIGINT,
  hook_fee1 BIGINT,
  checked_at_ms BIGINT NOT NULL,
  PRIMARY KEY (chain, pool)
);
CREATE INDEX pool_safety_by_time ON pool_safety (chain, checked_at_ms);

-- Terms and state are text that the pool's kind writes.
CREATE TABLE pools (
  chain TEXT COLLATE "C" NOT NULL,
  pool TEXT COLLATE "C" NOT NULL,
  venue TEXT COLLATE "C" NOT NULL,
  token0 TEXT COLLATE "C" NOT NULL,
  token1 TEXT COLLATE "C" NOT NULL,
  fee_pips BIGINT NOT NULL,
  vault TEXT COLLATE "C" NOT NULL,
  created_block BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  complete BIGINT NOT NULL,
  last_swap_at_ms BIGINT,
  liquidity_usd_e18 TEXT COLLATE "C",
  kind TEXT COLLATE "C" NOT NULL,
  terms TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, pool)
);
CREATE INDEX pools_by_token0 ON pools (chain, token0, token1);
CREATE INDEX pools_by_token0_depth ON pools (chain, token0, liquidity_usd_e18 DESC NULLS LAST, pool);
CREATE INDEX pools_by_token1_depth ON pools (chain, token1, liquidity_usd_e18 DESC NULLS LAST, pool);

-- Pools met in the middle of their life whose whole state was read from their contracts.
CREATE TABLE adoptions (
  chain TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  pool TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  fee_pips BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  ticks TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, version, pool)
);
CREATE INDEX adoptions_by_block ON adoptions (chain, block);
CREATE INDEX adoptions_by_pool ON adoptions (chain, pool, version);

-- Jobs that fill in history from before the first indexed block.
CREATE TABLE backfills (
  chain TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  requested_at_ms BIGINT NOT NULL,
  from_block BIGINT,
  from_ms BIGINT,
  to_block BIGINT NOT NULL,
  to_ms BIGINT,
  next_block BIGINT NOT NULL,
  next_ms BIGINT,
  join_block BIGINT,
  memory TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  PRIMARY KEY (chain, token, kind)
);

-- Balances of such jobs until they are joined with the index.
CREATE TABLE backfill_balances (
  chain TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  amount_raw TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, token, owner)
);

-- Tokens that were looked up on demand, with the pools that were found then.
CREATE TABLE discoveries (
  chain TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  pools TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, version, token)
);
CREATE INDEX discoveries_by_block ON discoveries (chain, block);

-- Since when each token is in scope; token_watches has what the operator added.
CREATE TABLE scope_entries (
  chain TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  from_block BIGINT NOT NULL,
  from_ms BIGINT NOT NULL,
  left_block BIGINT,
  pool TEXT COLLATE "C",
  PRIMARY KEY (chain, token, from_block)
);

CREATE TABLE token_watches (
  chain TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  added_at_ms BIGINT NOT NULL,
  PRIMARY KEY (chain, token)
);

-- Texts that repeat, such as addresses: other tables store their numbers (postgres-names.ts).
CREATE TABLE names (
  id INTEGER GENERATED BY DEFAULT AS IDENTITY,
  name TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name)
);

-- Columns of a fixed length first, in all large tables: it saves the gaps of alignment.
CREATE TABLE trades (
  timestamp_ms BIGINT NOT NULL,
  block BIGINT NOT NULL,
  log_index BIGINT NOT NULL,
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  venue INTEGER NOT NULL,
  pool INTEGER NOT NULL,
  quote_token INTEGER NOT NULL,
  tx_swap_index INTEGER NOT NULL,
  is_buy SMALLINT NOT NULL,
  outlier SMALLINT NOT NULL,
  tx_hash BYTEA NOT NULL,
  wallet BYTEA NOT NULL,
  amount_raw TEXT COLLATE "C" NOT NULL,
  quote_amount_raw TEXT COLLATE "C" NOT NULL,
  price_native TEXT COLLATE "C",
  price_usd TEXT COLLATE "C",
  value_native TEXT COLLATE "C",
  value_usd TEXT COLLATE "C",
  PRIMARY KEY (chain, token, timestamp_ms, block, log_index)
);
CREATE INDEX trades_by_block ON trades (chain, block);
CREATE INDEX trades_by_wallet ON trades (chain, wallet, timestamp_ms);

CREATE TABLE candles (
  open_time_ms BIGINT NOT NULL,
  trades BIGINT NOT NULL,
  buys BIGINT NOT NULL,
  sells BIGINT NOT NULL,
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  pool INTEGER NOT NULL,
  interval INTEGER NOT NULL,
  volume_raw TEXT COLLATE "C" NOT NULL,
  quote_volume_native TEXT COLLATE "C" NOT NULL,
  quote_volume_usd TEXT COLLATE "C" NOT NULL,
  native TEXT COLLATE "C",
  usd TEXT COLLATE "C",
  native_clean TEXT COLLATE "C",
  usd_clean TEXT COLLATE "C",
  PRIMARY KEY (chain, token, pool, interval, open_time_ms)
);

-- The key serves reads by owner; those by token use the index by amount.
CREATE TABLE balances (
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  owner BYTEA NOT NULL,
  amount_raw TEXT COLLATE "C" NOT NULL
);
CREATE INDEX balances_by_amount ON balances (chain, token, amount_raw DESC, owner);
ALTER TABLE balances ADD PRIMARY KEY (chain, owner, token);

CREATE TABLE reverted_trades (
  version BIGINT NOT NULL,
  timestamp_ms BIGINT NOT NULL,
  block BIGINT NOT NULL,
  log_index BIGINT NOT NULL,
  chain INTEGER NOT NULL,
  token INTEGER NOT NULL,
  tx_hash TEXT COLLATE "C" NOT NULL,
  tx_swap_index BIGINT NOT NULL
);
CREATE INDEX reverted_trades_by_version ON reverted_trades (chain, version);
ALTER TABLE reverted_trades
  ADD PRIMARY KEY (chain, token, version, timestamp_ms, block, log_index);

-- Room in each page lets a row be replaced without touching the indexes.
CREATE TABLE positions (
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
) WITH (fillfactor = 85);
CREATE INDEX positions_by_volume ON positions (chain, token, volume_step);

-- What each commit brought, and which rollback removed it; for streams.
CREATE TABLE news (
  chain INTEGER NOT NULL,
  version BIGINT NOT NULL,
  place BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  timestamp_ms BIGINT NOT NULL,
  reverted_version BIGINT,
  PRIMARY KEY (chain, version, place)
);
CREATE INDEX news_by_block ON news (chain, block);
CREATE INDEX news_by_reverted ON news (chain, reverted_version) WHERE reverted_version IS NOT NULL;

-- Replaced twice a second: room in the page keeps each new version beside the old one.
CREATE TABLE chain_leases (
  chain TEXT COLLATE "C" NOT NULL,
  token BIGINT NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL,
  report TEXT,
  reported_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (chain)
) WITH (fillfactor = 50);

CREATE TABLE feed_batches (
  chain TEXT COLLATE "C" NOT NULL,
  epoch TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  written_at TIMESTAMPTZ NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (chain, epoch, version)
);
CREATE INDEX feed_batches_by_age ON feed_batches (chain, written_at);
`;

const ACCESS_SCHEMA = `
CREATE TABLE access_peppers (
  version BIGINT NOT NULL,
  mark TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (version)
);

CREATE TABLE access_wallets (
  id TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  signed_in_at_ms BIGINT NOT NULL,
  keys_issued BIGINT NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX access_wallets_by_address ON access_wallets (address);

CREATE TABLE access_sessions (
  id TEXT COLLATE "C" NOT NULL,
  token_hash TEXT COLLATE "C" NOT NULL,
  wallet_id TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C" NOT NULL,
  chain TEXT COLLATE "C" NOT NULL,
  transport TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  last_used_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX access_sessions_by_token ON access_sessions (token_hash);
CREATE INDEX access_sessions_by_wallet ON access_sessions (wallet_id, created_at_ms);
CREATE INDEX access_sessions_by_use ON access_sessions (last_used_at_ms);

CREATE TABLE access_keys (
  id TEXT COLLATE "C" NOT NULL,
  wallet_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  pepper_version BIGINT NOT NULL,
  prefix TEXT COLLATE "C" NOT NULL,
  last4 TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  revoked_at_ms BIGINT,
  last_used_at_ms BIGINT,
  scopes TEXT COLLATE "C" NOT NULL DEFAULT 'data mcp quote',
  allowed_ips TEXT COLLATE "C" NOT NULL DEFAULT '',
  per_minute BIGINT,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX access_keys_by_hash ON access_keys (hash);
CREATE INDEX access_keys_by_wallet ON access_keys (wallet_id, created_at_ms, id);
CREATE INDEX access_keys_by_revocation ON access_keys (revoked_at_ms);
CREATE INDEX access_keys_by_end ON access_keys (expires_at_ms);

CREATE TABLE access_idempotency (
  wallet_id TEXT COLLATE "C" NOT NULL,
  word TEXT COLLATE "C" NOT NULL,
  request TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, word)
);

CREATE TABLE access_usage (
  wallet_id TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  hour BIGINT NOT NULL,
  requests BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, source, hour)
);

-- What keys and sessions were used for, by hour and operation.
CREATE TABLE access_operation_usage (
  wallet_id TEXT COLLATE "C" NOT NULL,
  hour BIGINT NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  requests BIGINT NOT NULL,
  cost_milli BIGINT NOT NULL,
  limited BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, hour, source, operation)
);
CREATE INDEX access_operation_usage_by_hour ON access_operation_usage (hour);

-- Tiers that operators gave to wallets, also to such that never signed in.
CREATE TABLE access_tiers (
  wallet_id TEXT COLLATE "C" NOT NULL,
  tier TEXT COLLATE "C" NOT NULL,
  assigned_at_ms BIGINT NOT NULL,
  PRIMARY KEY (wallet_id)
);

-- The processes that run on this store.
CREATE TABLE access_nodes (
  id TEXT COLLATE "C" NOT NULL,
  report TEXT COLLATE "C" NOT NULL,
  seen_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id)
);

-- Challenges that have signed in.
CREATE TABLE access_used_challenges (
  nonce TEXT COLLATE "C" NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (nonce)
);
CREATE INDEX access_used_challenges_by_end ON access_used_challenges (expires_at_ms);
`;

/** Alerts, how far each is as of each block, one count of their changes, and what has fired. */
const ALERTS = `
CREATE TABLE alerts (
  chain TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  wallet_id TEXT COLLATE "C" NOT NULL,
  webhook TEXT COLLATE "C",
  token TEXT COLLATE "C",
  rule TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  ended_at_ms BIGINT,
  change BIGINT NOT NULL,
  PRIMARY KEY (chain, id)
);
CREATE INDEX alerts_by_change ON alerts (chain, change);
CREATE INDEX alerts_by_wallet ON alerts (wallet_id, change);
CREATE INDEX alerts_by_end ON alerts (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

CREATE TABLE alert_states (
  chain TEXT COLLATE "C" NOT NULL,
  alert TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  from_block BIGINT NOT NULL,
  ended_block BIGINT,
  is_armed BIGINT NOT NULL,
  mark TEXT COLLATE "C",
  firings BIGINT NOT NULL,
  fired_at_ms BIGINT,
  figure TEXT COLLATE "C",
  PRIMARY KEY (chain, alert, block)
);
CREATE INDEX alert_states_by_block ON alert_states (chain, block);

CREATE TABLE alert_changes (last BIGINT NOT NULL);
INSERT INTO alert_changes (last) VALUES (0);

ALTER TABLE news ADD COLUMN body TEXT COLLATE "C";
`;

const MARKET_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-schema', sql: MARKET_SCHEMA },
  {
    id: 2,
    name: 'archived-blocks',
    sql: 'ALTER TABLE checkpoints ADD COLUMN archived TEXT COLLATE "C"',
    isAdditive: true,
  },
  { id: 3, name: 'alerts', sql: ALERTS, isAdditive: true },
];

const WEBHOOK_SCHEMA = `
CREATE TABLE webhooks (
  id TEXT COLLATE "C" NOT NULL,
  wallet_id TEXT COLLATE "C" NOT NULL,
  settings TEXT COLLATE "C" NOT NULL,
  secrets TEXT COLLATE "C" NOT NULL,
  public_key TEXT COLLATE "C" NOT NULL,
  rotated_until_ms BIGINT,
  status TEXT COLLATE "C" NOT NULL,
  disabled_reason TEXT COLLATE "C",
  revision BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  step BIGINT NOT NULL,
  progress TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX webhooks_by_wallet ON webhooks (wallet_id, created_at_ms);

-- The delivery that a receiver has not accepted yet.
CREATE TABLE webhook_pending (
  webhook_id TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (webhook_id)
);

CREATE TABLE webhook_deliveries (
  webhook_id TEXT COLLATE "C" NOT NULL,
  at_ms BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  event_id TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  is_test BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  events BIGINT NOT NULL,
  took_ms BIGINT NOT NULL,
  http_status BIGINT,
  answer TEXT COLLATE "C",
  error TEXT COLLATE "C",
  PRIMARY KEY (webhook_id, at_ms, id)
);
`;

const ACCESS_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first-access-schema', sql: ACCESS_SCHEMA },
  { id: 2, name: 'webhooks', sql: WEBHOOK_SCHEMA, isAdditive: true },
];

const STARTING_OVER = 'Drop its schema (`DROP SCHEMA public CASCADE; CREATE SCHEMA public;`)';

export const POSTGRES_MARKET: MigrationHistory = {
  table: 'mintwire_migrations',
  migrations: MARKET_MIGRATIONS,
  startingOver: STARTING_OVER,
};

/** Separate, because access may be backed up and restored without the market. */
export const POSTGRES_ACCESS: MigrationHistory = {
  table: 'mintwire_access_migrations',
  migrations: ACCESS_MIGRATIONS,
  startingOver: STARTING_OVER,
};
