// Deletes everything that was indexed of one chain.

import type { ChainSlug } from '../../model/chain.ts';
import type { SqlSession } from '../sql.ts';
import type { SqlStatement, Table } from '../table.ts';
import { ACCOUNT_TABLE } from '../tables/account-table.ts';
import { ADOPTION_TABLE } from '../tables/adoption-table.ts';
import { BACKFILL_BALANCE_TABLE, BACKFILL_TABLE } from '../tables/backfill-table.ts';
import { BALANCE_TABLE } from '../tables/balance-table.ts';
import { CANDLE_TABLE } from '../tables/candle-table.ts';
import { CHECKPOINT_TABLE } from '../tables/checkpoint-table.ts';
import { DISCOVERY_TABLE } from '../tables/discovery-table.ts';
import { EPOCH_TABLE } from '../tables/epoch-table.ts';
import { HEADER_TABLE } from '../tables/header-table.ts';
import { NEWS_TABLE } from '../tables/news-table.ts';
import { POOL_SAFETY_TABLE } from '../tables/pool-safety-table.ts';
import { POOL_TABLE } from '../tables/pool-table.ts';
import { POSITION_TABLE } from '../tables/position-table.ts';
import { REVERTED_TRADE_TABLE } from '../tables/reverted-trade-table.ts';
import { ROLLBACK_TABLE } from '../tables/rollback-table.ts';
import { SCOPE_ENTRY_TABLE } from '../tables/scope-entry-table.ts';
import { TICK_TABLE } from '../tables/tick-table.ts';
import { TOKEN_TABLE } from '../tables/token-table.ts';
import { TRADE_TABLE } from '../tables/trade-table.ts';
import { UNDO_TABLE } from './undo-images.ts';

const INDEXED_TABLES: readonly Table[] = [
  // First: it waits for a commit that is under way, and makes those after it fail as stale.
  CHECKPOINT_TABLE,
  ACCOUNT_TABLE,
  ADOPTION_TABLE,
  BACKFILL_BALANCE_TABLE,
  BACKFILL_TABLE,
  BALANCE_TABLE,
  CANDLE_TABLE,
  DISCOVERY_TABLE,
  EPOCH_TABLE,
  HEADER_TABLE,
  NEWS_TABLE,
  POOL_SAFETY_TABLE,
  POOL_TABLE,
  POSITION_TABLE,
  REVERTED_TRADE_TABLE,
  ROLLBACK_TABLE,
  SCOPE_ENTRY_TABLE,
  TICK_TABLE,
  TOKEN_TABLE,
  TRADE_TABLE,
  UNDO_TABLE,
];

/** Every table's key begins with the chain; only its type differs. */
function buildDeleteChain(table: Table): SqlStatement {
  const sql = `DELETE FROM ${table.name} WHERE chain = $1`;
  return { sql, takes: table.types.slice(0, 1), gives: [] };
}

const STATEMENTS = INDEXED_TABLES.map(buildDeleteChain);

export async function forgetChain(session: SqlSession, chain: ChainSlug): Promise<void> {
  for (const statement of STATEMENTS) await session.execute(statement, [chain]);
}
