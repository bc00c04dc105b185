// Writes news in a chain's transaction, the same on both engines.

import type { ChainSlug } from '../../model/chain.ts';
import type { SqlSession } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { numberOrNullAt } from '../tables/column-value.ts';

/** Old rows that are deleted at a time. */
const PRUNED_MAX = 1000;

const REVERT_ABOVE: SqlStatement = {
  sql: `UPDATE news SET reverted_version = $1
    WHERE chain = $2 AND block > $3 AND reverted_version IS NULL`,
  takes: ['integer', 'name', 'integer'],
  gives: [],
};

/** Times may step back a little between commits, so the oldest commits are looked at. */
const SELECT_LAST_OLD: SqlStatement = {
  sql: `SELECT MAX(version) FROM (
      SELECT version, timestamp_ms FROM news WHERE chain = $1
      ORDER BY version, place LIMIT ${PRUNED_MAX}
    ) AS oldest WHERE timestamp_ms < $2`,
  takes: ['name', 'integer'],
  gives: ['integer'],
};

const DELETE_UP_TO: SqlStatement = {
  sql: 'DELETE FROM news WHERE chain = $1 AND version <= $2',
  takes: ['name', 'integer'],
  gives: [],
};

const UPDATE_FORGOTTEN: SqlStatement = {
  sql: 'UPDATE chain_epochs SET news_forgotten_version = $1 WHERE chain = $2',
  takes: ['integer', 'text'],
  gives: [],
};

export async function revertNews(
  session: SqlSession,
  chain: ChainSlug,
  above: { readonly block: number; readonly version: number },
): Promise<void> {
  await session.execute(REVERT_ABOVE, [above.version, chain, above.block]);
}

export async function pruneNews(
  session: SqlSession,
  chain: ChainSlug,
  beforeMs: number,
): Promise<void> {
  const [row] = await session.query(SELECT_LAST_OLD, [chain, beforeMs]);
  const version = row === undefined ? null : numberOrNullAt(row, 0);
  if (version === null) return;
  await session.executeLater(DELETE_UP_TO, [chain, version]);
  await session.executeLater(UPDATE_FORGOTTEN, [version, chain]);
}
