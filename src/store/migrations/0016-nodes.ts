// What several processes on one store share: which of them indexes a chain, and the feed of
// commits.
//
// SQLite serves one process, which needs neither.

import type { Migration } from './migration.ts';

const TEXT = 'TEXT COLLATE "C"';

// Replaced twice a second: room in the page keeps each new version beside the old one.
const LEASES = `CREATE TABLE chain_leases (
  chain ${TEXT} NOT NULL,
  token BIGINT NOT NULL,
  holder ${TEXT} NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL,
  report TEXT,
  reported_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (chain)
) WITH (fillfactor = 50)`;

const FEED = `CREATE TABLE feed_batches (
  chain ${TEXT} NOT NULL,
  epoch ${TEXT} NOT NULL,
  version BIGINT NOT NULL,
  written_at TIMESTAMPTZ NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (chain, epoch, version)
)`;

export const NODES_MIGRATION: Migration = {
  id: 16,
  name: 'nodes',
  toStatements: (dialect) =>
    dialect === 'sqlite'
      ? []
      : [
          LEASES,
          FEED,
          'CREATE INDEX feed_batches_by_age ON feed_batches (chain, written_at)',
          'CREATE INDEX pool_safety_by_time ON pool_safety (chain, checked_at_ms)',
        ],
};
