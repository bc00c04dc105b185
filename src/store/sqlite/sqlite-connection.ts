// One connection to an SQLite file, with its settings and its prepared statements.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlStatement } from '../table.ts';

/** Larger than SQLite's default of 4 KiB, because keys are long. */
const PAGE_SIZE_BYTES = 8192;
/** The system keeps pages of the file, too: one that is not here costs a copy, seldom a disk. */
const CACHE_SIZE_KIB = 8192;
/** Of a connection that reads once, from one end to the other. */
const SNAPSHOT_CACHE_SIZE_KIB = 4096;
/** About what a batch changes: with twice as much, a writer uses as much CPU. */
const WRITER_CACHE_SIZE_KIB = 16_384;
/**
 * Pages in the WAL before a checkpoint; bulk loads would otherwise spend their time on checkpoints.
 */
const WAL_AUTOCHECKPOINT_PAGES = 4000;
const WAL_SIZE_LIMIT_BYTES = 64 * 1024 ** 2;
const OPEN_TIMEOUT_MS = 30_000;

export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(
    file: string,
    options: { readonly readOnly: boolean; readonly isSnapshot?: boolean },
  ) {
    const { readOnly, isSnapshot = false } = options;
    this.#database = new DatabaseSync(file, { readOnly, timeout: OPEN_TIMEOUT_MS });
    if (!readOnly) {
      this.#database.exec(`PRAGMA page_size = ${PAGE_SIZE_BYTES}`);
      this.#database.exec('PRAGMA journal_mode = WAL');
      // With WAL, NORMAL already survives a killed process, but a power cut could lose the last
      // commits. Commits here are few and large, so FULL's one fsync each is cheap, and a revoked
      // key must stay revoked.
      this.#database.exec('PRAGMA synchronous = FULL');
      this.#database.exec(`PRAGMA wal_autocheckpoint = ${WAL_AUTOCHECKPOINT_PAGES}`);
      this.#database.exec(`PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
    }
    const readerKiB = isSnapshot ? SNAPSHOT_CACHE_SIZE_KIB : CACHE_SIZE_KIB;
    const cacheKiB = readOnly ? readerKiB : WRITER_CACHE_SIZE_KIB;
    this.#database.exec(`PRAGMA cache_size = -${cacheKiB}`);
    // Memory must not grow with the file: what a process has mapped counts as its own.
    this.#database.exec('PRAGMA mmap_size = 0');
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /**
   * Statements are fixed in code, so the cache needs no limit. Parameters for bytes are passed as
   * digits.
   */
  prepare({ sql, takes }: Pick<SqlStatement, 'sql' | 'takes'>): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      const text = sql.replace(/\$(\d+)/g, (_, number) =>
        takes[Number(number) - 1] === 'hex' ? 'unhex(?)' : '?',
      );
      statement = this.#database.prepare(text);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}
