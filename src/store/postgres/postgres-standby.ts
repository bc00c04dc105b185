// A hot standby of PostgreSQL: reads only, and never waited for. After a failure it is not used
// until it answers again.

import { startPolling } from '../../lib/start-polling.ts';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { buildCommand } from '../migrations/migration.ts';
import type { OnTiming, SqlEngine } from '../sql.ts';
import type { MarketStandby, MarketStore } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { withFaults, withTiming } from '../with-faults.ts';
import { findPostgresFault } from './find-postgres-fault.ts';
import { BEGIN_SNAPSHOT, PostgresPool, type PostgresPoolOptions } from './postgres-pool.ts';

/** Called when it is lost, with the cause, and when it is found (again), with null. */
export type OnStandby = (error: StoreError | null) => void;

interface PostgresStandbyOptions extends PostgresPoolOptions {
  readonly onTiming?: OnTiming | undefined;
  readonly onStandby?: OnStandby | undefined;
}

/** Short: whoever waits longer gets its answer from the primary. */
const TIMEOUTS = { statementMs: 5000, queryMs: 6000, idleMs: 10_000, connectMs: 1000 };
const POLL_MS = 500;
const LOOK = buildCommand('SELECT 1');

export class PostgresStandby implements MarketStandby {
  readonly market: MarketStore;
  readonly #pool: PostgresPool;
  readonly #engine: SqlEngine;
  readonly #onStandby: OnStandby;
  readonly #stopPolling: () => Promise<void>;
  /** Until its first answer. */
  #isUp = false;
  #fault: StoreError['fault'] | null = null;

  constructor(options: PostgresStandbyOptions) {
    this.#pool = new PostgresPool(options, TIMEOUTS);
    this.#onStandby = options.onStandby ?? (() => undefined);
    const snapshot: SqlEngine['snapshot'] = (work) => this.#pool.transaction(BEGIN_SNAPSHOT, work);
    this.#engine = withFaults(
      { session: this.#pool.session, transaction: snapshot, snapshot },
      { findFault: findPostgresFault, onError: (error) => this.#note(error) },
    );
    this.market = new SqlMarketStore(withTiming(this.#engine, options.onTiming));
    const poll = () => this.#poll();
    this.#stopPolling = startPolling(poll, { everyMs: POLL_MS, onError: () => undefined });
    void poll().catch(() => undefined);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  noteSlow(): void {
    this.#note(new StoreError('unreachable', 'no answer in time'));
  }

  async close(): Promise<void> {
    await this.#stopPolling();
    await this.#pool.close();
  }

  #note(error: StoreError): void {
    // A query that the replay has cancelled, say, is no reason not to use it.
    if (!error.isOutage) return;
    this.#isUp = false;
    if (this.#fault === error.fault) return;
    this.#fault = error.fault;
    this.#onStandby(error);
  }

  async #poll(): Promise<void> {
    if (this.#isUp) return;
    await this.#engine.session.query(LOOK, []);
    this.#isUp = true;
    this.#fault = null;
    this.#onStandby(null);
  }
}
