// Reads by key and by range, the same on both engines.

import type { AdoptionRecord } from '../../model/adoption.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  Checkpoint,
  SeriesKey,
  StoredInterval,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { PoolKindName, PoolRecord } from '../../model/pool.ts';
import type { PositionKey, PositionRecord } from '../../model/position.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { CandleSeries, TimeRange } from '../market-reads.ts';
import type { SqlRow, SqlSession } from '../sql.ts';
import type { BalanceKey, CandleKey, MarketReader } from '../store.ts';
import { buildSelect } from '../table.ts';
import { ADOPTION_TABLE, toAdoptionRecord } from '../tables/adoption-table.ts';
import {
  BACKFILL_BALANCE_TABLE,
  BACKFILL_TABLE,
  toBackfillBalance,
  toBackfillRecord,
} from '../tables/backfill-table.ts';
import { BALANCE_TABLE, toBalanceRecord } from '../tables/balance-table.ts';
import { ALL_POOLS, CANDLE_TABLE, toCandleKey, toCandleRecord } from '../tables/candle-table.ts';
import { CHECKPOINT_TABLE, toCheckpointRecord } from '../tables/checkpoint-table.ts';
import { textAt } from '../tables/column-value.ts';
import { HEADER_TABLE, toHeaderRecord } from '../tables/header-table.ts';
import { POOL_TABLE, toPoolRecord } from '../tables/pool-table.ts';
import { POSITION_TABLE, toPositionRecord } from '../tables/position-table.ts';
import { SCOPE_ENTRY_TABLE, toScopeEntry } from '../tables/scope-entry-table.ts';
import { compareTicks, TICK_TABLE, toTickRecord } from '../tables/tick-table.ts';
import { TOKEN_TABLE, toTokenRecord } from '../tables/token-table.ts';
import { compareTrades, TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';

const SELECT_HEADERS = buildSelect(HEADER_TABLE, 'WHERE chain = $1 ORDER BY number', ['text']);

const SELECT_POOLS_OF_TOKEN0 = buildSelect(POOL_TABLE, 'WHERE chain = $1 AND token0 = $2', [
  'text',
  'text',
]);

const SELECT_POOLS_OF_TOKEN1 = buildSelect(POOL_TABLE, 'WHERE chain = $1 AND token1 = $2', [
  'text',
  'text',
]);

const SELECT_POOLS_OF_PAIR = buildSelect(
  POOL_TABLE,
  'WHERE chain = $1 AND token0 = $2 AND token1 = $3',
  ['text', 'text', 'text'],
);

const SELECT_OLDEST_OF_PAIR = buildSelect(
  POOL_TABLE,
  `WHERE chain = $1 AND token0 = $2 AND token1 = $3 AND kind = $4
  ORDER BY created_block, pool LIMIT $5`,
  ['text', 'text', 'text', 'text', 'integer'],
);

const SELECT_OPEN_SCOPE = buildSelect(
  SCOPE_ENTRY_TABLE,
  'WHERE chain = $1 AND token = $2 AND left_block IS NULL',
  ['text', 'text'],
);

const SELECT_TICKS = buildSelect(TICK_TABLE, 'WHERE chain = $1 AND pool = $2', ['text', 'text']);

const SELECT_CANDLES = buildSelect(
  CANDLE_TABLE,
  `WHERE chain = $1 AND token = $2 AND pool = $3 AND interval = $4
    AND open_time_ms >= $5 AND open_time_ms < $6
  ORDER BY open_time_ms`,
  ['name', 'name', 'name', 'name', 'integer', 'integer'],
);

const SELECT_TRADES_OF_TOKEN = buildSelect(
  TRADE_TABLE,
  `WHERE chain = $1 AND token = $2 AND timestamp_ms >= $3 AND timestamp_ms < $4
  ORDER BY timestamp_ms, block, log_index`,
  ['name', 'name', 'integer', 'integer'],
);

const SELECT_TRADES_OF_POOL = buildSelect(
  TRADE_TABLE,
  `WHERE chain = $1 AND token = $2 AND timestamp_ms >= $3 AND timestamp_ms < $4 AND pool = $5
  ORDER BY timestamp_ms, block, log_index`,
  ['name', 'name', 'integer', 'integer', 'name'],
);

const SELECT_BACKFILLS = buildSelect(BACKFILL_TABLE, 'WHERE chain = $1 AND token = $2', [
  'text',
  'text',
]);

const SELECT_BACKFILL_BALANCES = buildSelect(
  BACKFILL_BALANCE_TABLE,
  'WHERE chain = $1 AND token = $2',
  ['text', 'text'],
);

/** Rare, so it needs no index. */
const SELECT_ADOPTION = buildSelect(
  ADOPTION_TABLE,
  'WHERE chain = $1 AND pool = $2 ORDER BY version DESC LIMIT 1',
  ['text', 'text'],
);

export class MarketQueries implements MarketReader {
  protected readonly session: SqlSession;

  constructor(session: SqlSession) {
    this.session = session;
  }

  async readCheckpoint(chain: ChainSlug): Promise<Checkpoint | null> {
    const [row] = await this.session.queryEach(CHECKPOINT_TABLE.selectByKey, [[chain]]);
    return row === undefined ? null : toCheckpointRecord(row);
  }

  async readHeaders(chain: ChainSlug): Promise<BlockHeader[]> {
    const rows = await this.session.query(SELECT_HEADERS, [chain]);
    return rows.map(toHeaderRecord);
  }

  async readTokens(chain: ChainSlug, tokens: readonly Address[]): Promise<TokenRecord[]> {
    const keys = tokens.map((token) => [chain, token]);
    return (await this.session.queryEach(TOKEN_TABLE.selectByKey, keys)).map(toTokenRecord);
  }

  async readPools(chain: ChainSlug, pools: readonly PoolId[]): Promise<PoolRecord[]> {
    const keys = pools.map((pool) => [chain, pool]);
    return (await this.session.queryEach(POOL_TABLE.selectByKey, keys)).map(toPoolRecord);
  }

  async readPoolsOfTokens(
    chain: ChainSlug,
    tokens: readonly Address[],
    against?: readonly Address[],
  ): Promise<PoolRecord[]> {
    const rows: SqlRow[] = [];
    if (against === undefined) {
      const sets = tokens.map((token) => [chain, token]);
      for (const statement of [SELECT_POOLS_OF_TOKEN0, SELECT_POOLS_OF_TOKEN1]) {
        rows.push(...(await this.session.queryEach(statement, sets)));
      }
    } else {
      const sets = tokens.flatMap((token) =>
        against.flatMap((other) => [
          [chain, token, other],
          [chain, other, token],
        ]),
      );
      rows.push(...(await this.session.queryEach(SELECT_POOLS_OF_PAIR, sets)));
    }
    // A pool of two requested tokens is found from both sides.
    const pools = new Map(rows.map((row) => [textAt(row, POOL_TABLE.at.pool), row]));
    return Array.from(pools.values(), toPoolRecord);
  }

  async readPoolsOfPair(
    chain: ChainSlug,
    pair: readonly [Address, Address],
    { kind, limit }: { readonly kind: PoolKindName; readonly limit: number },
  ): Promise<PoolRecord[]> {
    const [one, other] = pair;
    const sets = [
      [chain, one, other, kind, limit],
      [chain, other, one, kind, limit],
    ];
    const rows = await this.session.queryEach(SELECT_OLDEST_OF_PAIR, sets);
    const pools = rows.map(toPoolRecord).sort((a, b) => a.createdBlock - b.createdBlock);
    return pools.slice(0, limit);
  }

  async readScopeEntries(chain: ChainSlug, tokens: readonly Address[]): Promise<ScopeEntry[]> {
    const sets = tokens.map((token) => [chain, token]);
    return (await this.session.queryEach(SELECT_OPEN_SCOPE, sets)).map(toScopeEntry);
  }

  async readTicks(chain: ChainSlug, pools: readonly PoolId[]): Promise<TickRecord[]> {
    const sets = pools.map((pool) => [chain, pool]);
    const rows = await this.session.queryEach(SELECT_TICKS, sets);
    return rows.map(toTickRecord).sort(compareTicks);
  }

  async readBalances(chain: ChainSlug, keys: readonly BalanceKey[]): Promise<BalanceRecord[]> {
    const rows = await this.session.queryEach(
      BALANCE_TABLE.selectByKey,
      keys.map((key) => [chain, key.token, key.owner]),
    );
    return rows.map(toBalanceRecord);
  }

  async readPositions(chain: ChainSlug, keys: readonly PositionKey[]): Promise<PositionRecord[]> {
    const sets = keys.map(({ wallet, token }) => [chain, wallet, token]);
    const rows = await this.session.queryEach(POSITION_TABLE.selectByKey, sets);
    return rows.map(toPositionRecord);
  }

  async readBackfills(chain: ChainSlug, tokens: readonly Address[]): Promise<BackfillRecord[]> {
    const sets = tokens.map((token) => [chain, token]);
    return (await this.session.queryEach(SELECT_BACKFILLS, sets)).map(toBackfillRecord);
  }

  async readBackfillBalances(
    chain: ChainSlug,
    keys: readonly BalanceKey[],
  ): Promise<BalanceRecord[]> {
    const sets = keys.map((key) => [chain, key.token, key.owner]);
    const rows = await this.session.queryEach(BACKFILL_BALANCE_TABLE.selectByKey, sets);
    return rows.map(toBackfillBalance);
  }

  async readAllBackfillBalances(chain: ChainSlug, token: Address): Promise<BalanceRecord[]> {
    const rows = await this.session.query(SELECT_BACKFILL_BALANCES, [chain, token]);
    return rows.map(toBackfillBalance);
  }

  async readAdoption(chain: ChainSlug, pool: PoolId): Promise<AdoptionRecord | null> {
    const [row] = await this.session.query(SELECT_ADOPTION, [chain, pool]);
    return row === undefined ? null : toAdoptionRecord(row);
  }

  async readCandles(chain: ChainSlug, keys: readonly CandleKey[]): Promise<CandleRecord[]> {
    const rows = await this.session.queryEach(
      CANDLE_TABLE.selectByKey,
      keys.map((key) => toCandleKey(chain, key)),
    );
    return rows.map(toCandleRecord);
  }

  async readCandleRange(
    chain: ChainSlug,
    series: SeriesKey & { readonly interval: StoredInterval },
    range: TimeRange,
  ): Promise<CandleRecord[]> {
    const pool = series.pool ?? ALL_POOLS;
    const values = [chain, series.token, pool, series.interval, range.fromMs, range.toMs];
    return (await this.session.query(SELECT_CANDLES, values)).map(toCandleRecord);
  }

  async readCandleRanges(
    chain: ChainSlug,
    ranges: readonly (CandleSeries & TimeRange)[],
  ): Promise<CandleRecord[]> {
    const sets = ranges.map((one) => {
      const { token, pool, interval, fromMs, toMs } = one;
      return [chain, token, pool ?? ALL_POOLS, interval, fromMs, toMs];
    });
    return (await this.session.queryEach(SELECT_CANDLES, sets)).map(toCandleRecord);
  }

  async readTradeRanges(
    chain: ChainSlug,
    ranges: readonly (TimeRange & { readonly token: Address })[],
  ): Promise<TradeRecord[]> {
    const sets = ranges.map(({ token, fromMs, toMs }) => [chain, token, fromMs, toMs]);
    const rows = await this.session.queryEach(SELECT_TRADES_OF_TOKEN, sets);
    return rows.map(toTradeRecord).sort(compareTrades);
  }

  async readTradeRange(
    chain: ChainSlug,
    series: SeriesKey,
    range: TimeRange,
  ): Promise<TradeRecord[]> {
    const values = [chain, series.token, range.fromMs, range.toMs];
    const rows =
      series.pool === null
        ? await this.session.query(SELECT_TRADES_OF_TOKEN, values)
        : await this.session.query(SELECT_TRADES_OF_POOL, [...values, series.pool]);
    // The key orders by time, which usually agrees with the block number; sorting a sorted list is
    // almost free, and covers a chain whose clock stepped back.
    return rows.map(toTradeRecord).sort(compareTrades);
  }
}
