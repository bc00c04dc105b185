// The write connection on a thread of its own, so that rows are written while the next ones are
// made.
//
// Bulk writes are sent without waiting for them, up to a limit of rows. The first failure is told
// as soon as it is known: every later call fails with it, and so does the end of the transaction,
// which is then rolled back.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SqlProcedure, SqlRow, SqlSession } from '../sql.ts';
import { StoreError } from '../store-error.ts';
import type { SqlStatement, Table } from '../table.ts';
import {
  type BulkCall,
  parsePlainError,
  type SessionCall,
  type SqliteWriterCommand,
  type SqliteWriterReply,
} from './writer-message.ts';

/**
 * The thread holds the rows of one batch and little else: without these limits it takes another
 * 50 MB.
 */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };

/**
 * Rows of one message are in the thread's memory at once, and in key order: with fewer, more of
 * them are dropped before they outlive two collections.
 */
const ROWS_PER_MESSAGE = 2000;
/** More than a batch has. Beyond it, rows wait until those before are written. */
const ROWS_AHEAD_MAX = 30_000;

type Settle = PromiseWithResolvers<unknown>;

class ThreadSession implements SqlSession {
  readonly #post: (command: SqliteWriterCommand) => void;
  readonly #calls = new Map<number, Settle>();
  #count = 0;
  #rowsAhead = 0;
  #failure: { readonly error: unknown } | null = null;
  #ended = false;

  constructor(post: (command: SqliteWriterCommand) => void) {
    this.#post = post;
  }

  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  onReply(reply: Extract<SqliteWriterReply, { kind: 'result' | 'failed' }>): void {
    const call = reply.id === null ? undefined : this.#calls.get(reply.id);
    if (reply.id !== null) this.#calls.delete(reply.id);
    if (reply.kind === 'result') {
      call?.resolve(reply.result);
    } else {
      this.#failure ??= { error: parsePlainError(reply.error) };
      call?.reject(this.#failure.error);
    }
  }

  /** The thread is gone. */
  abandon(error: unknown): void {
    this.#failure ??= { error };
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }

  query(on: SqlStatement, values: SqlRow): Promise<SqlRow[]> {
    return this.#ask({ method: 'query', on, values }) as Promise<SqlRow[]>;
  }

  queryEach(on: SqlStatement, values: readonly SqlRow[]): Promise<SqlRow[]> {
    return this.#ask({ method: 'queryEach', on, values }) as Promise<SqlRow[]>;
  }

  execute(on: SqlStatement, values: SqlRow): Promise<number> {
    return this.#ask({ method: 'execute', on, values }) as Promise<number>;
  }

  executeLater(on: SqlStatement, values: SqlRow): Promise<void> {
    return this.#send({ method: 'execute', on, values });
  }

  insertRows(on: Table, values: readonly SqlRow[]): Promise<void> {
    return this.#sendRows({ method: 'insertRows', on, values });
  }

  upsertRows(on: Table, values: readonly SqlRow[]): Promise<void> {
    return this.#sendRows({ method: 'upsertRows', on, values });
  }

  deleteRows(on: Table, values: readonly SqlRow[]): Promise<void> {
    return this.#sendRows({ method: 'deleteRows', on, values });
  }

  runProcedure({ name }: SqlProcedure, values: readonly SqlRow[]): Promise<void> {
    return this.#send({ method: 'runProcedure', on: name, values });
  }

  async #sendRows(call: BulkCall): Promise<void> {
    const { values } = call;
    for (let start = 0; start < values.length; start += ROWS_PER_MESSAGE) {
      const part = { ...call, values: values.slice(start, start + ROWS_PER_MESSAGE) };
      this.#rowsAhead += part.values.length;
      if (this.#rowsAhead <= ROWS_AHEAD_MAX) {
        await this.#send(part);
        continue;
      }
      // Calls run in order: with this one all before it are done.
      this.#rowsAhead = 0;
      await this.#ask(part);
    }
  }

  async #send(call: SessionCall): Promise<void> {
    this.#assertOpen();
    if (call.values.length === 0 && call.method !== 'execute') return;
    this.#post({ kind: 'call', id: null, call });
  }

  async #ask(call: SessionCall): Promise<unknown> {
    this.#assertOpen();
    this.#count += 1;
    const settle = Promise.withResolvers<unknown>();
    this.#calls.set(this.#count, settle);
    this.#post({ kind: 'call', id: this.#count, call });
    return settle.promise;
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error('The transaction is over');
    if (this.#failure !== null) throw this.#failure.error;
  }
}

export class ThreadedSqliteWriter {
  readonly #file: string;
  #worker: Worker | null = null;
  #session: ThreadSession | null = null;
  #ended: PromiseWithResolvers<void> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Loading the thread's code takes a while: the first transaction need not wait for it. */
  start(): this {
    this.#open();
    return this;
  }

  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#run(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Closes once the pending transactions are done. */
  async close(): Promise<void> {
    await this.#last;
    const worker = this.#worker;
    if (worker === null) return;
    const exited = once(worker, 'exit');
    worker.postMessage({ kind: 'close' } satisfies SqliteWriterCommand);
    await exited;
  }

  async #run<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const worker = this.#open();
    const session = new ThreadSession((command) => worker.postMessage(command));
    this.#session = session;
    worker.postMessage({ kind: 'begin' } satisfies SqliteWriterCommand);
    try {
      const result = await work(session);
      session.end();
      await this.#end(worker, true);
      return result;
    } catch (error) {
      session.end();
      await this.#end(worker, false).catch(() => undefined);
      // A fault of the store may only follow from the first failure.
      if (session.failure !== null && error instanceof StoreError) throw session.failure.error;
      throw error;
    }
  }

  /** Resolves when the transaction is over. */
  async #end(worker: Worker, commits: boolean): Promise<void> {
    if (this.#session === null || this.#worker !== worker) return;
    this.#ended = Promise.withResolvers();
    worker.postMessage({ kind: 'end', commits } satisfies SqliteWriterCommand);
    await this.#ended.promise;
  }

  #onReply(reply: SqliteWriterReply): void {
    if (reply.kind !== 'ended') {
      this.#session?.onReply(reply);
      return;
    }
    this.#session = null;
    if (reply.error === null) this.#ended?.resolve();
    else this.#ended?.reject(parsePlainError(reply.error));
    this.#ended = null;
  }

  #open(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL('./sqlite-writer-thread.ts', import.meta.url), {
      workerData: { file: this.#file },
      resourceLimits: HEAP_LIMITS,
    });
    let cause: unknown = new Error("The writer's thread has ended");
    worker.on('message', (reply: SqliteWriterReply) => this.#onReply(reply));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => this.#abandon(worker, cause));
    this.#worker = worker;
    return worker;
  }

  /** SQLite rolls back by itself; the next transaction starts a new thread. */
  #abandon(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#session?.abandon(cause);
    this.#session = null;
    this.#ended?.reject(cause);
    this.#ended = null;
  }
}
