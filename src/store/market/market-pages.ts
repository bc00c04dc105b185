// Queries of the public reads, the same on both engines.

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
  MarketReads,
  TimeRange,
  TradePage,
  TradeQuery,
  WalletPage,
} from '../market-reads.ts';
import type { SqlRow } from '../sql.ts';
import { buildSelect, type ColumnType, type SqlStatement } from '../table.ts';
import { ACCOUNT_TABLE } from '../tables/account-table.ts';
import { BALANCE_TABLE, toBalanceRecord } from '../tables/balance-table.ts';
import { ALL_POOLS, CANDLE_TABLE, toCandleRecord } from '../tables/candle-table.ts';
import { addressAt, numberAt } from '../tables/column-value.ts';
import { POOL_TABLE, toPoolRecord } from '../tables/pool-table.ts';
import { TICK_TABLE, toTickRecord } from '../tables/tick-table.ts';
import { ListingPages } from './listing-pages.ts';
import { TradePages } from './trade-pages.ts';
import { WalletPages } from './wallet-pages.ts';

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
