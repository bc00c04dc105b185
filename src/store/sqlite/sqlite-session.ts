// The shared SQL operations on one SQLite connection.

import type { StatementSync } from 'node:sqlite';
import type { SqlRow, SqlSession } from '../sql.ts';
import { type ColumnType, type Table, toConflictClause } from '../table.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

export class SqliteSession implements SqlSession {
  readonly #connection: SqliteConnection;
  #ended = false;
  #failed = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Whether a statement failed: part of a bulk write may then be there and part of it not. */
  get failed(): boolean {
    return this.#failed;
  }

  /** After this every call fails: a late one would otherwise write outside its transaction. */
  end(): void {
    this.#ended = true;
  }

  async query(sql: string, values: SqlRow): Promise<SqlRow[]> {
    return this.#use(sql, (statement) => statement.all(...values) as unknown as SqlRow[]);
  }

  async execute(sql: string, values: SqlRow): Promise<number> {
    return this.#use(sql, (statement) => Number(statement.run(...values).changes));
  }

  async queryEach(
    sql: string,
    _types: readonly ColumnType[],
    sets: readonly SqlRow[],
  ): Promise<SqlRow[]> {
    return this.#use(sql, (statement) => {
      const rows: SqlRow[] = [];
      for (const values of sets) {
        const found = statement.all(...values) as unknown as SqlRow[];
        for (const row of found) rows.push(row);
      }
      return rows;
    });
  }

  async insertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#runForEach(toInsertSql(table), rows);
  }

  async upsertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#runForEach(`${toInsertSql(table)} ${toConflictClause(table)}`, rows);
  }

  async deleteRows(table: Table, keys: readonly SqlRow[]): Promise<void> {
    this.#runForEach(table.deleteByKey, keys);
  }

  #runForEach(sql: string, rows: readonly SqlRow[]): void {
    this.#use(sql, (statement) => {
      for (const row of rows) statement.run(...row);
    });
  }

  #use<T>(sql: string, work: (statement: StatementSync) => T): T {
    if (this.#ended) throw new Error('The transaction is over');
    try {
      return work(this.#connection.prepare(sql));
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }
}

function toInsertSql(table: Table): string {
  const parameters = table.columns.map(() => '?').join(', ');
  return `INSERT INTO ${table.name} (${table.columnList}) VALUES (${parameters})`;
}
