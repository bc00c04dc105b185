// Migrates a store's schema, each migration in its own transaction.

import type { SqlSession } from '../sql.ts';
import { StoreSchemaError } from '../store-error.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import {
  buildCommand,
  buildHistoryStatements,
  computeChecksum,
  listStatements,
  type MigrationHistory,
  planMigrations,
} from './migration.ts';

/** Where the upgrade of a store stands: the next statement of a migration is about to run. */
export interface MigrationProgress {
  readonly id: number;
  readonly name: string;
  /** Counts from 1. */
  readonly statement: number;
  readonly statementCount: number;
}

export interface MigrationOptions {
  /** Whether a store that lacks migrations gets them; otherwise it is refused. Yes by default. */
  readonly migrates?: boolean | undefined;
  /** Called after each migration. */
  readonly onMigrated?: ((name: string) => void) | undefined;
  /**
   * Called while a store with data is upgraded: at the start of each migration, and then before a
   * statement if the last call was some seconds ago. SQLite runs a statement in one piece, so there
   * is no call during it.
   */
  readonly onMigrating?: ((progress: MigrationProgress) => void) | undefined;
}

const REPORT_MS = 2000;

/** Reports the statements of one migration. */
function createReporter(
  { onMigrating }: MigrationOptions,
  migration: Omit<MigrationProgress, 'statement'>,
  monotonicMs: () => number,
): (statement: number) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (statement) => {
    const nowMs = monotonicMs();
    if (nowMs - reportedAtMs < REPORT_MS) return;
    reportedAtMs = nowMs;
    onMigrating?.({ ...migration, statement });
  };
}

/**
 * `transaction` must exclude other processes: a second one waits, reads the record again and finds
 * nothing left to do.
 */
export async function runMigrations(
  transaction: <T>(work: (session: SqlSession) => Promise<T>) => Promise<T>,
  history: MigrationHistory,
  options: MigrationOptions = {},
  monotonicMs: () => number = () => performance.now(),
): Promise<void> {
  const { migrates = true, onMigrated } = options;
  const { create, insert, select } = buildHistoryStatements(history.table);
  let isNew = false;
  for (;;) {
    const migrated = await transaction(async (session) => {
      await session.execute(create, []);
      const rows = await session.query(select, []);
      const applied = rows.map((row) => ({
        id: numberAt(row, 0),
        name: textAt(row, 1),
        checksum: textAt(row, 2),
      }));
      const [next] = planMigrations(history, applied);
      if (next === undefined) return null;
      if (!migrates) throw new StoreSchemaError(describeMissing(next.name));
      if (applied.length === 0) isNew = true;
      const statements = listStatements(next);
      const { id, name } = next;
      const report = createReporter(
        // A new store has no rows yet: nothing takes long.
        isNew ? {} : options,
        { id, name, statementCount: statements.length },
        monotonicMs,
      );
      for (const [index, statement] of statements.entries()) {
        report(index + 1);
        await session.execute(buildCommand(statement), []);
      }
      const checksum = computeChecksum(next);
      await session.execute(insert, [id, name, checksum, Date.now()]);
      return name;
    });
    if (migrated === null) return;
    onMigrated?.(migrated);
  }
}

function describeMissing(name: string): string {
  return `The store lacks the migration "${name}" of this version, and MIGRATE is off. Run \`npx mintwire migrate\` and start again.`;
}
