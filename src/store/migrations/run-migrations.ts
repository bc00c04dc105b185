// Brings a store's schema up to date, each migration in a transaction of its own.

import type { SqlSession } from '../sql.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import {
  CREATE_MIGRATION_TABLE,
  INSERT_MIGRATION,
  type Migration,
  planMigrations,
  SELECT_MIGRATIONS,
  type SqlDialect,
  toChecksum,
  toCommand,
} from './migration.ts';

/**
 * `transaction` must keep two processes apart: whoever comes second waits, looks at the record
 * again and finds nothing left to do.
 */
export async function runMigrations(
  store: {
    readonly dialect: SqlDialect;
    readonly transaction: <T>(work: (session: SqlSession) => Promise<T>) => Promise<T>;
  },
  known: readonly Migration[],
): Promise<void> {
  for (;;) {
    const done = await store.transaction(async (session) => {
      await session.execute(CREATE_MIGRATION_TABLE, []);
      const rows = await session.query(SELECT_MIGRATIONS, []);
      const applied = rows.map((row) => ({
        id: numberAt(row, 0),
        name: textAt(row, 1),
        checksum: textAt(row, 2),
      }));
      const [next] = planMigrations(known, applied, store.dialect);
      if (next === undefined) return true;
      for (const statement of next.toStatements(store.dialect)) {
        await session.execute(toCommand(statement), []);
      }
      const checksum = toChecksum(next, store.dialect);
      await session.execute(INSERT_MIGRATION, [next.id, next.name, checksum, Date.now()]);
      return false;
    });
    if (done) return;
  }
}
