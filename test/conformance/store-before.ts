// A store as an older version left it: the schema up to a migration, and rows that are written past
// the store.

import { buildHistoryStatements, computeChecksum } from '../../src/store/migrations/migration.ts';
import { MARKET_HISTORY } from '../../src/store/migrations/migrations.ts';
import type { StorePlace } from './store-place.ts';

export type Cell = string | number | null;

export function buildInsert(table: string, row: readonly Cell[]): string {
  const cells = row.map((cell) =>
    cell === null ? 'NULL' : typeof cell === 'number' ? String(cell) : `'${cell}'`,
  );
  return `INSERT INTO ${table} VALUES (${cells.join(', ')})`;
}

/** Runs the migrations up to this one on an empty place. */
export async function migrateUpTo(
  place: Pick<StorePlace, 'address' | 'run'>,
  lastId: number,
): Promise<void> {
  const { table, migrations } = MARKET_HISTORY;
  const dialect = place.address.engine;
  await place.run(buildHistoryStatements(table).create.sql);
  for (const migration of migrations.slice(0, lastId)) {
    for (const statement of migration.toStatements(dialect)) await place.run(statement);
    const checksum = computeChecksum(migration, dialect);
    await place.run(buildInsert(table, [migration.id, migration.name, checksum, 1]));
  }
}
