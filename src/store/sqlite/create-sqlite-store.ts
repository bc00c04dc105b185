// The embedded store: a file, a connection that writes and one that reads.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { toCommand } from '../migrations/migration.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlSession } from '../sql.ts';
import type { Store } from '../store.ts';
import { withTiming } from '../with-timing.ts';
import { NameTable } from './name-table.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteSession } from './sqlite-session.ts';
import { SqliteWriter } from './sqlite-writer.ts';

export interface SqliteStoreOptions {
  /** A path, or `:memory:` for a store that is gone when it is closed. */
  readonly file: string;
  readonly onTiming?: OnTiming | undefined;
}

/**
 * Reads go to a connection of their own, so that they see only what was committed even while a
 * transaction of this very store is under way. Threads and processes each open their own store.
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, remove } = toFile(options.file);
  const writer = new SqliteWriter(file);
  try {
    await runMigrations(
      { dialect: 'sqlite', transaction: (work) => writer.transaction(work) },
      MIGRATIONS,
    );
  } catch (error) {
    await writer.close();
    remove();
    throw error;
  }
  const reader = new SqliteConnection(file, { readOnly: true });
  const engine = withTiming(
    {
      session: new SqliteSession(reader, new NameTable(reader)),
      transaction: (work) => writer.transaction(work),
      snapshot: (work) => runSnapshot(file, work),
    },
    options.onTiming,
  );

  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    reader.close();
    // The writer goes last: closing moves the log into the file, which a reader cannot do.
    await writer.close();
    remove();
  }

  return {
    engine: 'sqlite',
    market: new SqlMarketStore(engine),
    ping: async () => {
      await engine.session.query(toCommand('SELECT 1'), []);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** A connection of its own, because a connection has one transaction and the reader serves all. */
async function runSnapshot<T>(file: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
  const connection = new SqliteConnection(file, { readOnly: true });
  const session = new SqliteSession(connection, new NameTable(connection));
  try {
    connection.execute('BEGIN');
    // A transaction sees the state of its first read, which must be now.
    await session.query(toCommand('SELECT COUNT(*) FROM mintwire_migrations'), []);
    return await work(session);
  } finally {
    session.end();
    connection.close();
  }
}

function toFile(name: string): { readonly file: string; readonly remove: () => void } {
  if (name !== ':memory:') return { file: name, remove: () => undefined };
  // SQLite's own memory databases cannot be read beside a write, so this is a file in all but name.
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-store-'));
  return {
    file: join(folder, 'store.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
