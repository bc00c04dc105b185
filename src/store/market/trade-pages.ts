// Pages of the trades of a token or a wallet, with filters, newest or oldest first.

import { compareTexts } from '../../lib/decimal.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { TradePage, TradePosition, TradeQuery } from '../market-reads.ts';
import type { SqlRow, SqlSession, SqlValue } from '../sql.ts';
import type { ColumnType } from '../table.ts';
import { addressAt, numberAt } from '../tables/column-value.ts';
import { TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';

/** Rows scanned at a time if a filter may match few of them. */
const WINDOW_SIZE = 2000;
/** The maximum windows per page, so that every read ends. */
const WINDOW_COUNT_MAX = 10;

/** SQL compares values as doubles, so its bound is a little lower; an exact check follows. */
const DOUBLE_SLACK = 1 - 1e-9;

const POSITION_COLUMNS = ['timestamp_ms', 'block', 'log_index', 'token'] as const;

/** A statement's values, numbered as they are added. */
class Parameters {
  readonly values: SqlValue[] = [];
  readonly types: ColumnType[] = [];

  add(value: SqlValue, type: ColumnType): string {
    this.types.push(type);
    return `$${this.values.push(value)}`;
  }
}

export class TradePages {
  readonly #session: SqlSession;
  readonly #chain: ChainSlug;
  readonly #query: TradeQuery;
  /** The columns that order the trades uniquely. */
  readonly #order: readonly string[];
  readonly #orderBy: string;
  /** Whether rows must be checked one by one. */
  readonly #isFiltered: boolean;

  constructor(session: SqlSession, chain: ChainSlug, query: TradeQuery) {
    this.#session = session;
    this.#chain = chain;
    this.#query = query;
    const direction = query.order === 'newest' ? ' DESC' : '';
    const isByWallet = query.wallet !== null;
    this.#order = isByWallet ? POSITION_COLUMNS : POSITION_COLUMNS.slice(0, 3);
    this.#orderBy = `ORDER BY ${this.#order.map((column) => column + direction).join(', ')}`;
    const { pool, side, minUsd, token } = query;
    const isOfOneToken = isByWallet && token !== null;
    this.#isFiltered = pool !== null || side !== null || minUsd !== null || isOfOneToken;
  }

  async read(): Promise<TradePage> {
    const { limit, after } = this.#query;
    const found: TradeRecord[] = [];
    let from = after;
    for (let count = 0; count < WINDOW_COUNT_MAX; count += 1) {
      found.push(...(await this.#readWindow(from, limit + 1 - found.length)));
      if (found.length > limit) {
        const trades = found.slice(0, limit);
        return { trades, next: trades.at(-1) ?? null };
      }
      from = this.#isFiltered ? await this.#findWindowEnd(from) : null;
      if (from === null) return { trades: found, next: null };
    }
    return { trades: found, next: from };
  }

  async #readWindow(after: TradePosition | null, limit: number): Promise<TradeRecord[]> {
    const parameters = new Parameters();
    const { columnList } = TRADE_TABLE;
    const all = `SELECT ${columnList} FROM trades ${this.#buildWhere(parameters, after)}`;
    const from = this.#isFiltered
      ? `SELECT ${columnList} FROM (${all} ${this.#orderBy} LIMIT ${WINDOW_SIZE}) AS w
        WHERE ${this.#buildFilter(parameters)}`
      : all;
    const sql = `${from} ${this.#orderBy} LIMIT ${parameters.add(limit, 'integer')}`;
    const rows = await this.#run(sql, parameters, TRADE_TABLE.types);
    const trades = rows.map(toTradeRecord);
    const { minUsd } = this.#query;
    if (minUsd === null) return trades;
    return trades.filter(
      ({ valueUsd }) => valueUsd !== null && compareTexts(valueUsd, minUsd) >= 0,
    );
  }

  /** The last row of a full window; null if the window reached the end. */
  async #findWindowEnd(after: TradePosition | null): Promise<TradePosition | null> {
    const parameters = new Parameters();
    const where = this.#buildWhere(parameters, after);
    const sql = `SELECT ${POSITION_COLUMNS.join(', ')} FROM trades ${where} ${this.#orderBy}
      LIMIT 1 OFFSET ${WINDOW_SIZE - 1}`;
    const [row] = await this.#run(sql, parameters, ['integer', 'integer', 'integer', 'name']);
    if (row === undefined) return null;
    const [timestampMs, block, logIndex] = [numberAt(row, 0), numberAt(row, 1), numberAt(row, 2)];
    return { timestampMs, block, logIndex, token: addressAt(row, 3) };
  }

  /** Conditions that an index can answer. */
  #buildWhere(parameters: Parameters, after: TradePosition | null): string {
    const { range, token, wallet, order } = this.#query;
    const conditions = [
      `chain = ${parameters.add(this.#chain, 'name')}`,
      wallet === null
        ? `token = ${parameters.add(token, 'name')}`
        : `wallet = ${parameters.add(wallet, 'hex')}`,
    ];
    conditions.push(`timestamp_ms >= ${parameters.add(range.fromMs, 'integer')}`);
    conditions.push(`timestamp_ms < ${parameters.add(range.toMs, 'integer')}`);
    if (after !== null) {
      const position = [after.timestampMs, after.block, after.logIndex, after.token];
      const values = this.#order.map((column, index) =>
        parameters.add(position[index] ?? null, column === 'token' ? 'name' : 'integer'),
      );
      const isAfter = order === 'newest' ? '<' : '>';
      conditions.push(`(${this.#order.join(', ')}) ${isAfter} (${values.join(', ')})`);
    }
    return `WHERE ${conditions.join(' AND ')}`;
  }

  /** Conditions that must be checked row by row. */
  #buildFilter(parameters: Parameters): string {
    const { pool, side, minUsd, token, wallet } = this.#query;
    const conditions: string[] = [];
    if (wallet !== null && token !== null) {
      conditions.push(`token = ${parameters.add(token, 'name')}`);
    }
    if (pool !== null) conditions.push(`pool = ${parameters.add(pool, 'name')}`);
    if (side !== null) {
      conditions.push(`is_buy = ${parameters.add(side === 'buy' ? 1 : 0, 'integer')}`);
    }
    if (minUsd !== null) {
      const bound = parameters.add(String(Number(minUsd) * DOUBLE_SLACK), 'text');
      conditions.push(`CAST(value_usd AS DOUBLE PRECISION) >= CAST(${bound} AS DOUBLE PRECISION)`);
    }
    return conditions.join(' AND ');
  }

  #run(
    sql: string,
    parameters: Parameters,
    gives: readonly ColumnType[],
  ): Promise<readonly SqlRow[]> {
    return this.#session.query({ sql, takes: parameters.types, gives }, parameters.values);
  }
}
