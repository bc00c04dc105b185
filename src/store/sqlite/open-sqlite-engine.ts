// An engine on one SQLite file: a connection that writes and one that reads.

import { type MigrationHistory, toCommand } from '../migrations/migration.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlEngine, SqlSession } from '../sql.ts';
import { withTiming } from '../with-timing.ts';
import { NameTable } from './name-table.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteSession } from './sqlite-session.ts';
import { SqliteWriter } from './sqlite-writer.ts';

export interface SqliteEngineOptions {
  readonly file: string;
  readonly history: MigrationHistory;
  readonly onTiming: OnTiming | undefined;
}

export interface OpenSqliteEngine {
  readonly engine: SqlEngine;
  close(): Promise<void>;
}

/**
 * Reads go to a connection of their own, so that they see only what was committed even while a
 * transaction of this very engine is under way. Threads and processes each open their own.
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<OpenSqliteEngine> {
  const { file, history } = options;
  const writer = new SqliteWriter(file);
  try {
    await runMigrations(
      { dialect: 'sqlite', transaction: (work) => writer.transaction(work) },
      history,
    );
  } catch (error) {
    await writer.close();
    throw error;
  }
  const reader = new SqliteConnection(file, { readOnly: true });
  return {
    engine: withTiming(
      {
        session: new SqliteSession(reader, new NameTable(reader)),
        transaction: (work) => writer.transaction(work),
        snapshot: (work) => runSnapshot(options, work),
      },
      options.onTiming,
    ),
    async close() {
      reader.close();
      // The writer goes last: closing moves the log into the file, which a reader cannot do.
      await writer.close();
    },
  };
}

/** A connection of its own, because a connection has one transaction and the reader serves all. */
async function runSnapshot<T>(
  { file, history }: SqliteEngineOptions,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const connection = new SqliteConnection(file, { readOnly: true });
  const session = new SqliteSession(connection, new NameTable(connection));
  try {
    connection.execute('BEGIN');
    // A transaction sees the state of its first read, which must be now.
    await session.query(toCommand(`SELECT COUNT(*) FROM ${history.table}`), []);
    return await work(session);
  } finally {
    session.end();
    connection.close();
  }
}
