// An engine on one SQLite file: a connection for writes and one for reads.

import { chmodSync, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildCommand, type MigrationHistory } from '../migrations/migration.ts';
import { type MigrationOptions, runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlEngine, SqlSession } from '../sql.ts';
import { StoreError } from '../store-error.ts';
import { withFaults } from '../with-faults.ts';
import { withTiming } from '../with-timing.ts';
import { findSqliteFault } from './find-sqlite-fault.ts';
import { NameTable } from './name-table.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteSession } from './sqlite-session.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { ThreadedSqliteWriter } from './threaded-sqlite-writer.ts';

const PRIVATE_MODE = 0o600;
const SUFFIXES = ['', '-wal', '-shm'] as const;
/** Below this free space the disk counts as full, although a small write may still succeed. */
const FREE_BYTES_MIN = 1024 ** 2;
/** After the disk was full, there must be room for some commits before it counts as free again. */
const FREE_AGAIN_BYTES_MIN = 16 * 1024 ** 2;
/** On a small volume this share is enough. */
const FREE_AGAIN_SHARE = 0.05;

function ignoring(codes: readonly string[], run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Makes the files readable by their owner only, regardless of the umask and the folder. The file is
 * created first if missing: SQLite gives the two beside it the same mode.
 */
function makeFilesPrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE_MODE));
  for (const suffix of SUFFIXES) {
    // Only the owner may change the mode; other users keep it as it is.
    ignoring(['ENOENT', 'EPERM'], () => chmodSync(`${file}${suffix}`, PRIVATE_MODE));
  }
}

function readIdentity(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * SQLite continues on files that were deleted or replaced, and everything written is lost in the
 * end: so we check ourselves.
 */
class SqliteFiles {
  readonly #file: string;
  /** The files at the time of opening; the WAL exists while the database is open. */
  readonly #identities: readonly (readonly [path: string, identity: string | null])[];

  constructor(file: string) {
    this.#file = file;
    this.#identities = [file, `${file}-wal`].map((path) => [path, readIdentity(path)] as const);
  }

  /** Throws unless the files are those that were opened. */
  assertInPlace(): void {
    for (const [path, identity] of this.#identities) {
      if (readIdentity(path) !== identity) {
        throw new StoreError('gone', new Error(`${path} is not the file that was opened`));
      }
    }
  }

  /** Throws if the disk has no room; requires more room after it was full. */
  assertRoom(wasFull: boolean): void {
    const { bsize, blocks, bfree, bavail } = statfsSync(dirname(this.#file));
    // Some file systems do not report it.
    if (blocks === 0) return;
    const freeBytes = bsize * (process.getuid?.() === 0 ? bfree : bavail);
    const againMin = Math.min(FREE_AGAIN_BYTES_MIN, bsize * blocks * FREE_AGAIN_SHARE);
    const min = Math.max(wasFull ? againMin : 0, Math.min(FREE_BYTES_MIN, againMin));
    if (freeBytes >= min) return;
    throw new StoreError('full', new Error(`${freeBytes} bytes are free`));
  }
}

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
