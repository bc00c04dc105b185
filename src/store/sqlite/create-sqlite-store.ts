// The embedded store: one SQLite file for the market and one for access.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSqlAccessStore } from '../access/sql-access-store.ts';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { SqlPauseStore } from '../market/sql-pause-store.ts';
import { ACCESS_HISTORY } from '../migrations/access-migrations.ts';
import { toCommand } from '../migrations/migration.ts';
import { MARKET_HISTORY } from '../migrations/migrations.ts';
import type { OnTiming } from '../sql.ts';
import type { Store } from '../store.ts';
import { type OpenSqliteEngine, openSqliteEngine } from './open-sqlite-engine.ts';

export interface SqliteStoreOptions {
  /** A path, or `:memory:` for a store that is gone when it is closed. */
  readonly file: string;
  readonly onTiming?: OnTiming | undefined;
}

/** Beside the market's file: small and precious, and its writes never wait for the indexer's. */
const ACCESS_FILE = 'access.sqlite';

async function openEngines(
  file: string,
  onTiming: OnTiming | undefined,
): Promise<{ market: OpenSqliteEngine; access: OpenSqliteEngine }> {
  const market = await openSqliteEngine({ file, history: MARKET_HISTORY, onTiming });
  try {
    const accessFile = join(dirname(file), ACCESS_FILE);
    const access = await openSqliteEngine({ file: accessFile, history: ACCESS_HISTORY, onTiming });
    return { market, access };
  } catch (error) {
    await market.close();
    throw error;
  }
}

export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, remove } = toFile(options.file);
  const { market, access } = await openEngines(file, options.onTiming).catch((error: unknown) => {
    remove();
    throw error;
  });
  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    await Promise.all([market.close(), access.close()]);
    remove();
  }
  return {
    engine: 'sqlite',
    market: new SqlMarketStore(market.engine),
    pauses: new SqlPauseStore(market.engine),
    access: createSqlAccessStore(access.engine),
    ping: async () => {
      await market.engine.session.query(toCommand('SELECT 1'), []);
      await access.engine.session.query(toCommand('SELECT 1'), []);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
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
