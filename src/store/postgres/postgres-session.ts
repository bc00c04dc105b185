// The shared SQL operations on a PostgreSQL connection or pool.

import type { ClientBase, QueryResult } from 'pg';
import { parseHexDigits } from '../hex-digits.ts';
import type { SqlProcedure, SqlRow, SqlSession, SqlValue } from '../sql.ts';
import {
  buildConflictClause,
  type ColumnType,
  findEncodedPositions,
  type SqlStatement,
  type Table,
} from '../table.ts';
import { toArrayLiteral, toParameter } from './array-literal.ts';
import { CopyQuery } from './copy-query.ts';
import { toCopyText } from './copy-text.ts';
import type { PostgresNames } from './postgres-names.ts';

/** Rows per statement: enough to make its overhead negligible, few enough to bound its size. */
const ROWS_PER_STATEMENT = 4000;

/** From here on rows are copied instead of inserted. */
const COPIED_ROWS_MIN = 100;

const NO_IDS: ReadonlyMap<string, number> = new Map();

/** A connection, or a pool that picks one for each query. */
export type Queryable = Pick<ClientBase, 'query'>;

export class PostgresSession implements SqlSession {
  readonly #client: Queryable;
  readonly #findNames: () => PostgresNames;
  readonly #isTransaction: boolean;
  /** Writes that were sent and not awaited. */
  #sent: Promise<unknown>[] = [];
  #failure: { readonly error: unknown; readonly order: number } | null = null;
  #ended = false;

  /**
   * In a transaction bulk writes are sent without waiting for the result of the one before, and
   * `settle` returns the first that failed. The connection must accept several queries at once.
   * `findNames` gives the names of the server as it is now.
   */
  constructor(
    client: Queryable,
    findNames: () => PostgresNames,
    options: { readonly isTransaction: boolean } = { isTransaction: false },
  ) {
    this.#client = client;
    this.#findNames = findNames;
    this.#isTransaction = options.isTransaction;
  }

  /** Waits for all writes; the first failure is the cause of those after it. */
  async settle(): Promise<{ readonly error: unknown } | null> {
    await Promise.all(this.#sent);
    return this.#failure;
  }

  /** After this every call fails: a late one would write outside its transaction. */
  end(): void {
    this.#ended = true;
  }

  async query(statement: SqlStatement, values: SqlRow): Promise<SqlRow[]> {
    this.#assertOpen();
    const { sql, takes, gives } = statement;
    const names = this.#findNames();
    const ids = await names.findIds(collectNames(takes, [values]));
    const parameters = values.map((value, index) => toParameter(value, takes[index], ids));
    return this.#select({ sql, gives }, parameters, names);
  }

  async execute(statement: SqlStatement, values: SqlRow): Promise<number> {
    const result = await this.#run(statement, values);
    return result.rowCount ?? 0;
  }

  async executeLater(statement: SqlStatement, values: SqlRow): Promise<void> {
    const done = this.#run(statement, values);
    if (this.#isTransaction) this.#send(done);
    else await done;
  }

  /** Without names it is sent at once, before what the caller sends next. */
  async #run({ sql, takes }: SqlStatement, values: SqlRow): Promise<QueryResult> {
    this.#assertOpen();
    const names = collectNames(takes, [values]);
    const ids = names.size === 0 ? NO_IDS : await this.#findNames().findIds(names);
    const parameters = values.map((value, index) => toParameter(value, takes[index], ids));
    return this.#client.query({ text: sql, values: parameters });
  }

  async queryEach({ sql, takes, gives }: SqlStatement, sets: readonly SqlRow[]): Promise<SqlRow[]> {
    this.#assertOpen();
    // Each set of values becomes a row `k`, and the query is joined to each of them.
    const inner = sql.replace(/\$(\d+)/g, 'k.p$1');
    const joined = `SELECT q.* FROM ${buildUnnest(takes)} CROSS JOIN LATERAL (${inner}) AS q`;
    const rows: SqlRow[] = [];
    const names = this.#findNames();
    const ids = await names.findIds(collectNames(takes, sets));
    for (const values of splitValues(takes, sets, ids)) {
      for (const row of await this.#select({ sql: joined, gives }, values, names)) rows.push(row);
    }
    return rows;
  }

  insertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    return this.#isTransaction && rows.length >= COPIED_ROWS_MIN
      ? this.#copyRows(table, rows)
      : this.#executeForRows(buildInsert(table), table.types, rows);
  }

  /** The server writes copied rows with two thirds of the work, many to a page at once. */
  async #copyRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#assertOpen();
    const ids = await this.#findNames().addIds(collectNames(table.types, rows));
    const sql = `COPY ${table.name} (${table.columnList}) FROM STDIN`;
    for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
      this.#assertOpen();
      const text = toCopyText(table, rows.slice(start, start + ROWS_PER_STATEMENT), ids);
      const done = Promise.withResolvers<void>();
      this.#client.query(
        new CopyQuery(sql, text, (error) => (error ? done.reject(error) : done.resolve())),
      );
      this.#send(done.promise);
    }
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

  runProcedure(procedure: SqlProcedure, rows: readonly SqlRow[]): Promise<void> {
    return procedure.run(this, rows);
  }

  async #executeForRows(
    sql: string,
    types: readonly ColumnType[],
    rows: readonly SqlRow[],
  ): Promise<void> {
    this.#assertOpen();
    const ids = await this.#findNames().addIds(collectNames(types, rows));
    for (const values of splitValues(types, rows, ids)) {
      this.#assertOpen();
      const written = this.#client.query({ text: sql, values });
      if (this.#isTransaction) this.#send(written);
      else await written;
    }
  }

  /** Failures that arrive together may be told in any order: the cause is the one sent first. */
  #send(written: Promise<unknown>): void {
    const order = this.#sent.length;
    this.#sent.push(
      written.catch((error: unknown) => {
        if (this.#failure === null || order < this.#failure.order) this.#failure = { error, order };
      }),
    );
  }

  async #select(
    { sql: text, gives }: Pick<SqlStatement, 'sql' | 'gives'>,
    values: SqlValue[],
    ofServer: PostgresNames,
  ): Promise<SqlRow[]> {
    this.#assertOpen();
    const result = await this.#client.query<SqlValue[]>({ text, values, rowMode: 'array' });
    // Another server may have answered, where the numbers asked for are of other names.
    ofServer.assertCurrent();
    const rows = result.rows as unknown as SqlValue[][];
    const { names, hexes } = findEncodedPositions(gives);
    const known = await ofServer.findNames(collectIds(names, rows));
    for (const row of rows) {
      for (const position of names) {
        const id = row[position];
        if (typeof id === 'number') row[position] = known.get(id) ?? null;
      }
      for (const position of hexes) {
        const bytes = row[position];
        if (typeof bytes === 'string') row[position] = parseHexDigits(bytes.slice(2));
      }
    }
    return rows;
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error('The transaction is over');
    if (this.#failure !== null) throw this.#failure.error;
  }
}

function collectNames(types: readonly ColumnType[], rows: readonly SqlRow[]): Set<string> {
  const found = new Set<string>();
  for (const position of findEncodedPositions(types).names) {
    let last: SqlValue = null;
    for (const row of rows) {
      const name = row[position] ?? null;
      // Consecutive rows usually share their chain, venue or token.
      if (name === last || typeof name !== 'string') continue;
      last = name;
      found.add(name);
    }
  }
  return found;
}

function collectIds(positions: readonly number[], rows: readonly SqlRow[]): Set<number> {
  const found = new Set<number>();
  for (const position of positions) {
    for (const row of rows) {
      const id = row[position];
      if (typeof id === 'number') found.add(id);
    }
  }
  return found;
}

/** In key order rows of one page are written together: a third less time and log. */
function buildInsert({ name, columnList, types, keyLength }: Table): string {
  const key = types.slice(0, keyLength).map(buildSortKey).join(', ');
  return `INSERT INTO ${name} (${columnList}) SELECT * FROM ${buildUnnest(types)} ORDER BY ${key}`;
}

/** Any order will do: the cheapest for text is that of its bytes. */
function buildSortKey(type: ColumnType, index: number): string {
  return `p${index + 1}${type === 'text' ? ' COLLATE "C"' : ''}`;
}

const ARRAY_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  name: 'integer',
  hex: 'bytea',
  integer: 'bigint',
};

function buildUnnest(types: readonly ColumnType[]): string {
  const arrays = types.map((type, index) => `$${index + 1}::${ARRAY_TYPES[type]}[]`);
  const names = types.map((_, index) => `p${index + 1}`);
  return `unnest(${arrays.join(', ')}) AS k (${names.join(', ')})`;
}

function* splitValues(
  types: readonly ColumnType[],
  rows: readonly SqlRow[],
  ids: ReadonlyMap<string, number>,
): Generator<string[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    yield types.map((type, position) => toArrayLiteral(part, { position, type }, ids));
  }
}
