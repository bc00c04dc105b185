// An engine on one SQLite file: a connection that writes and one that reads.

import { type MigrationHistory, toCommand } from '../migrations/migration.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlEngine, SqlSession } from '../sql.ts';
import type { StoreError } from '../store-error.ts';
import { withFaults } from '../with-faults.ts';
import { withTiming } from '../with-timing.ts';
import { findSqliteFault } from './find-sqlite-fault.ts';
import { NameTable } from './name-table.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { makeFilesPrivate, SqliteFiles } from './sqlite-files.ts';
import { SqliteSession } from './sqlite-session.ts';
import { SqliteWriter } from './sqlite-writer.ts';

/** Writes the first page as it is; SQLite leaves out an UPDATE that changes nothing. */
const TOUCH = toCommand('PRAGMA user_version = 0');

export interface SqliteEngineOptions {
  readonly file: string;
  readonly history: MigrationHistory;
  readonly onTiming: OnTiming | undefined;
  readonly onError: (error: StoreError) => void;
  /** Whether the files were found to be gone; each use then looks whether they are back. */
  readonly isGone: () => boolean;
}

export interface OpenSqliteEngine {
  readonly engine: SqlEngine;
  readonly files: SqliteFiles;
  /** Rejects where the file cannot be written to. */
  probeWrite(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads go to a connection of their own, so that they see only what was committed even while a
 * transaction of this very engine is under way. Threads and processes each open their own.
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<OpenSqliteEngine> {
  const { file, history } = options;
  makeFilesPrivate(file);
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
  const files = new SqliteFiles(file);
  const engine = withFaults(
    {
      session: new SqliteSession(reader, new NameTable(reader)),
      transaction: async (work) => {
        files.assertInPlace();
        return writer.transaction(work);
      },
      snapshot: async (work) => {
        files.assertInPlace();
        return runSnapshot(options, work);
      },
    },
    {
      findFault: findSqliteFault,
      assertUsable: () => {
        if (options.isGone()) files.assertInPlace();
      },
      onError: options.onError,
    },
  );
  return {
    engine: withTiming(engine, options.onTiming),
    files,
    probeWrite: () =>
      engine.transaction(async (session) => void (await session.execute(TOUCH, []))),
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
