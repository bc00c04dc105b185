// The shared SQL operations on a PostgreSQL connection or pool.

import type { ClientBase } from 'pg';
import type { SqlRow, SqlSession } from '../sql.ts';
import { buildConflictClause, type ColumnType, type SqlStatement, type Table } from '../table.ts';
import { toArrayLiteral } from './array-literal.ts';

/** Rows per statement: enough to make its overhead negligible, few enough to bound its size. */
const ROWS_PER_STATEMENT = 4000;

/** A connection, or a pool that picks one for each query. */
export type Queryable = Pick<ClientBase, 'query'>;

export class PostgresSession implements SqlSession {
  readonly #client: Queryable;
  #ended = false;

  constructor(client: Queryable) {
    this.#client = client;
  }

  /** After this every call fails: a late one would write outside its transaction. */
  end(): void {
    this.#ended = true;
  }

  async query({ sql }: Pick<SqlStatement, 'sql'>, values: SqlRow): Promise<SqlRow[]> {
    if (this.#ended) throw new Error('The transaction is over');
    const result = await this.#client.query<SqlRow[]>({
      text: sql,
      values: [...values],
      rowMode: 'array',
    });
    return result.rows as unknown as SqlRow[];
  }

  async execute({ sql }: Pick<SqlStatement, 'sql'>, values: SqlRow): Promise<number> {
    if (this.#ended) throw new Error('The transaction is over');
    const result = await this.#client.query({ text: sql, values: [...values] });
    return result.rowCount ?? 0;
  }

  async queryEach({ sql, takes }: SqlStatement, sets: readonly SqlRow[]): Promise<SqlRow[]> {
    // Each set of values becomes a row `k`, and the query is joined to each of them.
    const inner = sql.replace(/\$(\d+)/g, 'k.p$1');
    const joined = `SELECT q.* FROM ${buildUnnest(takes)} CROSS JOIN LATERAL (${inner}) AS q`;
    const rows: SqlRow[] = [];
    for (const values of splitValues(takes, sets)) {
      for (const row of await this.query({ sql: joined }, values)) rows.push(row);
    }
    return rows;
  }

  insertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    return this.#executeForRows(buildInsert(table), table.types, rows);
  }

  upsertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    const sql = `${buildInsert(table)} ${buildConflictClause(table)}`;
    return this.#executeForRows(sql, table.types, rows);
  }

  deleteRows(table: Table, keys: readonly SqlRow[]): Promise<void> {
    const keyTypes = table.deleteByKey.takes;
    const condition = keyTypes
      .map((_, index) => `t.${table.columns[index]} = k.p${index + 1}`)
      .join(' AND ');
    const sql = `DELETE FROM ${table.name} AS t USING ${buildUnnest(keyTypes)} WHERE ${condition}`;
    return this.#executeForRows(sql, keyTypes, keys);
  }

  async #executeForRows(
    sql: string,
    types: readonly ColumnType[],
    rows: readonly SqlRow[],
  ): Promise<void> {
    for (const values of splitValues(types, rows)) await this.execute({ sql }, values);
  }
}

function buildInsert(table: Table): string {
  return `INSERT INTO ${table.name} (${table.columnList}) SELECT * FROM ${buildUnnest(table.types)}`;
}

function buildUnnest(types: readonly ColumnType[]): string {
  const arrays = types.map(
    (type, index) => `$${index + 1}::${type === 'integer' ? 'bigint' : 'text'}[]`,
  );
  const names = types.map((_, index) => `p${index + 1}`);
  return `unnest(${arrays.join(', ')}) AS k (${names.join(', ')})`;
}

function* splitValues(types: readonly ColumnType[], rows: readonly SqlRow[]): Generator<string[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    yield types.map((_, column) => toArrayLiteral(part, column));
  }
}
