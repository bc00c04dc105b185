// Reads of a whole chain, one page at a time.

import { setImmediate } from 'node:timers/promises';
import type { AdoptionRecord } from '../../model/adoption.ts';
import type { AlertRecord, AlertState } from '../../model/alert.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { DiscoveryRecord } from '../../model/discovery.ts';
import type { Address } from '../../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { NewsPosition, NewsRecord } from '../../model/news.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PositionRecord } from '../../model/position.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { AlertReads } from '../alert-store.ts';
import type { SqlRow, SqlSession, SqlValue } from '../sql.ts';
import type { MarketScanner } from '../store.ts';
import type {
  ChainEpoch,
  RevertedTrade,
  RollbackRecord,
  StreamReads,
  TradesAfter,
} from '../stream-reads.ts';
import { buildSelect, type ColumnType, type SqlStatement, type Table } from '../table.ts';
import { ADOPTION_TABLE, toAdoptionRecord } from '../tables/adoption-table.ts';
import {
  ALERT_STATE_TABLE,
  ALERT_TABLE,
  toAlertRecord,
  toAlertState,
} from '../tables/alert-table.ts';
import { BACKFILL_TABLE, toBackfillRecord } from '../tables/backfill-table.ts';
import { BALANCE_TABLE, toBalanceRecord } from '../tables/balance-table.ts';
import { CANDLE_TABLE, toCandleRecord } from '../tables/candle-table.ts';
import { numberAt, textAt, textOrNullAt, toAmount } from '../tables/column-value.ts';
import { DISCOVERY_TABLE, toDiscoveryRecord } from '../tables/discovery-table.ts';
import { EPOCH_TABLE } from '../tables/epoch-table.ts';
import { NEWS_TABLE, toNewsRecord } from '../tables/news-table.ts';
import { POOL_TABLE, toPoolRecord } from '../tables/pool-table.ts';
import { POSITION_TABLE, toPositionRecord } from '../tables/position-table.ts';
import { REVERTED_TRADE_TABLE, toRevertedTradeRecord } from '../tables/reverted-trade-table.ts';
import { ROLLBACK_TABLE, toRollbackRecord } from '../tables/rollback-table.ts';
import { SCOPE_ENTRY_TABLE, toScopeEntry } from '../tables/scope-entry-table.ts';
import { TICK_TABLE, toTickRecord } from '../tables/tick-table.ts';
import { TOKEN_TABLE, toTokenRecord } from '../tables/token-table.ts';
import { TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';
import { SELECT_ALERT_CHANGES, SELECT_ALERT_STATES } from './alert-rows.ts';
import { MarketPages } from './market-pages.ts';

// Iterates over a chain's rows of one table in key order, one page at a time.

const PAGE_SIZE = 2000;

interface TableScan<Row> {
  readonly table: Table;
  /** Columns that order a chain's rows uniquely; indexed after `chain`. */
  readonly orderBy: readonly string[];
  readonly toRecord: (row: SqlRow) => Row;
  /** The last rows first. */
  readonly isDescending?: boolean;
  /** Only rows for which this is true; its parameters are numbered from $2. */
  readonly chosen?: {
    readonly sql: string;
    readonly takes: readonly ColumnType[];
    readonly values: SqlRow;
  };
}

/** Each page is a separate read, so that a long scan holds neither memory nor a snapshot. */
export async function* scanTable<Row>(
  session: SqlSession,
  chain: ChainSlug,
  scan: TableScan<Row>,
): AsyncGenerator<readonly Row[]> {
  const { table } = scan;
  const order = scan.orderBy.join(', ');
  const [isAfter, direction] = scan.isDescending ? ['<', ' DESC'] : ['>', ''];
  const directed = scan.orderBy.map((column) => column + direction).join(', ');
  const end = `ORDER BY ${directed} LIMIT ${PAGE_SIZE}`;
  const positions = scan.orderBy.map((column) => table.columns.indexOf(column));
  const typeOf = (column: string) => table.types[table.columns.indexOf(column)] ?? 'text';
  const { chosen = { sql: 'TRUE', takes: [], values: [] } } = scan;
  const from = `WHERE chain = $1 AND (${chosen.sql})`;
  const takes = [typeOf('chain'), ...chosen.takes];
  const values = [chain, ...chosen.values];
  const parameters = positions.map((_, index) => `$${index + takes.length + 1}`).join(', ');
  const first = buildSelect(table, `${from} ${end}`, takes);
  const next = buildSelect(table, `${from} AND (${order}) ${isAfter} (${parameters}) ${end}`, [
    ...takes,
    ...scan.orderBy.map(typeOf),
  ]);
  let after: readonly SqlValue[] | null = null;
  for (;;) {
    const page: SqlRow[] =
      after === null
        ? await session.query(first, values)
        : await session.query(next, [...values, ...after]);
    if (page.length > 0) yield page.map(scan.toRecord);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = positions.map((position) => last[position] ?? null);
    // SQLite answers at once: without this, nothing else in the thread would get its turn.
    await setImmediate();
  }
}

// Queries for resuming streams, the same on both engines.

const SELECT_ROLLBACKS = buildSelect(
  ROLLBACK_TABLE,
  'WHERE chain = $1 AND version > $2 ORDER BY version LIMIT $3',
  ['text', 'integer', 'integer'],
);

const SELECT_REVERTED = buildSelect(
  REVERTED_TRADE_TABLE,
  `WHERE chain = $1 AND token = $2 AND version > $3
  ORDER BY version, timestamp_ms, block, log_index LIMIT $4`,
  ['name', 'name', 'integer', 'integer'],
);

const NEWS_AFTER = 'WHERE chain = $1 AND (version, place) > ($2, $3) AND reverted_version IS NULL';
const NEWS_AFTER_TYPES: readonly ColumnType[] = ['name', 'integer', 'integer', 'integer'];

const SELECT_NEWS_AFTER = buildSelect(
  NEWS_TABLE,
  `${NEWS_AFTER} ORDER BY version, place LIMIT $4`,
  NEWS_AFTER_TYPES,
);

const COUNT_NEWS_AFTER: SqlStatement = {
  sql: `SELECT COUNT(*) FROM (SELECT 1 FROM news ${NEWS_AFTER} LIMIT $4) AS found`,
  takes: NEWS_AFTER_TYPES,
  gives: ['integer'],
};

const SELECT_REVERTED_NEWS = buildSelect(
  NEWS_TABLE,
  `WHERE chain = $1 AND reverted_version > $2 AND (version, place) <= ($3, $4)
  ORDER BY version, place LIMIT $5`,
  ['name', 'integer', 'integer', 'integer', 'integer'],
);

const TRADES_AFTER =
  'WHERE chain = $1 AND token = $2 AND timestamp_ms >= $3 AND (block, log_index) > ($4, $5)';
const TRADES_AFTER_TYPES: readonly ColumnType[] = [
  ...(['name', 'name', 'integer', 'integer', 'integer', 'integer'] as const),
];

const SELECT_TRADES_AFTER = buildSelect(
  TRADE_TABLE,
  `${TRADES_AFTER} ORDER BY timestamp_ms, block, log_index LIMIT $6`,
  TRADES_AFTER_TYPES,
);

const COUNT_TRADES_AFTER: SqlStatement = {
  sql: `SELECT COUNT(*) FROM (SELECT 1 FROM trades ${TRADES_AFTER} LIMIT $6) AS found`,
  takes: TRADES_AFTER_TYPES,
  gives: ['integer'],
};

function toAfterValues(chain: ChainSlug, token: Address, wanted: TradesAfter): SqlRow {
  const { after, sinceMs, limit } = wanted;
  return [chain, token, sinceMs, after.block, after.logIndex, limit];
}

class StreamPages extends MarketPages implements StreamReads {
  async readEpoch(chain: ChainSlug): Promise<ChainEpoch | null> {
    const [row] = await this.session.query(EPOCH_TABLE.selectByKey, [chain]);
    if (row === undefined) return null;
    const { at } = EPOCH_TABLE;
    return {
      epoch: textAt(row, at.epoch),
      server: textOrNullAt(row, at.server),
      forgottenVersion: numberAt(row, at.forgotten_version),
      newsForgottenVersion: numberAt(row, at.news_forgotten_version),
    };
  }

  async readRollbacks(
    chain: ChainSlug,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RollbackRecord[]> {
    const values = [chain, wanted.afterVersion, wanted.limit];
    return (await this.session.query(SELECT_ROLLBACKS, values)).map(toRollbackRecord);
  }

  async readRevertedTrades(
    chain: ChainSlug,
    token: Address,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RevertedTrade[]> {
    const values = [chain, token, wanted.afterVersion, wanted.limit];
    return (await this.session.query(SELECT_REVERTED, values)).map(toRevertedTradeRecord);
  }

  async readTradesAfter(
    chain: ChainSlug,
    token: Address,
    wanted: TradesAfter,
  ): Promise<TradeRecord[]> {
    const values = toAfterValues(chain, token, wanted);
    return (await this.session.query(SELECT_TRADES_AFTER, values)).map(toTradeRecord);
  }

  async countTradesAfter(chain: ChainSlug, token: Address, wanted: TradesAfter): Promise<number> {
    const values = toAfterValues(chain, token, wanted);
    const [row] = await this.session.query(COUNT_TRADES_AFTER, values);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  async readNewsAfter(
    chain: ChainSlug,
    wanted: { readonly after: NewsPosition; readonly limit: number },
  ): Promise<NewsRecord[]> {
    const { version, index } = wanted.after;
    const values = [chain, version, index, wanted.limit];
    return (await this.session.query(SELECT_NEWS_AFTER, values)).map(toNewsRecord);
  }

  async countNewsAfter(
    chain: ChainSlug,
    wanted: { readonly after: NewsPosition; readonly limit: number },
  ): Promise<number> {
    const { version, index } = wanted.after;
    const values = [chain, version, index, wanted.limit];
    const [row] = await this.session.query(COUNT_NEWS_AFTER, values);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  async readRevertedNews(
    chain: ChainSlug,
    wanted: { readonly upTo: NewsPosition; readonly afterVersion: number; readonly limit: number },
  ): Promise<NewsRecord[]> {
    const { version, index } = wanted.upTo;
    const values = [chain, wanted.afterVersion, version, index, wanted.limit];
    return (await this.session.query(SELECT_REVERTED_NEWS, values)).map(toNewsRecord);
  }
}

export class MarketScans extends StreamPages implements MarketScanner, AlertReads {
  async readAlertChanges(
    chain: ChainSlug,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<AlertRecord[]> {
    const rows = await this.session.query(SELECT_ALERT_CHANGES, [chain, after, limit]);
    return rows.map(toAlertRecord);
  }

  async readAlertStates(chain: ChainSlug, alerts: readonly string[]): Promise<AlertState[]> {
    const sets = alerts.map((alert) => [chain, alert]);
    return (await this.session.queryEach(SELECT_ALERT_STATES, sets)).map(toAlertState);
  }

  scanAlerts(chain: ChainSlug): AsyncIterable<readonly AlertRecord[]> {
    return scanTable(this.session, chain, {
      table: ALERT_TABLE,
      orderBy: ['id'],
      toRecord: toAlertRecord,
    });
  }

  scanAlertStates(chain: ChainSlug): AsyncIterable<readonly AlertState[]> {
    return scanTable(this.session, chain, {
      table: ALERT_STATE_TABLE,
      orderBy: ['alert', 'block'],
      toRecord: toAlertState,
    });
  }

  scanTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]> {
    return scanTable(this.session, chain, {
      table: TOKEN_TABLE,
      orderBy: ['token'],
      toRecord: toTokenRecord,
    });
  }

  scanUnsuppliedTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]> {
    return scanTable(this.session, chain, {
      table: TOKEN_TABLE,
      orderBy: ['token'],
      toRecord: toTokenRecord,
      chosen: {
        sql: `supply_block IS NULL OR supply_balance_sum_raw IS NULL
          OR supply_balance_sum_raw <> balance_sum_raw`,
        ...{ takes: [], values: [] },
      },
    });
  }

  scanUnnamedTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]> {
    return scanTable(this.session, chain, {
      table: TOKEN_TABLE,
      orderBy: ['token'],
      toRecord: toTokenRecord,
      chosen: {
        sql: 'trade_count > 0 AND (symbol IS NULL OR name IS NULL OR decimals IS NULL)',
        ...{ takes: [], values: [] },
      },
    });
  }

  scanPools(chain: ChainSlug): AsyncIterable<readonly PoolRecord[]> {
    return scanTable(this.session, chain, {
      table: POOL_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolRecord,
    });
  }

  scanDeepPools(chain: ChainSlug, minUsdE18: bigint): AsyncIterable<readonly PoolRecord[]> {
    return scanTable(this.session, chain, {
      table: POOL_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolRecord,
      chosen: {
        ...{ sql: 'liquidity_usd_e18 >= $2', takes: ['text'] },
        values: [toAmount(minUsdE18)],
      },
    });
  }

  scanIncompletePools(chain: ChainSlug): AsyncIterable<readonly PoolRecord[]> {
    return scanTable(this.session, chain, {
      table: POOL_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolRecord,
      chosen: { sql: 'complete = 0', takes: [], values: [] },
    });
  }

  scanTicks(chain: ChainSlug): AsyncIterable<readonly TickRecord[]> {
    return scanTable(this.session, chain, {
      table: TICK_TABLE,
      orderBy: ['pool', 'tick'],
      toRecord: toTickRecord,
    });
  }

  scanAdoptions(chain: ChainSlug): AsyncIterable<readonly AdoptionRecord[]> {
    return scanTable(this.session, chain, {
      table: ADOPTION_TABLE,
      orderBy: ['version', 'pool'],
      toRecord: toAdoptionRecord,
    });
  }

  scanDiscoveries(chain: ChainSlug): AsyncIterable<readonly DiscoveryRecord[]> {
    return scanTable(this.session, chain, {
      table: DISCOVERY_TABLE,
      orderBy: ['version', 'token'],
      toRecord: toDiscoveryRecord,
    });
  }

  scanScopeEntries(chain: ChainSlug): AsyncIterable<readonly ScopeEntry[]> {
    return scanTable(this.session, chain, {
      table: SCOPE_ENTRY_TABLE,
      orderBy: ['token', 'from_block'],
      toRecord: toScopeEntry,
    });
  }

  scanBalances(chain: ChainSlug): AsyncIterable<readonly BalanceRecord[]> {
    return scanTable(this.session, chain, {
      table: BALANCE_TABLE,
      orderBy: ['owner', 'token'],
      toRecord: toBalanceRecord,
    });
  }

  scanPositions(chain: ChainSlug): AsyncIterable<readonly PositionRecord[]> {
    return scanTable(this.session, chain, {
      table: POSITION_TABLE,
      orderBy: ['wallet', 'token'],
      toRecord: toPositionRecord,
    });
  }

  scanBackfills(chain: ChainSlug): AsyncIterable<readonly BackfillRecord[]> {
    return scanTable(this.session, chain, {
      table: BACKFILL_TABLE,
      orderBy: ['token', 'kind'],
      toRecord: toBackfillRecord,
    });
  }

  scanCandles(chain: ChainSlug): AsyncIterable<readonly CandleRecord[]> {
    return scanTable(this.session, chain, {
      table: CANDLE_TABLE,
      orderBy: ['token', 'pool', 'interval', 'open_time_ms'],
      toRecord: toCandleRecord,
    });
  }

  scanTrades(chain: ChainSlug): AsyncIterable<readonly TradeRecord[]> {
    return scanTable(this.session, chain, {
      table: TRADE_TABLE,
      orderBy: ['block', 'log_index', 'token'],
      toRecord: toTradeRecord,
    });
  }

  scanNewestTrades(chain: ChainSlug): AsyncIterable<readonly TradeRecord[]> {
    return scanTable(this.session, chain, {
      table: TRADE_TABLE,
      orderBy: ['block', 'log_index', 'token'],
      toRecord: toTradeRecord,
      isDescending: true,
    });
  }
}
