// Every migration of the market in order. New ones are appended; released ones are never edited.

import { MARKETS_MIGRATION } from './0001-markets.ts';
import { MARKET_READS_MIGRATION } from './0002-market-reads.ts';
import { STREAMS_MIGRATION } from './0003-streams.ts';
import { POOL_SAFETY_MIGRATION } from './0004-pool-safety.ts';
import { PARENT_POSITIONS_MIGRATION } from './0005-parent-positions.ts';
import { POOL_KINDS_MIGRATION } from './0006-pool-kinds.ts';
import { ADOPTIONS_MIGRATION } from './0007-adoptions.ts';
import { RETENTION_MIGRATION } from './0008-retention.ts';
import { BACKFILLS_MIGRATION } from './0009-backfills.ts';
import { DISCOVERIES_MIGRATION } from './0010-discoveries.ts';
import { SCOPE_MIGRATION } from './0011-scope.ts';
import { COMPACT_ROWS_MIGRATION } from './0012-compact-rows.ts';
import { POSITIONS_MIGRATION } from './0013-positions.ts';
import { NEWS_MIGRATION } from './0014-news.ts';
import { TRADE_INDEXES_MIGRATION } from './0015-trade-indexes.ts';
import { NODES_MIGRATION } from './0016-nodes.ts';
import { LAUNCHES_MIGRATION } from './0017-launches.ts';
import { SERVERS_MIGRATION } from './0018-servers.ts';
import type { Migration, MigrationHistory } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  MARKETS_MIGRATION,
  MARKET_READS_MIGRATION,
  STREAMS_MIGRATION,
  POOL_SAFETY_MIGRATION,
  PARENT_POSITIONS_MIGRATION,
  POOL_KINDS_MIGRATION,
  ADOPTIONS_MIGRATION,
  RETENTION_MIGRATION,
  BACKFILLS_MIGRATION,
  DISCOVERIES_MIGRATION,
  SCOPE_MIGRATION,
  COMPACT_ROWS_MIGRATION,
  POSITIONS_MIGRATION,
  NEWS_MIGRATION,
  TRADE_INDEXES_MIGRATION,
  NODES_MIGRATION,
  LAUNCHES_MIGRATION,
  SERVERS_MIGRATION,
];

export const MARKET_HISTORY: MigrationHistory = {
  table: 'mintwire_migrations',
  migrations: MIGRATIONS,
};
