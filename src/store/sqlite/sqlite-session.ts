// The shared SQL operations on one SQLite connection.

import type { SqlRow, SqlSession, SqlValue } from '../sql.ts';
import { buildConflictClause, type ColumnType, type SqlStatement, type Table } from '../table.ts';
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
      const [row = []] = this.#numberNames(statement, [values]);
      return Number(this.#connection.prepare(statement.sql).run(...row).changes);
    });
  }

  async insertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#use(() => {
      const statement = buildInsert(table);
      this.#runForEach(statement.sql, this.#numberNames(statement, rows));
    });
  }

  async upsertRows(table: Table, rows: readonly SqlRow[]): Promise<void> {
    this.#use(() => {
      const statement = buildUpsert(table);
      // In key order each row is near the previous one, and the tree's pages are found, split and
      // logged half as often.
      const ordered = this.#numberNames(statement, rows).sort(createKeyOrder(table));
      this.#runForEach(statement.sql, ordered);
    });
  }

  async deleteRows(table: Table, keys: readonly SqlRow[]): Promise<void> {
    this.#use(() => {
      this.#runForEach(table.deleteByKey.sql, this.#numberNames(table.deleteByKey, keys));
    });
  }

  #select({ sql, takes, gives }: SqlStatement, sets: readonly SqlRow[]): SqlRow[] {
    const prepared = this.#connection.prepare(sql);
    const namesTaken = findNamePositions(takes);
    const namesGiven = findNamePositions(gives);
    const rows: SqlRow[] = [];
    for (const set of sets) {
      const values = [...set];
      for (const position of namesTaken) {
        const name = values[position];
        // A name without a number is compared as null, which equals nothing.
        if (typeof name === 'string') values[position] = this.#names.findId(name);
      }
      for (const row of prepared.all(...values) as unknown as SqlValue[][]) {
        for (const position of namesGiven) {
          const id = row[position];
          if (typeof id === 'number') row[position] = this.#names.findName(id);
        }
        rows.push(row);
      }
    }
    return rows;
  }

  #runForEach(sql: string, rows: readonly SqlRow[]): void {
    const prepared = this.#connection.prepare(sql);
    // These statements return no row, and `get` avoids the result object of `run`.
    for (const row of rows) prepared.get(...row);
  }

  /** Copies of the rows with names as numbers. */
  #numberNames({ takes }: SqlStatement, rows: readonly SqlRow[]): SqlValue[][] {
    const names = findNamePositions(takes).map((position) => ({ position, name: '', id: 0 }));
    return rows.map((row) => {
      const values = [...row];
      for (const value of values) {
        // PostgreSQL rejects it, and all engines must accept the same data.
        if (typeof value === 'string' && value.includes('\0')) {
          throw new TypeError('Text with U+0000 cannot be stored');
        }
      }
      for (const last of names) {
        const name = values[last.position];
        if (typeof name !== 'string') continue;
        // Consecutive rows usually share their chain, venue or token.
        if (name !== last.name || last.id === 0) {
          last.name = name;
          last.id = this.#names.addId(name);
        }
        values[last.position] = last.id;
      }
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

const NAME_POSITIONS = new WeakMap<readonly ColumnType[], readonly number[]>();

function findNamePositions(types: readonly ColumnType[]): readonly number[] {
  let positions = NAME_POSITIONS.get(types);
  if (positions === undefined) {
    positions = types.flatMap((type, position) => (type === 'name' ? [position] : []));
    NAME_POSITIONS.set(types, positions);
  }
  return positions;
}

/** Keys contain no nulls, and a column's values all have one type. */
function createKeyOrder(table: Table): (a: SqlRow, b: SqlRow) => number {
  const { keyLength } = table;
  return (a, b) => {
    for (let position = 0; position < keyLength; position += 1) {
      const left = a[position] ?? '';
      const right = b[position] ?? '';
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
}

function buildInsert(table: Table): SqlStatement {
  const parameters = table.columns.map(() => '?').join(', ');
  const sql = `INSERT INTO ${table.name} (${table.columnList}) VALUES (${parameters})`;
  return { sql, takes: table.types, gives: [] };
}

function buildUpsert(table: Table): SqlStatement {
  const insert = buildInsert(table);
  return { ...insert, sql: `${insert.sql} ${buildConflictClause(table)}` };
}
