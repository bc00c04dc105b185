// Iterates over a chain's rows of one table in key order, one page at a time.

import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow, SqlSession, SqlValue } from '../sql.ts';
import { buildSelect, type Table } from '../table.ts';

const PAGE_SIZE = 2000;

interface TableScan<Row> {
  readonly table: Table;
  /** Columns that order a chain's rows uniquely; indexed after `chain`. */
  readonly orderBy: readonly string[];
  readonly toRecord: (row: SqlRow) => Row;
  /** The last rows first. */
  readonly isDescending?: boolean;
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
  const chainType = table.types[0] ?? 'text';
  const first = buildSelect(table, `WHERE chain = $1 ${end}`, [chainType]);
  const parameters = positions.map((_, index) => `$${index + 2}`).join(', ');
  const next = buildSelect(
    table,
    `WHERE chain = $1 AND (${order}) ${isAfter} (${parameters}) ${end}`,
    [chainType, ...positions.map((position) => table.types[position] ?? 'text')],
  );
  let after: readonly SqlValue[] | null = null;
  for (;;) {
    const page: SqlRow[] =
      after === null
        ? await session.query(first, [chain])
        : await session.query(next, [chain, ...after]);
    if (page.length > 0) yield page.map(scan.toRecord);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = positions.map((position) => last[position] ?? null);
  }
}
