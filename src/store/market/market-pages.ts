// Queries of the public reads, the same on both engines.

import { setImmediate } from 'node:timers/promises';
import { toSortableInteger } from '../../lib/sortable-integer.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  TickRange,
  TickRecord,
} from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PositionRecord } from '../../model/position.ts';
import type {
  BalancePosition,
  CandleSeries,
  LargestPositions,
  LargestQuery,
  ListingRecord,
  MarketReads,
  PoolDepth,
  PoolFigures,
  TimeRange,
  TokenFigures,
  TradePage,
  TradeQuery,
  WalletPage,
} from '../market-reads.ts';
import type { SqlRow, SqlSession } from '../sql.ts';
import {
  buildSelect,
  type ColumnType,
  indexColumns,
  type SqlStatement,
  type Table,
} from '../table.ts';
import { ACCOUNT_TABLE } from '../tables/account-table.ts';
import { BALANCE_TABLE, toBalanceRecord } from '../tables/balance-table.ts';
import { ALL_POOLS, CANDLE_TABLE, toCandleRecord } from '../tables/candle-table.ts';
import {
  addressAt,
  amountOrNullAt,
  numberAt,
  numberOrNullAt,
  poolAt,
  textAt,
  textOrNullAt,
} from '../tables/column-value.ts';
import { POOL_TABLE, toPoolRecord } from '../tables/pool-table.ts';
import { POSITION_TABLE, toPositionRecord } from '../tables/position-table.ts';
import { TICK_TABLE, toTickRecord } from '../tables/tick-table.ts';
import { readLaunch, TOKEN_TABLE } from '../tables/token-table.ts';
import { MarketQueries } from './market-queries.ts';
import { TradePages } from './trade-pages.ts';

// Some columns of all tokens or pools, or of those with given keys: for what is kept in memory.

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

class ListingPages extends MarketQueries {
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

// Pages of what a wallet holds and trades, and of a token's largest traders.

interface WalletPageStatements {
  readonly first: SqlStatement;
  readonly next: SqlStatement;
}

function buildPage(table: Table, column: 'owner' | 'wallet'): WalletPageStatements {
  const types: readonly ColumnType[] = ['name', 'hex'];
  const where = `WHERE chain = $1 AND ${column} = $2`;
  return {
    first: buildSelect(table, `${where} ORDER BY token LIMIT $3`, [...types, 'integer']),
    next: buildSelect(table, `${where} AND token > $3 ORDER BY token LIMIT $4`, [
      ...types,
      'name',
      'integer',
    ]),
  };
}

const BALANCE_PAGE = buildPage(BALANCE_TABLE, 'owner');
const POSITION_PAGE = buildPage(POSITION_TABLE, 'wallet');

/** The positions of a token with the largest volumes. */
function buildLargest(columns: string): string {
  const where = 'WHERE chain = $1 AND token = $2 AND volume_step <= $3';
  const limit = 'ORDER BY volume_step DESC LIMIT $4';
  return `FROM (SELECT ${columns} FROM ${POSITION_TABLE.name} ${where} ${limit}) AS largest`;
}

const LARGEST_TYPES: readonly ColumnType[] = ['name', 'name', 'integer', 'integer'];
const { columnList, types } = POSITION_TABLE;

const SELECT_LARGEST: SqlStatement = {
  sql: `SELECT ${columnList} ${buildLargest(columnList)} WHERE last_trade_at_ms >= $5 ORDER BY volume_step DESC`,
  takes: [...LARGEST_TYPES, 'integer'],
  gives: types,
};

/** Only reads the index. */
const SELECT_LARGEST_END: SqlStatement = {
  sql: `SELECT COUNT(*), MIN(volume_step) ${buildLargest('volume_step')}`,
  takes: LARGEST_TYPES,
  gives: ['integer', 'integer'],
};

/** Above every volume's step; fits the column's two bytes. */
const STEP_MAX = 32_767;

class WalletPages {
  readonly #session: SqlSession;
  readonly #chain: ChainSlug;

  constructor(session: SqlSession, chain: ChainSlug) {
    this.#session = session;
    this.#chain = chain;
  }

  async readBalances(owner: Address, page: WalletPage): Promise<BalanceRecord[]> {
    return (await this.#readPage(BALANCE_PAGE, owner, page)).map(toBalanceRecord);
  }

  async readPositions(wallet: Address, page: WalletPage): Promise<PositionRecord[]> {
    return (await this.#readPage(POSITION_PAGE, wallet, page)).map(toPositionRecord);
  }

  async readLargest(token: Address, query: LargestQuery): Promise<LargestPositions> {
    const { stepMax, limit, fromMs } = query;
    const values = [this.#chain, token, stepMax ?? STEP_MAX, limit];
    const [rows, [end = []]] = await Promise.all([
      this.#session.query(SELECT_LARGEST, [...values, fromMs]),
      this.#session.query(SELECT_LARGEST_END, values),
    ]);
    return {
      positions: rows.map(toPositionRecord),
      lastStep: numberAt(end, 0) < limit ? null : numberAt(end, 1),
    };
  }

  #readPage(
    { first, next }: WalletPageStatements,
    wallet: Address,
    { after, limit }: WalletPage,
  ): Promise<SqlRow[]> {
    return after === null
      ? this.#session.query(first, [this.#chain, wallet, limit])
      : this.#session.query(next, [this.#chain, wallet, after, limit]);
  }
}

const CANDLE_SERIES_TYPES: readonly ColumnType[] = ['name', 'name', 'name', 'name'];

const SELECT_SERIES = 'WHERE chain = $1 AND token = $2 AND pool = $3 AND interval = $4';

const COUNT_TOKENS: SqlStatement = {
  sql: 'SELECT COUNT(*) FROM tokens WHERE chain = $1',
  takes: ['text'],
  gives: ['integer'],
};

const SELECT_FIRST_TRADE_TIME: SqlStatement = {
  sql: `SELECT timestamp_ms FROM trades WHERE chain = $1 AND block >= $2
    ORDER BY block, log_index LIMIT 1`,
  takes: ['name', 'integer'],
  gives: ['integer'],
};

const SELECT_POOL_ID: SqlStatement = {
  sql: 'SELECT pool FROM pools WHERE chain = $1 AND pool = $2',
  takes: ['text', 'text'],
  gives: ['text'],
};

const SELECT_FIRST_BALANCES = buildSelect(
  BALANCE_TABLE,
  'WHERE chain = $1 AND token = $2 ORDER BY amount_raw DESC, owner LIMIT $3',
  ['name', 'name', 'integer'],
);

const SELECT_NEXT_BALANCES = buildSelect(
  BALANCE_TABLE,
  `WHERE chain = $1 AND token = $2 AND amount_raw <= $3 AND (amount_raw < $4 OR owner > $5)
  ORDER BY amount_raw DESC, owner LIMIT $6`,
  ['name', 'name', 'text', 'text', 'hex', 'integer'],
);

function buildTopPools(column: 'token0' | 'token1', limit: number): SqlStatement {
  return buildSelect(
    POOL_TABLE,
    `WHERE chain = $1 AND ${column} = $2
    ORDER BY liquidity_usd_e18 DESC NULLS LAST, pool LIMIT ${limit}`,
    ['text', 'text'],
  );
}

/** Deepest first; pools of unknown depth last, and equal ones by id. */
function compareDepth(a: PoolRecord, b: PoolRecord): number {
  const [depthA, depthB] = [a.liquidityUsdE18 ?? -1n, b.liquidityUsdE18 ?? -1n];
  if (depthA !== depthB) return depthA > depthB ? -1 : 1;
  return a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0;
}

function toSeriesValues(chain: ChainSlug, series: CandleSeries): SqlRow {
  return [chain, series.token, series.pool ?? ALL_POOLS, series.interval];
}

const SELECT_TICK_RANGE = buildSelect(
  TICK_TABLE,
  `WHERE chain = $1 AND pool = $2 AND tick >= COALESCE(
      (SELECT MAX(tick) FROM ticks WHERE chain = $3 AND pool = $4 AND tick < $5), $6)
    AND tick <= COALESCE(
      (SELECT MIN(tick) FROM ticks WHERE chain = $7 AND pool = $8 AND tick > $9), $10)
  ORDER BY tick`,
  [
    ...(['text', 'text'] as const),
    ...(['text', 'text', 'integer', 'integer'] as const),
    ...(['text', 'text', 'integer', 'integer'] as const),
  ],
);

export class MarketPages extends ListingPages implements MarketReads {
  async readTopPools(
    chain: ChainSlug,
    tokens: readonly Address[],
    limit: number,
  ): Promise<ReadonlyMap<Address, readonly PoolRecord[]>> {
    const sets = tokens.map((token) => [chain, token]);
    const pools = new Map<Address, Map<PoolId, PoolRecord>>();
    for (const column of ['token0', 'token1'] as const) {
      for (const row of await this.session.queryEach(buildTopPools(column, limit), sets)) {
        const record = toPoolRecord(row);
        const ofToken = pools.get(record[column]) ?? new Map<PoolId, PoolRecord>();
        pools.set(record[column], ofToken.set(record.pool, record));
      }
    }
    return new Map(
      Array.from(pools, ([token, ofToken]) => [
        token,
        [...ofToken.values()].sort(compareDepth).slice(0, limit),
      ]),
    );
  }

  async readCandlesBefore(
    chain: ChainSlug,
    series: readonly (CandleSeries & { readonly beforeMs: number })[],
    limit: number,
  ): Promise<CandleRecord[]> {
    const statement = buildSelect(
      CANDLE_TABLE,
      `${SELECT_SERIES} AND open_time_ms < $5 ORDER BY open_time_ms DESC LIMIT ${limit}`,
      [...CANDLE_SERIES_TYPES, 'integer'],
    );
    const sets = series.map((one) => [...toSeriesValues(chain, one), one.beforeMs]);
    return (await this.session.queryEach(statement, sets)).map(toCandleRecord);
  }

  async readCandlePage(
    chain: ChainSlug,
    series: CandleSeries,
    page: TimeRange & { readonly end: 'first' | 'last'; readonly limit: number },
  ): Promise<CandleRecord[]> {
    const statement = buildSelect(
      CANDLE_TABLE,
      `${SELECT_SERIES} AND open_time_ms >= $5 AND open_time_ms < $6
      ORDER BY open_time_ms${page.end === 'last' ? ' DESC' : ''} LIMIT $7`,
      [...CANDLE_SERIES_TYPES, 'integer', 'integer', 'integer'],
    );
    const values = [...toSeriesValues(chain, series), page.fromMs, page.toMs, page.limit];
    const candles = (await this.session.query(statement, values)).map(toCandleRecord);
    return page.end === 'last' ? candles.reverse() : candles;
  }

  readTradePage(chain: ChainSlug, query: TradeQuery): Promise<TradePage> {
    return new TradePages(this.session, chain, query).read();
  }

  async readBalancePage(
    chain: ChainSlug,
    token: Address,
    page: { readonly after: BalancePosition | null; readonly limit: number },
  ): Promise<BalanceRecord[]> {
    const { after, limit } = page;
    if (after === null) {
      const rows = await this.session.query(SELECT_FIRST_BALANCES, [chain, token, limit]);
      return rows.map(toBalanceRecord);
    }
    const amount = toSortableInteger(after.amountRaw);
    const values = [chain, token, amount, amount, after.owner, limit];
    return (await this.session.query(SELECT_NEXT_BALANCES, values)).map(toBalanceRecord);
  }

  readBalancesOfOwner(
    chain: ChainSlug,
    owner: Address,
    page: WalletPage,
  ): Promise<BalanceRecord[]> {
    return new WalletPages(this.session, chain).readBalances(owner, page);
  }

  readPositionsOfWallet(
    chain: ChainSlug,
    wallet: Address,
    page: WalletPage,
  ): Promise<PositionRecord[]> {
    return new WalletPages(this.session, chain).readPositions(wallet, page);
  }

  readLargestPositions(
    chain: ChainSlug,
    token: Address,
    query: LargestQuery,
  ): Promise<LargestPositions> {
    return new WalletPages(this.session, chain).readLargest(token, query);
  }

  async readFirstTradeTime(chain: ChainSlug, fromBlock = 0): Promise<number | null> {
    const [row] = await this.session.query(SELECT_FIRST_TRADE_TIME, [chain, fromBlock]);
    return row === undefined ? null : numberAt(row, 0);
  }

  async countTokens(chain: ChainSlug): Promise<number> {
    const [row] = await this.session.query(COUNT_TOKENS, [chain]);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  async findPools(chain: ChainSlug, addresses: readonly Address[]): Promise<ReadonlySet<Address>> {
    const sets = addresses.map((address) => [chain, address]);
    const rows = await this.session.queryEach(SELECT_POOL_ID, sets);
    return new Set(rows.map((row) => addressAt(row, 0)));
  }

  async readAccounts(
    chain: ChainSlug,
    addresses: readonly Address[],
  ): Promise<ReadonlyMap<Address, boolean>> {
    const keys = addresses.map((address) => [chain, address]);
    const rows = await this.session.queryEach(ACCOUNT_TABLE.selectByKey, keys);
    const { at } = ACCOUNT_TABLE;
    return new Map(
      rows.map((row) => [addressAt(row, at.address), numberAt(row, at.is_contract) === 1]),
    );
  }

  async readTickRange(chain: ChainSlug, pool: PoolId, range: TickRange): Promise<TickRecord[]> {
    const { fromTick, toTick } = range;
    const below = [chain, pool, fromTick, fromTick];
    const above = [chain, pool, toTick, toTick];
    const rows = await this.session.query(SELECT_TICK_RANGE, [chain, pool, ...below, ...above]);
    return rows.map(toTickRecord);
  }
}
