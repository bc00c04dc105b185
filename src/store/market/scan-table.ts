// Iterates over a chain's rows of one table in key order, one page at a time.

import { setImmediate } from 'node:timers/promises';
import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow, SqlSession, SqlValue } from '../sql.ts';
import { buildSelect, type ColumnType, type Table } from '../table.ts';

const PAGE_SIZE = 2000;

interface TableScan<Row> {
  readonly table: Table;
  /** Columns that order a chain's rows uniquely; indexed after `chain`. */
  readonly orderBy: readonly string[];
  readonly toRecord: (row: SqlRow) => Row;
  /** The last rows first. */
  readonly isDescending?: boolean;
  /** Only rows for which this is true; its parameters are numbered from $2. */
  readonly chosen?: {
    readonly sql: string;
    readonly takes: readonly ColumnType[];
    readonly values: SqlRow;
  };
}

/** Each page is a separate read, so that a long scan holds neither memory nor a snapshot. */
export async function* scanTable<Row>(
  session: SqlSession,
  chain: ChainSlug,
  scan: TableScan<Row>,
): AsyncGenerator<readonly Row[]> {
  const { table } = scan;
  const order = scan.orderBy.join(', ');
  const [isAfter, direction] = scan.isDescending ? ['<', ' DESC'] : ['>', ''];
  const directed = scan.orderBy.map((column) => column + direction).join(', ');
  const end = `ORDER BY ${directed} LIMIT ${PAGE_SIZE}`;
  const positions = scan.orderBy.map((column) => table.columns.indexOf(column));
  const typeOf = (column: string) => table.types[table.columns.indexOf(column)] ?? 'text';
  const { chosen = { sql: 'TRUE', takes: [], values: [] } } = scan;
  const from = `WHERE chain = $1 AND (${chosen.sql})`;
  const takes = [typeOf('chain'), ...chosen.takes];
  const values = [chain, ...chosen.values];
  const parameters = positions.map((_, index) => `$${index + takes.length + 1}`).join(', ');
  const first = buildSelect(table, `${from} ${end}`, takes);
  const next = buildSelect(table, `${from} AND (${order}) ${isAfter} (${parameters}) ${end}`, [
    ...takes,
    ...scan.orderBy.map(typeOf),
  ]);
  let after: readonly SqlValue[] | null = null;
  for (;;) {
    const page: SqlRow[] =
      after === null
        ? await session.query(first, values)
        : await session.query(next, [...values, ...after]);
    if (page.length > 0) yield page.map(scan.toRecord);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = positions.map((position) => last[position] ?? null);
    // SQLite answers at once: without this, nothing else in the thread would get its turn.
    await setImmediate();
  }
}
