// The embedded store: one SQLite file for the market and one for access.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSqlAccessStore } from '../access/sql-access-store.ts';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { SqlPauseStore } from '../market/sql-pause-store.ts';
import { SqlWatchStore } from '../market/sql-watch-store.ts';
import {
  buildHistoryStatements,
  type MigrationHistory,
  planMigrations,
} from '../migrations/migration.ts';
import type { MigrationOptions } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlRow } from '../sql.ts';
import type { Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { type OnStoreHealth, StoreHealth } from '../store-health.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import { findSqliteFault } from './find-sqlite-fault.ts';
import {
  type OpenSqliteEngine,
  openSqliteEngine,
  type SqliteEngineOptions,
} from './open-sqlite-engine.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SQLITE_ACCESS, SQLITE_MARKET } from './sqlite-migrations.ts';

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
