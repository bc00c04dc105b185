// Whether an SQLite file that exists must be upgraded, without opening it as a store.

import { existsSync } from 'node:fs';
import {
  buildHistoryStatements,
  type MigrationHistory,
  planMigrations,
} from '../migrations/migration.ts';
import type { SqlRow } from '../sql.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** False also if the file cannot be read, or has another history: opening it says why. */
export function lacksMigrations(file: string, history: MigrationHistory): boolean {
  if (!existsSync(file)) return false;
  let connection: SqliteConnection | null = null;
  try {
    connection = new SqliteConnection(file, { readOnly: true });
    const rows = connection
      .prepare(buildHistoryStatements(history.table).select)
      .all() as unknown[];
    const applied = (rows as SqlRow[]).map((row) => ({
      ...{ id: numberAt(row, 0), name: textAt(row, 1), checksum: textAt(row, 2) },
    }));
    // A file without any is new: its migrations take no time.
    return applied.length > 0 && planMigrations(history, applied).length > 0;
  } catch {
    return false;
  } finally {
    connection?.close();
  }
}
