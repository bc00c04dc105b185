// An engine on one SQLite file: a connection for writes and one for reads.

import { buildCommand, type MigrationHistory } from '../migrations/migration.ts';
import { type MigrationOptions, runMigrations } from '../migrations/run-migrations.ts';
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
import { ThreadedSqliteWriter } from './threaded-sqlite-writer.ts';

/** Rewrites the first page unchanged; SQLite skips an UPDATE that changes nothing. */
const TOUCH = buildCommand('PRAGMA user_version = 0');

export interface SqliteEngineOptions extends MigrationOptions {
  readonly file: string;
  readonly history: MigrationHistory;
  readonly onTiming: OnTiming | undefined;
  readonly onError: (error: StoreError) => void;
  /** Whether the files were found missing; each use then checks whether they are back. */
  readonly isGone: () => boolean;
  /** Whether to write on a thread of its own: for an indexer, which makes rows meanwhile. */
  readonly isThreaded?: boolean | undefined;
}

export interface OpenSqliteEngine {
  readonly engine: SqlEngine;
  readonly files: SqliteFiles;
  /** Rejects if the file cannot be written. */
  probeWrite(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads have their own connection, so that they see only committed data even during a transaction
 * of this engine. Threads and processes each open their own.
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<OpenSqliteEngine> {
  const { file } = options;
  makeFilesPrivate(file);
  const writer = await openWriter(options);
  const reader = new SqliteConnection(file, { readOnly: true });
  const files = new SqliteFiles(file);
  const engine = withFaults(
    {
      session: new SqliteSession(reader, new NameTable(reader, 'reader')),
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
      // The writer closes last: closing moves the WAL into the file, which a reader cannot do.
      await writer.close();
    },
  };
}

async function openWriter(
  options: SqliteEngineOptions,
): Promise<SqliteWriter | ThreadedSqliteWriter> {
  const writer = new SqliteWriter(options.file);
  try {
    await runMigrations((work) => writer.transaction(work), options.history, options);
  } catch (error) {
    await writer.close();
    throw error;
  }
  if (options.isThreaded !== true) return writer;
  await writer.close();
  return new ThreadedSqliteWriter(options.file).start();
}

/** A separate connection, because a connection has one transaction and the reader is shared. */
async function runSnapshot<T>(
  { file, history }: SqliteEngineOptions,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const connection = new SqliteConnection(file, { readOnly: true, isSnapshot: true });
  const session = new SqliteSession(connection, new NameTable(connection, 'snapshot'));
  try {
    connection.execute('BEGIN');
    // A transaction sees the state of its first read, so that must happen now.
    await session.query(buildCommand(`SELECT COUNT(*) FROM ${history.table}`), []);
    return await work(session);
  } finally {
    session.end();
    connection.close();
  }
}
