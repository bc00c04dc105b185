// Deletes rows that are older than they are to be kept, a bounded number in one transaction.

import type { ChainSlug } from '../../model/chain.ts';
import type { CandleSeries } from '../market-reads.ts';
import type { SqlSession } from '../sql.ts';
import type { OldCandles, OldRows } from '../store.ts';
import type { SqlStatement } from '../table.ts';
import { ADOPTION_TABLE } from '../tables/adoption-table.ts';
import { ALL_POOLS, CANDLE_TABLE, toCandleSeries } from '../tables/candle-table.ts';
import { numberAt } from '../tables/column-value.ts';
import { TRADE_TABLE } from '../tables/trade-table.ts';

const TRADE_KEY = TRADE_TABLE.columns.slice(0, TRADE_TABLE.keyLength).join(', ');

/** By block, for which there is an index: by time there is none over all tokens. */
const SELECT_FIRST_TRADES: SqlStatement = {
  sql: `SELECT ${TRADE_KEY} FROM trades WHERE chain = $1 ORDER BY block, log_index LIMIT $2`,
  takes: ['name', 'integer'],
  gives: TRADE_TABLE.types.slice(0, TRADE_TABLE.keyLength),
};

const SELECT_FIRST_SERIES: SqlStatement = {
  sql: `SELECT token, pool, interval FROM candles WHERE chain = $1
    ORDER BY token, pool, interval LIMIT 1`,
  takes: ['name'],
  gives: ['name', 'name', 'name'],
};

const SELECT_NEXT_SERIES: SqlStatement = {
  sql: `SELECT token, pool, interval FROM candles
    WHERE chain = $1 AND (token, pool, interval) > ($2, $3, $4)
    ORDER BY token, pool, interval LIMIT 1`,
  takes: ['name', 'name', 'name', 'name'],
  gives: ['name', 'name', 'name'],
};

const SELECT_OLD_CANDLES: SqlStatement = {
  sql: `SELECT chain, token, pool, interval, open_time_ms FROM candles
    WHERE chain = $1 AND token = $2 AND pool = $3 AND interval = $4 AND open_time_ms < $5
    ORDER BY open_time_ms LIMIT $6`,
  takes: ['name', 'name', 'name', 'name', 'integer', 'integer'],
  gives: CANDLE_TABLE.types.slice(0, CANDLE_TABLE.keyLength),
};

/** Trades that are too young end the search: a chain's time goes with its blocks. */
export async function deleteOldTrades(
  session: SqlSession,
  chain: ChainSlug,
  old: OldRows & { readonly upToBlock: number },
): Promise<number> {
  const { at } = TRADE_TABLE;
  const rows = await session.query(SELECT_FIRST_TRADES, [chain, old.limit]);
  const end = rows.findIndex(
    (row) =>
      numberAt(row, at.timestamp_ms) >= old.beforeMs || numberAt(row, at.block) > old.upToBlock,
  );
  const keys = end === -1 ? rows : rows.slice(0, end);
  await session.deleteRows(TRADE_TABLE, keys);
  return keys.length;
}

/**
 * Adoptions that a later one of the same pool had replaced before the first trade that is kept: no
 * kept row depends on them. Each may have thousands of ticks, and some pools are read again often.
 */
const SELECT_REPLACED_ADOPTIONS: SqlStatement = {
  sql: `SELECT a.chain, a.version, a.pool FROM adoptions AS a
    JOIN (SELECT MIN(block) AS block FROM trades WHERE chain = $1) AS kept ON a.block < kept.block
    WHERE a.chain = $2 AND EXISTS (SELECT 1 FROM adoptions AS b WHERE b.chain = a.chain
      AND b.pool = a.pool AND b.version > a.version AND b.block < kept.block)
    ORDER BY a.block LIMIT $3`,
  takes: ['name', 'text', 'integer'],
  gives: ADOPTION_TABLE.types.slice(0, ADOPTION_TABLE.keyLength),
};

export async function deleteOldAdoptions(
  session: SqlSession,
  chain: ChainSlug,
  limit: number,
): Promise<number> {
  const keys = await session.query(SELECT_REPLACED_ADOPTIONS, [chain, chain, limit]);
  await session.deleteRows(ADOPTION_TABLE, keys);
  return keys.length;
}

/** Each series takes up to two queries, so few of them are looked at in one transaction. */
const SERIES_PER_CALL = 100;

/**
 * An index by time would cost as much as many candles, so the series are walked: each is found
 * after the one before by the key alone, whatever the number of candles between them.
 */
export async function deleteOldCandles(
  session: SqlSession,
  chain: ChainSlug,
  old: OldRows & { readonly after: CandleSeries | null },
): Promise<OldCandles> {
  let after = old.after;
  let deleted = 0;
  const looksMax = Math.min(SERIES_PER_CALL, old.limit);
  for (let looks = 0; looks < looksMax && deleted < old.limit; looks += 1) {
    const [series] =
      after === null
        ? await session.query(SELECT_FIRST_SERIES, [chain])
        : await session.query(SELECT_NEXT_SERIES, [
            chain,
            after.token,
            after.pool ?? ALL_POOLS,
            after.interval,
          ]);
    if (series === undefined) return { deleted, next: null, isDone: true };
    const found = toCandleSeries(series);
    if (found.interval !== '1d') {
      const left = old.limit - deleted;
      const keys = await session.query(SELECT_OLD_CANDLES, [chain, ...series, old.beforeMs, left]);
      await session.deleteRows(CANDLE_TABLE, keys);
      deleted += keys.length;
      // The series may have more: the next call begins with it again.
      if (keys.length === left) break;
    }
    after = found;
  }
  return { deleted, next: after, isDone: false };
}
