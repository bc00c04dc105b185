// A table as both engines see it: its columns in order, the key first.

/**
 * A `name` is text out of a set much smaller than the table, such as a token's address among its
 * balances. An engine may keep it as it likes, so names are compared for equality and paged by, but
 * have no order that means anything.
 */
export type ColumnType = 'text' | 'name' | 'integer';

/**
 * A statement with the types of its parameters and of what it selects. Parameters are numbered
 * `$1, $2, …`, each used once and in order, so that the same text serves PostgreSQL as it stands
 * and SQLite with `?` in their place.
 */
export interface SqlStatement {
  readonly sql: string;
  readonly takes: readonly ColumnType[];
  readonly gives: readonly ColumnType[];
}

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly ColumnType[];
  /** How many of the first columns make the primary key. */
  readonly keyLength: number;
  /** The columns, comma-separated, for use in a SELECT. */
  readonly columnList: string;
  readonly selectByKey: SqlStatement;
  readonly deleteByKey: SqlStatement;
}

export function defineTable(
  name: string,
  definition: { key: Record<string, ColumnType>; data: Record<string, ColumnType> },
): Table {
  const key = Object.keys(definition.key);
  const keyTypes = Object.values(definition.key);
  const types = [...keyTypes, ...Object.values(definition.data)];
  const columns = [...key, ...Object.keys(definition.data)];
  const columnList = columns.join(', ');
  const condition = key.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
  return {
    name,
    columns,
    types,
    keyLength: key.length,
    columnList,
    selectByKey: {
      sql: `SELECT ${columnList} FROM ${name} WHERE ${condition}`,
      takes: keyTypes,
      gives: types,
    },
    deleteByKey: { sql: `DELETE FROM ${name} WHERE ${condition}`, takes: keyTypes, gives: [] },
  };
}

/** A SELECT of whole rows; `rest` is what follows the table's name. */
export function toSelect(table: Table, rest: string, takes: readonly ColumnType[]): SqlStatement {
  const sql = `SELECT ${table.columnList} FROM ${table.name} ${rest}`;
  return { sql, takes, gives: table.types };
}

/** The part of an upsert after its rows, the same in both dialects. */
export function toConflictClause(table: Table): string {
  const key = table.columns.slice(0, table.keyLength);
  const assignments = table.columns
    .slice(table.keyLength)
    .map((column) => `${column} = excluded.${column}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`;
}
