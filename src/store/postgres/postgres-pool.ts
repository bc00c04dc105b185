// A bounded pool of PostgreSQL connections, and transactions on them.

import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient, type QueryConfig, types } from 'pg';
import type { SqlSession } from '../sql.ts';
import { PostgresSession, type Queryable } from './postgres-session.ts';

export interface PostgresPoolOptions {
  readonly url: string;
  /** The maximum number of connections; further callers wait. */
  readonly poolSize?: number | undefined;
}

const POOL_SIZE_DEFAULT = 10;
/** Below the time a request may take, so that no answer waits for a statement that goes on. */
const STATEMENT_TIMEOUT_MS = 25_000;
/** Limits the wait for a server that disappears without closing its connections. */
const QUERY_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
const BIGINT_OID = 20;
/** Two transactions waited for each other's rows, and the server ended one: it may begin again. */
const DEADLOCK = '40P01';
/** Each deadlock costs the server's `deadlock_timeout`, a second by default. */
const ATTEMPTS_MAX = 4;
const PAUSE_MS = 20;

export class PostgresPool {
  readonly #pool: Pool;
  readonly #pending = new Set<Promise<unknown>>();
  /** Runs each query on any free connection. */
  readonly session: SqlSession;

  constructor(options: PostgresPoolOptions) {
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.poolSize ?? POOL_SIZE_DEFAULT,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'mintwire',
      types: { getTypeParser: pickTypeParser },
    });
    // The next caller replaces a connection that breaks while idle; without a listener the event
    // would end the process.
    this.#pool.on('error', ignore);
    const query = (config: QueryConfig) => this.#track(this.#pool.query(config));
    this.session = new PostgresSession({ query } as Queryable);
  }

  /**
   * `begin` holds the statements that open the transaction. After a deadlock the work runs again,
   * so it has no effect outside its session before its last statement.
   */
  transaction<T>(begin: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#track(this.#runAgain(begin, work));
  }

  /** Waits for pending work: the pool alone would drop queued callers. */
  async close(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    await this.#pool.end();
  }

  async #runAgain<T>(begin: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#run(begin, work);
      } catch (error) {
        if (!isDeadlock(error) || attempt === ATTEMPTS_MAX) throw error;
        // The other one goes first.
        await sleep(attempt * PAUSE_MS * (1 + Math.random()));
      }
    }
  }

  async #run<T>(begin: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    client.on('error', ignore);
    const session = new PostgresSession(client);
    let reusable = false;
    try {
      await client.query(begin);
      const result = await work(session);
      session.end();
      await commit(client);
      reusable = true;
      return result;
    } catch (error) {
      session.end();
      reusable = await rollBack(client);
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(!reusable);
    }
  }

  #track<T>(running: Promise<T>): Promise<T> {
    this.#pending.add(running);
    const forget = () => this.#pending.delete(running);
    running.then(forget, forget);
    return running;
  }
}

/** The error may already be classified, with the driver's as its cause. */
function isDeadlock(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ((one as { code?: unknown }).code === DEADLOCK) return true;
  }
  return false;
}

async function commit(client: PoolClient): Promise<void> {
  // After a failed statement PostgreSQL answers COMMIT with a rollback, without an error.
  const result = await client.query('COMMIT');
  if (result.command !== 'COMMIT') {
    throw new Error('The transaction was rolled back because one of its statements had failed');
  }
}

async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    // The connection is lost, and the server rolls back.
    return false;
  }
}

/** Counts, blocks and milliseconds fit a number; the driver would return them as strings. */
const pickTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === BIGINT_OID ? toSafeInteger : types.getTypeParser(oid, format as 'text');

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${text}`);
  return value;
}

function ignore(): void {}
