// Deletes everything that was indexed of one chain, some rows in each transaction: a large index
// takes hours, and one transaction of it would block vacuum and lose all when it fails.
//
// First the checkpoint, so that nobody reads or writes the rest; the row of the epoch marks what is
// half deleted, and goes last. Whoever finds the mark goes on (`ChainIndex.load`).

import type { ChainSlug } from '../../model/chain.ts';
import { FORGOTTEN_EPOCH } from '../create-epoch.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow, SqlSession } from '../sql.ts';
import type { SqlStatement, Table } from '../table.ts';
import { ACCOUNT_TABLE } from '../tables/account-table.ts';
import { ADOPTION_TABLE } from '../tables/adoption-table.ts';
import { ALERT_STATE_TABLE } from '../tables/alert-table.ts';
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

const FORGOTTEN_TABLES: readonly Table[] = [
  ACCOUNT_TABLE,
  ADOPTION_TABLE,
  ALERT_STATE_TABLE,
  BACKFILL_BALANCE_TABLE,
  BACKFILL_TABLE,
  BALANCE_TABLE,
  CANDLE_TABLE,
  DISCOVERY_TABLE,
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

const ROWS_PER_STEP = 5000;

const UPDATE_FORGOTTEN_EPOCHED: SqlStatement = {
  sql: 'UPDATE chain_epochs SET epoch = epoch WHERE chain = $1 AND epoch = $2',
  takes: ['text', 'text'],
  gives: [],
};

const writeEpoch = createRowWriter(EPOCH_TABLE);

/** A table, and the key of the last row that was deleted; null begins with the first. */
export interface ForgetPlace {
  readonly table: number;
  readonly after: SqlRow | null;
  readonly deleted: number;
}

/** Waits for a commit that is under way, and makes those after it fail as stale. */
export async function beginForgetting(session: SqlSession, chain: ChainSlug): Promise<ForgetPlace> {
  await session.execute(CHECKPOINT_TABLE.deleteByKey, [chain]);
  const versions = { forgotten_version: 0, news_forgotten_version: 0, server: null };
  await session.upsertRows(EPOCH_TABLE, [
    writeEpoch({ chain, epoch: FORGOTTEN_EPOCH, ...versions }),
  ]);
  return { table: 0, after: null, deleted: 0 };
}

/** Deletes some rows; null once all are gone, or if another process has deleted them. */
export async function forgetSome(
  session: SqlSession,
  chain: ChainSlug,
  place: ForgetPlace,
): Promise<ForgetPlace | null> {
  // Two processes take turns: after the last step of one the chain may have begun again.
  if ((await session.execute(UPDATE_FORGOTTEN_EPOCHED, [chain, FORGOTTEN_EPOCH])) === 0)
    return null;
  const table = FORGOTTEN_TABLES[place.table];
  if (table === undefined) {
    await session.execute(EPOCH_TABLE.deleteByKey, [chain]);
    return null;
  }
  const { after } = place;
  const key = table.columns.slice(0, table.keyLength);
  const types = table.types.slice(0, table.keyLength);
  const rest = key.slice(1);
  const isAfter = `AND (${rest.join(', ')}) > (${rest.map((_, at) => `$${at + 2}`).join(', ')})`;
  const rows = await session.query(
    {
      sql: `SELECT ${key.join(', ')} FROM ${table.name} WHERE chain = $1
        ${after === null ? '' : isAfter} ORDER BY ${rest.join(', ')} LIMIT ${ROWS_PER_STEP}`,
      takes: after === null ? types.slice(0, 1) : types,
      gives: types,
    },
    [chain, ...(after ?? [])],
  );
  await session.deleteRows(table, rows);
  const deleted = place.deleted + rows.length;
  if (rows.length < ROWS_PER_STEP) return { table: place.table + 1, after: null, deleted };
  return { table: place.table, after: rows.at(-1)?.slice(1) ?? null, deleted };
}
