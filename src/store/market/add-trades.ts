// Inserts trades and folds them into the stored candles.
//
// It works on rows, and runs where the connection is: on SQLite's writer thread the indexer goes on
// meanwhile, and the candles, several for each trade, are never sent to another thread.

import { CandleCascade, type FoldedCandle, layOver } from '../../candles/candle-cascade.ts';
import { type FoldedTrade, parseValues } from '../../candles/candle-draft.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { SeriesKey, StoredInterval } from '../../model/market-record.ts';
import type { SqlProcedure, SqlRow, SqlSession } from '../sql.ts';
import {
  ALL_POOLS,
  CANDLE_TABLE,
  toCandleKey,
  toCandleRecord,
  toCandleRow,
} from '../tables/candle-table.ts';
import { TRADE_TABLE, toFoldedTrade } from '../tables/trade-table.ts';

/** The key of a row as text, for lookups in memory. */
function encodeKey(row: SqlRow): string {
  return row.slice(1, CANDLE_TABLE.keyLength).join(' ');
}

interface FoldedSeries {
  readonly series: SeriesKey;
  readonly candles: readonly FoldedCandle[];
}

/** The pool of tokens that were traded in one pool only, and null of the others. */
function findOnlyPools(trades: readonly FoldedTrade[]): ReadonlyMap<Address, PoolId | null> {
  const pools = new Map<Address, PoolId | null>();
  for (const { token, pool } of trades) {
    const known = pools.get(token);
    if (known === undefined) pools.set(token, pool);
    else if (known !== null && known !== pool) pools.set(token, null);
  }
  return pools;
}

/** Folds the trades of each token and of each pool; those of an only pool are its token's, too. */
function foldSeries(trades: readonly FoldedTrade[]): FoldedSeries[] {
  const onlyPools = findOnlyPools(trades);
  const cascades = new Map<string, { series: SeriesKey; cascade: CandleCascade }>();
  const open = (key: string, series: SeriesKey): CandleCascade => {
    let entry = cascades.get(key);
    if (entry === undefined) {
      entry = { series, cascade: new CandleCascade() };
      cascades.set(key, entry);
    }
    return entry.cascade;
  };
  for (const trade of trades) {
    const { token, pool } = trade;
    const values = parseValues(trade);
    open(token, { token, pool: null }).add(trade, values);
    if (onlyPools.get(token) === null) open(token + pool, { token, pool }).add(trade, values);
  }
  return Array.from(cascades.values()).flatMap(({ series, cascade }) => {
    const candles = cascade.finish();
    const pool = series.pool === null ? (onlyPools.get(series.token) ?? null) : null;
    const ofToken = { series, candles };
    return pool === null ? [ofToken] : [ofToken, { series: { ...series, pool }, candles }];
  });
}

/** Each candle as the row that follows from the stored one, which may be missing. */
interface PlannedCandle {
  /**
   * The key of the stored one; null if there can be none. Stored trades are earlier than these:
   * only an interval's first candle can already hold some.
   */
  readonly key: SqlRow | null;
  buildRow(stored: SqlRow | undefined): SqlRow;
}

/** A pool's candle that is its token's, too, has the same row but for the pool. */
function createRowBuilder(chain: ChainSlug) {
  const built = new Map<FoldedCandle, SqlRow>();
  return (candle: FoldedCandle, series: SeriesKey): SqlRow => {
    const same = built.get(candle);
    if (same !== undefined) return same.with(CANDLE_TABLE.at.pool, series.pool ?? ALL_POOLS);
    const row = toCandleRow(chain, layOver(null, candle, series));
    built.set(candle, row);
    return row;
  };
}

function planCandles(chain: ChainSlug, trades: readonly FoldedTrade[]): PlannedCandle[] {
  const planned: PlannedCandle[] = [];
  const buildNewRow = createRowBuilder(chain);
  for (const { series, candles } of foldSeries(trades)) {
    const met = new Set<StoredInterval>();
    for (const candle of candles) {
      const { interval, draft } = candle;
      planned.push({
        key: met.has(interval)
          ? null
          : toCandleKey(chain, { ...series, interval, openTimeMs: draft.openTimeMs }),
        buildRow: (stored) =>
          stored === undefined
            ? buildNewRow(candle, series)
            : toCandleRow(chain, layOver(toCandleRecord(stored), candle, series)),
      });
      met.add(interval);
    }
  }
  return planned;
}

async function addTrades(session: SqlSession, rows: readonly SqlRow[]): Promise<void> {
  const chain = rows[0]?.[TRADE_TABLE.at.chain] as ChainSlug | undefined;
  if (chain === undefined) return;
  const planned = planCandles(chain, rows.map(toFoldedTrade));
  const keys = planned.flatMap(({ key }) => (key === null ? [] : [key]));
  const reading = session.queryEach(CANDLE_TABLE.selectByKey, keys);
  // PostgreSQL writes the trades while the candles are on their way.
  const inserting = session.insertRows(TRADE_TABLE, rows);
  inserting.catch(() => undefined);
  const stored = new Map((await reading).map((row) => [encodeKey(row), row]));
  await inserting;
  const changed: SqlRow[] = [];
  const added: SqlRow[] = [];
  for (const { key, buildRow } of planned) {
    const before = key === null ? undefined : stored.get(encodeKey(key));
    (before === undefined ? added : changed).push(buildRow(before));
  }
  await session.upsertRows(CANDLE_TABLE, changed);
  // PostgreSQL inserts a row in two thirds of the time if it need not look for an old one.
  await session.insertRows(CANDLE_TABLE, added);
}

/** Trades of one chain, in its order, and later than the stored ones of their tokens. */
export const ADD_TRADES: SqlProcedure = { name: 'addTrades', run: addTrades };
