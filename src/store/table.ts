// A table as both engines see it: its columns in order, the key first.

export type ColumnType = 'text' | 'integer';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly ColumnType[];
  /** How many of the first columns make the primary key. */
  readonly keyLength: number;
  /** The columns, comma-separated, for use in a SELECT. */
  readonly columnList: string;
  /** Finds a row by its key. */
  readonly selectByKey: string;
  readonly deleteByKey: string;
  readonly keyTypes: readonly ColumnType[];
}

export function defineTable(
  name: string,
  definition: { key: Record<string, ColumnType>; data: Record<string, ColumnType> },
): Table {
  const key = Object.keys(definition.key);
  const columns = [...key, ...Object.keys(definition.data)];
  const columnList = columns.join(', ');
  const condition = key.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
  return {
    name,
    columns,
    types: [...Object.values(definition.key), ...Object.values(definition.data)],
    keyLength: key.length,
    columnList,
    selectByKey: `SELECT ${columnList} FROM ${name} WHERE ${condition}`,
    deleteByKey: `DELETE FROM ${name} WHERE ${condition}`,
    keyTypes: Object.values(definition.key),
  };
}

/** The part of an upsert after its rows, the same in both dialects. */
export function toConflictClause(table: Table): string {
  const key = table.columns.slice(0, table.keyLength);
  const assignments = table.columns
    .slice(table.keyLength)
    .map((column) => `${column} = excluded.${column}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`;
}
