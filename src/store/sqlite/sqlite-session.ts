// The shared SQL operations on one SQLite connection.

import { parseHexDigits, toHexDigits } from '../hex-digits.ts';
import { sortByKey } from '../sort-by-key.ts';
import type { SqlProcedure, SqlRow, SqlSession, SqlValue } from '../sql.ts';
import {
  buildConflictClause,
  findEncodedPositions,
  type SqlStatement,
  type Table,
} from '../table.ts';
import type { NameTable } from './name-table.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

export class SqliteSession implements SqlSession {
  readonly #connection: SqliteConnection;
  readonly #names: NameTable;
  readonly #endsAtFailure: boolean;
  #ended = false;
  #failed = false;

  /**
   * `endsAtFailure` is for write transactions: some failures, such as a full disk, roll back at
   * once, and a later statement would then be committed on its own.
   */
  constructor(
    connection: SqliteConnection,
    names: NameTable,
    options: { readonly endsAtFailure: boolean } = { endsAtFailure: false },
  ) {
    this.#connection = connection;
    this.#names = names;
    this.#endsAtFailure = options.endsAtFailure;
  }

  /** Whether a statement failed: a bulk write may then be partly done. */
  get failed(): boolean {
    return this.#failed;
  }

  /** After this every call fails: a late one would write outside its transaction. */
  end(): void {
    this.#ended = true;
  }

  async query(statement: SqlStatement, values: SqlRow): Promise<SqlRow[]> {
    return this.#use(() => this.#select(statement, [values]));
  }

  async queryEach(statement: SqlStatement, sets: readonly SqlRow[]): Promise<SqlRow[]> {
    return this.#use(() => this.#select(statement, sets));
  }

  async execute(statement: SqlStatement, values: SqlRow): Promise<number> {
    return this.#use(() => {
      const [row = []] = this.#encode(statement, [values]);
      return Number(this.#connection.prepare(statement).run(...row).changes);
    });
  }

  async executeLater(statement: SqlStatement, values: SqlRow): Promise<void> {
    await this.execute(statement, values);
  }

  async insertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#use(() => {
      this.#writeRows(table, buildInsert(table), rows);
    });
  }

  async upsertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#use(() => {
      this.#writeRows(table, buildUpsert(table), rows);
    });
  }

  /**
   * In key order each row is near the previous one, and the tree's pages are found, split and
   * logged half as often.
   */
  #writeRows(table: Table, statement: SqlStatement, rows: readonly SqlRow[]): void {
    this.#runForEach(statement, sortByKey(table, this.#encode(statement, rows)));
  }

  async deleteRows(table: Table, keys: readonly SqlRow[]): Promise<void> {
    this.#use(() => {
      this.#runForEach(table.deleteByKey, this.#encode(table.deleteByKey, keys));
    });
  }

  runProcedure(procedure: SqlProcedure, rows: readonly SqlRow[]): Promise<void> {
    return procedure.run(this, rows);
  }

  #select(statement: SqlStatement, sets: readonly SqlRow[]): SqlRow[] {
    const prepared = this.#connection.prepare(statement);
    const taken = findEncodedPositions(statement.takes);
    const given = findEncodedPositions(statement.gives);
    const rows: SqlRow[] = [];
    for (const set of sets) {
      const values = [...set];
      for (const position of taken.names) {
        const name = values[position];
        // A name without a number is compared as null, which equals nothing.
        if (typeof name === 'string') values[position] = this.#names.findId(name);
      }
      for (const position of taken.hexes) replaceHex(values, position);
      for (const row of prepared.all(...values) as unknown as SqliteRow[]) {
        for (const position of given.names) {
          const id = row[position];
          if (typeof id === 'number') row[position] = this.#names.findName(id);
        }
        for (const position of given.hexes) {
          const bytes = row[position];
          if (bytes instanceof Uint8Array) row[position] = parseHexDigits(toHex(bytes));
        }
        rows.push(row as SqlRow);
      }
    }
    return rows;
  }

  #runForEach(statement: SqlStatement, rows: readonly SqlRow[]): void {
    const prepared = this.#connection.prepare(statement);
    // These statements return no row, and `get` avoids the result object of `run`.
    for (const row of rows) prepared.get(...row);
  }

  /** Copies of the rows with names as numbers and ids as digits. */
  #encode({ takes }: SqlStatement, rows: readonly SqlRow[]): SqlValue[][] {
    const positions = findEncodedPositions(takes);
    const names = positions.names.map((position) => ({ position, name: '', id: 0 }));
    return rows.map((row) => {
      const values = [...row];
      for (const position of positions.texts) assertStorable(values[position]);
      for (const last of names) {
        const name = values[last.position];
        if (typeof name !== 'string') continue;
        // Consecutive rows usually share their chain, venue or token.
        if (name !== last.name || last.id === 0) {
          assertStorable(name);
          last.name = name;
          last.id = this.#names.addId(name);
        }
        values[last.position] = last.id;
      }
      for (const position of positions.hexes) replaceHex(values, position);
      return values;
    });
  }

  #use<T>(work: () => T): T {
    if (this.#ended) throw new Error('The transaction is over');
    if (this.#failed && this.#endsAtFailure) {
      throw new Error('An earlier statement of the transaction failed');
    }
    try {
      return work();
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }
}

/** As SQLite returns it. */
type SqliteRow = (SqlValue | Uint8Array)[];

/** PostgreSQL rejects it, and all engines must accept the same data. Ids are checked as digits. */
function assertStorable(value: SqlValue | undefined): void {
  if (typeof value === 'string' && value.includes('\0')) {
    throw new TypeError('Text with U+0000 cannot be stored');
  }
}

function replaceHex(values: SqlValue[], position: number): void {
  const text = values[position];
  if (typeof text === 'string') values[position] = toHexDigits(text);
}

function toHex({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('hex');
}

function buildInsert(table: Table): SqlStatement {
  const parameters = table.columns.map((_, index) => `$${index + 1}`).join(', ');
  const sql = `INSERT INTO ${table.name} (${table.columnList}) VALUES (${parameters})`;
  return { sql, takes: table.types, gives: [] };
}

function buildUpsert(table: Table): SqlStatement {
  const insert = buildInsert(table);
  return { ...insert, sql: `${insert.sql} ${buildConflictClause(table)}` };
}
