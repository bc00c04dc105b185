// Migrates a store's schema, each migration in its own transaction.

import type { SqlSession } from '../sql.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import {
  buildCommand,
  buildHistoryStatements,
  computeChecksum,
  type MigrationHistory,
  planMigrations,
  type SqlDialect,
} from './migration.ts';

/**
 * `transaction` must exclude other processes: a second one waits, reads the record again and finds
 * nothing left to do.
 */
export async function runMigrations(
  store: {
    readonly dialect: SqlDialect;
    readonly transaction: <T>(work: (session: SqlSession) => Promise<T>) => Promise<T>;
  },
  history: MigrationHistory,
): Promise<void> {
  const { create, insert, select } = buildHistoryStatements(history.table);
  for (;;) {
    const done = await store.transaction(async (session) => {
      await session.execute(create, []);
      const rows = await session.query(select, []);
      const applied = rows.map((row) => ({
        id: numberAt(row, 0),
        name: textAt(row, 1),
        checksum: textAt(row, 2),
      }));
      const [next] = planMigrations(history.migrations, applied, store.dialect);
      if (next === undefined) return true;
      for (const statement of next.toStatements(store.dialect)) {
        await session.execute(buildCommand(statement), []);
      }
      const checksum = computeChecksum(next, store.dialect);
      await session.execute(insert, [next.id, next.name, checksum, Date.now()]);
      return false;
    });
    if (done) return;
  }
}
