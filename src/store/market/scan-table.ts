// Walks a chain's rows of one table in the order of a key, a page at a time.

import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow, SqlSession, SqlValue } from '../sql.ts';
import type { Table } from '../table.ts';

const PAGE_SIZE = 2000;

export interface TableScan<Row> {
  readonly table: Table;
  /** Columns that order a chain's rows and tell each from the others; indexed after `chain`. */
  readonly orderBy: readonly string[];
  readonly toRecord: (row: SqlRow) => Row;
}

/** Each page is a read of its own, so that a long scan holds neither memory nor a snapshot. */
export async function* scanTable<Row>(
  session: SqlSession,
  chain: ChainSlug,
  scan: TableScan<Row>,
): AsyncGenerator<readonly Row[]> {
  const order = scan.orderBy.join(', ');
  const select = `SELECT ${scan.table.columnList} FROM ${scan.table.name} WHERE chain = $1`;
  const end = `ORDER BY ${order} LIMIT ${PAGE_SIZE}`;
  const parameters = scan.orderBy.map((_, index) => `$${index + 2}`).join(', ');
  const positions = scan.orderBy.map((column) => scan.table.columns.indexOf(column));
  let after: readonly SqlValue[] | null = null;
  for (;;) {
    const page: SqlRow[] =
      after === null
        ? await session.query(`${select} ${end}`, [chain])
        : await session.query(`${select} AND (${order}) > (${parameters}) ${end}`, [
            chain,
            ...after,
          ]);
    if (page.length > 0) yield page.map(scan.toRecord);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = positions.map((position) => last[position] ?? null);
  }
}
