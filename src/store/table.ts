// A table for both engines: its columns in order, the key first.

/**
 * A `name` is text from a set much smaller than the table, such as a token's address among its
 * balances. The engines store its number, so names can be compared for equality and used for
 * paging, but their order has no meaning. A `hex` is an address or a hash, stored as bytes.
 */
export type ColumnType = 'text' | 'name' | 'hex' | 'integer';

/** The positions of the columns that the engines store in another form, and of text. */
interface EncodedPositions {
  readonly names: readonly number[];
  readonly hexes: readonly number[];
  readonly texts: readonly number[];
}

const ENCODED_POSITIONS = new WeakMap<readonly ColumnType[], EncodedPositions>();

/** The types of statements are constants, so they are looked through once. */
export function findEncodedPositions(types: readonly ColumnType[]): EncodedPositions {
  let positions = ENCODED_POSITIONS.get(types);
  if (positions === undefined) {
    const find = (wanted: ColumnType) =>
      types.flatMap((type, position) => (type === wanted ? [position] : []));
    positions = { names: find('name'), hexes: find('hex'), texts: find('text') };
    ENCODED_POSITIONS.set(types, positions);
  }
  return positions;
}

/**
 * A statement with the types of its parameters and results. Parameters are numbered `$1, $2, …`,
 * each used once and in order, so that the same text works for PostgreSQL and, with `?` instead,
 * for SQLite.
 */
export interface SqlStatement {
  readonly sql: string;
  readonly takes: readonly ColumnType[];
  readonly gives: readonly ColumnType[];
}

export interface Table<Column extends string = string> {
  readonly name: string;
  readonly columns: readonly string[];
  /** The index of each column in a row. */
  readonly at: Readonly<Record<Column, number>>;
  readonly types: readonly ColumnType[];
  /** How many of the first columns form the primary key. */
  readonly keyLength: number;
  /** The columns, comma-separated, for use in a SELECT. */
  readonly columnList: string;
  readonly selectByKey: SqlStatement;
  readonly deleteByKey: SqlStatement;
}

export function defineTable<Key extends string, Data extends string>(
  name: string,
  definition: { key: Record<Key, ColumnType>; data: Record<Data, ColumnType> },
): Table<Key | Data> {
  const key = Object.keys(definition.key) as Key[];
  const keyTypes = Object.values<ColumnType>(definition.key);
  const types = [...keyTypes, ...Object.values<ColumnType>(definition.data)];
  const columns = [...key, ...(Object.keys(definition.data) as Data[])];
  const columnList = columns.join(', ');
  const condition = key.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
  return {
    name,
    columns,
    at: indexColumns(columns),
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

/** The index of each column in a row with these columns. */
export function indexColumns<Column extends string>(
  columns: readonly Column[],
): Readonly<Record<Column, number>> {
  return Object.fromEntries(columns.map((column, index) => [column, index])) as Record<
    Column,
    number
  >;
}

/** A SELECT of whole rows; `rest` follows the table's name. */
export function buildSelect(
  table: Table,
  rest: string,
  takes: readonly ColumnType[],
): SqlStatement {
  const sql = `SELECT ${table.columnList} FROM ${table.name} ${rest}`;
  return { sql, takes, gives: table.types };
}

/** The conflict clause of an upsert, the same in both dialects. */
export function buildConflictClause(table: Table): string {
  const key = table.columns.slice(0, table.keyLength);
  const assignments = table.columns
    .slice(table.keyLength)
    .map((column) => `${column} = excluded.${column}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`;
}
