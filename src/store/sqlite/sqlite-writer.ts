// The write connection: one transaction at a time, waiting for other writers without blocking.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlSession } from '../sql.ts';
import { isBusyError } from './find-sqlite-fault.ts';
import { NameTable } from './name-table.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteSession } from './sqlite-session.ts';

const LOCK_TIMEOUT_MS = 30_000;
const LOCK_POLL_MS = 4;

export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #names: NameTable;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#connection = new SqliteConnection(file, { readOnly: false });
    this.#names = new NameTable(this.#connection, 'writer');
    // SQLite would wait inside the call and block the whole thread; `#begin` waits instead.
    this.#connection.execute('PRAGMA busy_timeout = 0');
  }

  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#run(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Closes once the pending transactions are done. */
  async close(): Promise<void> {
    await this.#last;
    this.#connection.close();
  }

  async #run<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    await this.#begin();
    const session = new SqliteSession(this.#connection, this.#names, { endsAtFailure: true });
    try {
      const result = await work(session);
      session.end();
      if (session.failed) {
        throw new Error('The transaction was rolled back because one of its statements had failed');
      }
      this.#connection.execute('COMMIT');
      this.#names.onCommit();
      return result;
    } catch (error) {
      session.end();
      this.#names.onRollback();
      // Some failures, such as a full disk, have already rolled back.
      if (this.#connection.inTransaction) this.#connection.execute('ROLLBACK');
      throw error;
    }
  }

  /** IMMEDIATE takes the write lock at once, so that no later statement can find it taken. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        this.#connection.execute('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusyError(error) || performance.now() > deadline) throw error;
      }
      await sleep(LOCK_POLL_MS);
    }
  }
}
