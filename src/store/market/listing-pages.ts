// Some columns of all tokens or pools, or of those with given keys: for what is kept in memory.

import { setImmediate } from 'node:timers/promises';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { ListingRecord, PoolDepth, PoolFigures, TokenFigures } from '../market-reads.ts';
import type { SqlRow, SqlSession } from '../sql.ts';
import { type ColumnType, indexColumns, type SqlStatement, type Table } from '../table.ts';
import {
  addressAt,
  amountOrNullAt,
  numberAt,
  numberOrNullAt,
  poolAt,
  textAt,
  textOrNullAt,
} from '../tables/column-value.ts';
import { POOL_TABLE } from '../tables/pool-table.ts';
import { readLaunch, TOKEN_TABLE } from '../tables/token-table.ts';
import { MarketQueries } from './market-queries.ts';

const PAGE_SIZE = 5000;

/** Some columns of a table, as records. */
interface ColumnsOf<Row> {
  readonly byKey: SqlStatement;
  readonly page: SqlStatement;
  readonly toRecord: (row: SqlRow) => Row;
}

/** The first of the columns is the key. */
function defineListing<Column extends string, Row>(
  table: Table<Column | 'chain'>,
  columns: readonly Column[],
  toRecord: (row: SqlRow, at: Readonly<Record<Column, number>>) => Row,
): ColumnsOf<Row> {
  const [key] = columns;
  const at = indexColumns(columns);
  const select = `SELECT ${columns.join(', ')} FROM ${table.name} WHERE chain = $1 AND`;
  const takes: readonly ColumnType[] = ['text', 'text'];
  const gives = columns.map((column) => table.types[table.at[column]] ?? 'text');
  return {
    byKey: { sql: `${select} ${key} = $2`, takes, gives },
    page: { sql: `${select} ${key} > $2 ORDER BY ${key} LIMIT ${PAGE_SIZE}`, takes, gives },
    toRecord: (row) => toRecord(row, at),
  };
}

const SEARCHED = defineListing(
  TOKEN_TABLE,
  ['token', 'symbol', 'name', 'first_seen_at_ms', 'liquidity_usd_e18', 'paired_usd_e18'],
  (row, at): ListingRecord => ({
    token: addressAt(row, at.token),
    symbol: textOrNullAt(row, at.symbol),
    name: textOrNullAt(row, at.name),
    firstSeenAtMs: numberAt(row, at.first_seen_at_ms),
    liquidityUsdE18: amountOrNullAt(row, at.liquidity_usd_e18),
    pairedUsdE18: amountOrNullAt(row, at.paired_usd_e18),
  }),
);

const TOKEN_FIGURES = defineListing(
  TOKEN_TABLE,
  [
    'token',
    'decimals',
    'first_seen_at_ms',
    'supply_raw',
    'price_usd',
    'last_trade_at_ms',
    'liquidity_usd_e18',
    'paired_usd_e18',
    'launch',
  ],
  (row, at): TokenFigures => ({
    token: addressAt(row, at.token),
    decimals: numberOrNullAt(row, at.decimals),
    firstSeenAtMs: numberAt(row, at.first_seen_at_ms),
    supplyRaw: amountOrNullAt(row, at.supply_raw),
    priceUsd: textOrNullAt(row, at.price_usd),
    lastTradeAtMs: numberOrNullAt(row, at.last_trade_at_ms),
    liquidityUsdE18: amountOrNullAt(row, at.liquidity_usd_e18),
    pairedUsdE18: amountOrNullAt(row, at.paired_usd_e18),
    ...readLaunch(row, at.launch),
  }),
);

const POOL_FIGURES = defineListing(
  POOL_TABLE,
  ['pool', 'venue', 'token0', 'token1', 'created_at_ms', 'liquidity_usd_e18'],
  (row, at): PoolFigures => ({
    pool: poolAt(row, at.pool),
    venue: textAt(row, at.venue),
    token0: addressAt(row, at.token0),
    token1: addressAt(row, at.token1),
    createdAtMs: numberAt(row, at.created_at_ms),
    liquidityUsdE18: amountOrNullAt(row, at.liquidity_usd_e18),
  }),
);

const POOL_DEPTHS = defineListing(
  POOL_TABLE,
  ['pool', 'venue', 'liquidity_usd_e18'],
  (row, at): PoolDepth => ({
    venue: textAt(row, at.venue),
    liquidityUsdE18: amountOrNullAt(row, at.liquidity_usd_e18),
  }),
);

async function readByKey<Row>(
  session: SqlSession,
  listing: ColumnsOf<Row>,
  keys: readonly SqlRow[],
): Promise<Row[]> {
  return (await session.queryEach(listing.byKey, keys)).map(listing.toRecord);
}

async function* scan<Row>(
  session: SqlSession,
  listing: ColumnsOf<Row>,
  chain: ChainSlug,
): AsyncGenerator<readonly Row[]> {
  let after = '';
  for (;;) {
    const rows = await session.query(listing.page, [chain, after]);
    if (rows.length > 0) yield rows.map(listing.toRecord);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = textAt(last, 0);
    // SQLite answers at once: without this, nothing else in the thread would get its turn.
    await setImmediate();
  }
}

export class ListingPages extends MarketQueries {
  readListings(chain: ChainSlug, tokens: readonly Address[]): Promise<ListingRecord[]> {
    const keys = tokens.map((token) => [chain, token]);
    return readByKey(this.session, SEARCHED, keys);
  }

  scanListings(chain: ChainSlug): AsyncIterable<readonly ListingRecord[]> {
    return scan(this.session, SEARCHED, chain);
  }

  readTokenFigures(chain: ChainSlug, tokens: readonly Address[]): Promise<TokenFigures[]> {
    const keys = tokens.map((token) => [chain, token]);
    return readByKey(this.session, TOKEN_FIGURES, keys);
  }

  scanTokenFigures(chain: ChainSlug): AsyncIterable<readonly TokenFigures[]> {
    return scan(this.session, TOKEN_FIGURES, chain);
  }

  readPoolFigures(chain: ChainSlug, pools: readonly PoolId[]): Promise<PoolFigures[]> {
    const keys = pools.map((pool) => [chain, pool]);
    return readByKey(this.session, POOL_FIGURES, keys);
  }

  scanPoolFigures(chain: ChainSlug): AsyncIterable<readonly PoolFigures[]> {
    return scan(this.session, POOL_FIGURES, chain);
  }

  scanPoolDepths(chain: ChainSlug): AsyncIterable<readonly PoolDepth[]> {
    return scan(this.session, POOL_DEPTHS, chain);
  }
}
