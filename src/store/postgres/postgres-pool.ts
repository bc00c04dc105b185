// A bounded pool of PostgreSQL connections, and transactions on them.
//
// Each connection is asked which server it leads to, and so is each transaction, since a proxy may
// keep the connection. When a standby has taken over, what is remembered of the old server (the
// numbers of names) is forgotten, and connections that still lead to it are closed.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientBase,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  types,
} from 'pg';
import type { SqlRow, SqlSession } from '../sql.ts';
import { StoreError } from '../store-error.ts';
import { PostgresNames } from './postgres-names.ts';
import { PostgresSession, type Queryable } from './postgres-session.ts';

export interface PostgresPoolOptions {
  readonly url: string;
  /** The maximum number of connections; further callers wait. */
  readonly poolSize?: number | undefined;
  /** A pool of another server with the same rows, whose names are used; its own by default. */
  readonly namesOf?: Pick<PostgresPool, 'names'>;
  /** Of a store that serves; tests may lower them. */
  readonly timeouts?: PoolTimeouts;
}

interface PoolTimeouts {
  /** Of the server, for each statement. */
  readonly statementMs: number;
  /** Limits the wait for a server that disappears without closing its connections. */
  readonly queryMs: number;
  /** After which the server ends a transaction without statements; 0 for never. */
  readonly idleMs: number;
  /** For a connection, new or free; 10 seconds by default. */
  readonly connectMs?: number;
}

const POOL_SIZE_DEFAULT = 10;
/** Below the time a request may take, so that no answer waits for a statement that goes on. */
const TIMEOUTS: PoolTimeouts = { statementMs: 25_000, queryMs: 60_000, idleMs: 10_000 };
const DAY_MS = 86_400_000;
/** For migrations: they may rewrite a table, and a second process waits until they are done. */
export const PATIENT_TIMEOUTS: PoolTimeouts = { statementMs: DAY_MS, queryMs: DAY_MS, idleMs: 0 };
/**
 * A transaction sees the state of its first read, so that must happen now. No writer waits for it,
 * so its reader may pause for any time. A dropped partition would be missing in it: it excludes
 * drops before it sees anything (a lock is no read). `ONLY` is one lock instead of one for each
 * partition, and a hot standby allows it.
 */
export const BEGIN_SNAPSHOT =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ' +
  'SET LOCAL idle_in_transaction_session_timeout = 0; ' +
  'LOCK TABLE ONLY trades, ONLY candles IN ACCESS SHARE MODE; SELECT 1';
/**
 * The server and its timeline, which is a new one after each promotion and each recovery to a point
 * in time. A standby has none of its own.
 */
const SELECT_SERVER = `SELECT system_identifier || CASE WHEN pg_is_in_recovery() THEN ''
  ELSE ' ' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END FROM pg_control_system()`;
/** Where it is not PostgreSQL itself, or its account may not know: the server never changes. */
const NOT_TOLD = new Set(['0A000', '42501', '42883']);
const CONNECT_TIMEOUT_MS = 10_000;
const BIGINT_OID = 20;
const BYTEA_OID = 17;
/** Two transactions waited for each other's rows, and the server ended one: it may begin again. */
const DEADLOCK = '40P01';
/** Each deadlock costs the server's `deadlock_timeout`, a second by default. */
const ATTEMPTS_MAX = 4;
const PAUSE_MS = 20;

export class PostgresPool {
  readonly #pool: Pool;
  /** Opened when it is first used; see `PostgresNames`. */
  readonly #nameConnection: Pool;
  readonly #namesOf: PostgresPoolOptions['namesOf'];
  #names: PostgresNames;
  /** Undefined before the first connection, null if servers do not tell. */
  #server: string | null | undefined;
  /** The server that each connection leads to. */
  readonly #servers = new WeakMap<ClientBase, string | null>();
  readonly #pending = new Set<Promise<unknown>>();
  /** Runs each query on any free connection. */
  readonly session: SqlSession;

  constructor(options: PostgresPoolOptions, timeouts = options.timeouts ?? TIMEOUTS) {
    const verify = (client: ClientBase) => this.#noteConnection(client);
    this.#pool = openPool(options, timeouts, verify);
    this.#nameConnection = openPool({ ...options, poolSize: 1 }, timeouts, verify);
    this.#namesOf = options.namesOf;
    this.#names = this.#openNames();
    const query = (config: QueryConfig) => this.#track(this.#query(this.#pool, config));
    this.session = new PostgresSession({ query } as Queryable, () => this.names);
  }

  /** Of the server as it is now. */
  get names(): PostgresNames {
    return this.#namesOf?.names ?? this.#names;
  }

  /** The one that the last connection or transaction led to; null if servers do not tell. */
  get server(): string | null {
    return this.#server ?? null;
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
    await Promise.all([this.#pool.end(), this.#nameConnection.end()]);
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
    const client = await this.#connect(this.#pool);
    // The transaction is of one server.
    let { names } = this;
    const session = new PostgresSession(client, () => names, { isTransaction: true });
    let reusable = false;
    try {
      await this.#begin(client, begin);
      ({ names } = this);
      const result = await work(session);
      session.end();
      const committed = commit(client);
      committed.catch(ignore);
      throwFailure(await session.settle());
      await committed;
      reusable = true;
      return result;
    } catch (error) {
      session.end();
      const failure = await session.settle();
      reusable = await rollBack(client);
      // A fault of the store may only follow from the first failure.
      if (error instanceof StoreError) throwFailure(failure);
      throw error;
    } finally {
      client.release(!reusable);
    }
  }

  async #begin(client: PoolClient, begin: string): Promise<void> {
    const isTold = this.#servers.get(client) != null;
    const results: unknown = await client.query(isTold ? `${begin}; ${SELECT_SERVER}` : begin);
    if (isTold) this.#noteServer(client, findServer((results as QueryResult[]).at(-1)));
  }

  async #query(pool: Pool, config: QueryConfig): Promise<QueryResult> {
    const client = await this.#connect(pool);
    let isDone = false;
    try {
      const result = await client.query(config);
      isDone = true;
      return result;
    } finally {
      client.release(!isDone);
    }
  }

  /** A connection to the server as it is now. */
  async #connect(pool: Pool): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (this.#servers.get(client) === this.#server) return client;
      client.release(true);
    }
  }

  async #noteConnection(client: ClientBase): Promise<void> {
    try {
      this.#noteServer(client, findServer(await client.query(SELECT_SERVER)));
    } catch (error) {
      if (!NOT_TOLD.has((error as { code?: string }).code ?? '')) throw error;
      this.#noteServer(client, null);
    }
  }

  #noteServer(client: ClientBase, server: string | null): void {
    this.#servers.set(client, server);
    const before = this.#server;
    this.#server = server;
    if (server === before || before === undefined) return;
    this.#names.retire();
    this.#names = this.#openNames();
  }

  #openNames(): PostgresNames {
    return new PostgresNames(async (text, values) => {
      const config = { text, values: [...values], rowMode: 'array' } as QueryConfig;
      const { rows } = await this.#track(this.#query(this.#nameConnection, config));
      return rows as unknown as SqlRow[];
    });
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

function findServer(result: QueryResult | undefined): string {
  const [row] = result?.rows ?? [];
  return String(Object.values(row ?? {})[0]);
}

function openPool(
  options: PostgresPoolOptions,
  timeouts: PoolTimeouts,
  verify: (client: ClientBase) => Promise<void>,
): Pool {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize ?? POOL_SIZE_DEFAULT,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.queryMs,
    // A process that is suspended in a transaction would keep its locks.
    idle_in_transaction_session_timeout: timeouts.idleMs,
    connectionTimeoutMillis: timeouts.connectMs ?? CONNECT_TIMEOUT_MS,
    application_name: 'mintwire',
    verify: (client, done) => verify(client).then(() => done(), done),
    // Queries of one connection are sent without waiting for the result of the one before.
    pipeline: true,
    types: { getTypeParser: pickTypeParser },
  });
  // The next caller replaces a connection that breaks while idle, and a query on one that breaks
  // fails; without a listener the event would end the process. The pool listens to idle ones only,
  // and a connection may break on its way to the caller.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function throwFailure(failure: { readonly error: unknown } | null): void {
  if (failure !== null) throw failure.error;
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

/**
 * Counts, blocks and milliseconds fit a number; the driver would return them as strings. Bytes stay
 * the digits as which they arrive.
 */
const pickTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === BIGINT_OID) return toSafeInteger;
  return oid === BYTEA_OID ? String : types.getTypeParser(oid, format as 'text');
};

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${text}`);
  return value;
}

function ignore(): void {}
