// The embedded store: one SQLite file for the market and one for access.

import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSqlAccessStore } from '../access/sql-access-store.ts';
import { createSqlWebhookStore } from '../access/sql-webhook-store.ts';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { SqlPauseStore, SqlWatchStore } from '../market/sql-pause-store.ts';
import {
  buildCommand,
  buildHistoryStatements,
  type MigrationHistory,
  planMigrations,
} from '../migrations/migration.ts';
import { type MigrationOptions, runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlEngine, SqlRow, SqlSession } from '../sql.ts';
import type { Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { type OnStoreHealth, StoreHealth } from '../store-health.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import { withFaults, withTiming } from '../with-faults.ts';
import { findSqliteFault } from './find-sqlite-fault.ts';
import { NameTable } from './name-table.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SQLITE_ACCESS, SQLITE_MARKET } from './sqlite-migrations.ts';
import { SqliteSession } from './sqlite-session.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { ThreadedSqliteWriter } from './threaded-sqlite-writer.ts';

// An engine on one SQLite file: a connection for writes and one for reads.

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

interface SqliteEngineOptions extends MigrationOptions {
  readonly file: string;
  readonly history: MigrationHistory;
  readonly onTiming: OnTiming | undefined;
  readonly onError: (error: StoreError) => void;
  /** Whether the files were found missing; each use then checks whether they are back. */
  readonly isGone: () => boolean;
  /** Whether to write on a thread of its own: for an indexer, which makes rows meanwhile. */
  readonly isThreaded?: boolean | undefined;
}

interface OpenSqliteEngine {
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
async function openSqliteEngine(options: SqliteEngineOptions): Promise<OpenSqliteEngine> {
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

/** False also if the file cannot be read, or has another history: opening it says why. */
function lacksMigrations(file: string, history: MigrationHistory): boolean {
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

interface SqliteStoreOptions extends OnStoreHealth, MigrationOptions {
  /** A path, or `:memory:` for a temporary store. */
  readonly file: string;
  readonly onTiming?: OnTiming | undefined;
  /** Whether the market is written on a thread of its own: for an indexer. */
  readonly isThreaded?: boolean | undefined;
}

/**
 * A separate file beside the market's: small and precious, and its writes never wait for the
 * indexer.
 */
const ACCESS_FILE = 'access.sqlite';

/** Whether a store with data must be upgraded before it can be used. */
export function mustUpgrade(file: string): boolean {
  const accessFile = join(dirname(file), ACCESS_FILE);
  return lacksMigrations(file, SQLITE_MARKET) || lacksMigrations(accessFile, SQLITE_ACCESS);
}

interface Engines {
  readonly market: OpenSqliteEngine;
  readonly access: OpenSqliteEngine;
}

async function openEngines(
  file: string,
  { isThreaded, ...options }: Omit<SqliteEngineOptions, 'file' | 'history'>,
): Promise<Engines> {
  const history = SQLITE_MARKET;
  const market = await openSqliteEngine({ ...options, isThreaded, file, history });
  try {
    const accessFile = join(dirname(file), ACCESS_FILE);
    const access = await openSqliteEngine({
      ...options,
      file: accessFile,
      history: SQLITE_ACCESS,
    });
    return { market, access };
  } catch (error) {
    await market.close();
    throw error;
  }
}

/** Errors of wrong paths in the settings stay as they are; the rest are store faults. */
function classifyOpenError(error: unknown): unknown {
  const isOfSqlite = (error as { code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR';
  const fault = findSqliteFault(error);
  return isOfSqlite || fault === 'full' ? new StoreError(fault, error) : error;
}

function createHealth(options: OnStoreHealth, engines: () => Engines): StoreHealth {
  const assertInPlace = () => {
    for (const { files } of Object.values(engines()) as OpenSqliteEngine[]) files.assertInPlace();
  };
  return new StoreHealth({
    ...options,
    glance: assertInPlace,
    probe: async (outage) => {
      const { market, access } = engines();
      assertInPlace();
      market.files.assertRoom(outage?.fault === 'full');
      await access.probeWrite();
      // The indexer writes the market constantly and reports faults: a test write is needed only to
      // see that a fault is over.
      if (outage !== null) await market.probeWrite();
    },
    // A long transaction of the indexer blocks other writers.
    slowFault: null,
  });
}

export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, remove } = openFile(options.file);
  const health: StoreHealth = createHealth(options, () => engines);
  const engines = await openEngines(file, {
    onTiming: options.onTiming,
    onError: (error) => health.note(error),
    isGone: () => health.outage?.fault === 'gone',
    isThreaded: options.isThreaded,
    migrates: options.migrates,
    onMigrated: options.onMigrated,
    onMigrating: options.onMigrating,
  }).catch((error: unknown) => {
    remove();
    const classified = classifyOpenError(error);
    if (classified instanceof StoreError) health.note(classified);
    throw classified;
  });
  health.start();
  const { market, access } = engines;
  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    await health.stop();
    await Promise.all([market.close(), access.close()]);
    remove();
  }
  return {
    engine: 'sqlite',
    market: new SqlMarketStore(market.engine),
    standby: null,
    pauses: new SqlPauseStore(market.engine),
    watches: new SqlWatchStore(market.engine),
    access: createSqlAccessStore(access.engine),
    webhooks: createSqlWebhookStore(access.engine),
    leases: null,
    feed: null,
    signals: null,
    ping: () => health.check(),
    report: (fault, cause) => health.note(new StoreError(fault, cause)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function openFile(name: string): { readonly file: string; readonly remove: () => void } {
  if (name !== ':memory:') return { file: name, remove: () => undefined };
  // SQLite's in-memory databases cannot be read during a write, so this is a temporary file.
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-store-'));
  return {
    file: join(folder, 'store.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
