// Pages of what a wallet holds and trades, and of a token's largest traders.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { BalanceRecord } from '../../model/market-record.ts';
import type { PositionRecord } from '../../model/position.ts';
import type { LargestPositions, LargestQuery, WalletPage } from '../market-reads.ts';
import type { SqlRow, SqlSession } from '../sql.ts';
import { buildSelect, type ColumnType, type SqlStatement, type Table } from '../table.ts';
import { BALANCE_TABLE, toBalanceRecord } from '../tables/balance-table.ts';
import { numberAt } from '../tables/column-value.ts';
import { POSITION_TABLE, toPositionRecord } from '../tables/position-table.ts';

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

export class WalletPages {
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
