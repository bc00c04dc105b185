// The server store: PostgreSQL, shared by any number of processes.

import { createSqlAccessStore } from '../access/sql-access-store.ts';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { SqlPauseStore } from '../market/sql-pause-store.ts';
import { SqlWatchStore } from '../market/sql-watch-store.ts';
import { buildCommand, type MigrationHistory } from '../migrations/migration.ts';
import { type MigrationOptions, runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlEngine } from '../sql.ts';
import type { Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { type OnStoreHealth, StoreHealth } from '../store-health.ts';
import { StoreSchemaError } from '../store-schema-error.ts';
import type { SqlStatement } from '../table.ts';
import { withFaults } from '../with-faults.ts';
import { withTiming } from '../with-timing.ts';
import { findPostgresFault } from './find-postgres-fault.ts';
import { PostgresFeed, putFeedRow } from './postgres-feed.ts';
import { PostgresLeases } from './postgres-leases.ts';
import { POSTGRES_ACCESS, POSTGRES_MARKET } from './postgres-migrations.ts';
import { PostgresPartitions } from './postgres-partitions.ts';
import {
  BEGIN_SNAPSHOT,
  PATIENT_TIMEOUTS,
  PostgresPool,
  type PostgresPoolOptions,
} from './postgres-pool.ts';
import { PostgresSignals } from './postgres-signals.ts';
import { type OnStandby, PostgresStandby } from './postgres-standby.ts';

interface PostgresStoreOptions extends PostgresPoolOptions, OnStoreHealth, MigrationOptions {
  readonly onTiming?: OnTiming | undefined;
  /** A hot standby of the server at `url`. */
  readonly standbyUrl?: string | null | undefined;
  readonly onStandby?: OnStandby | undefined;
}

/** An arbitrary lock number; it spells "mint". */
const MIGRATION_LOCK = 0x6d696e74;

const HOLD_MS = 10_000;

const LOCK_MIGRATIONS = buildCommand(`SELECT 1 FROM pg_advisory_xact_lock(${MIGRATION_LOCK})`);
/** Rewrites an existing row: shows whether the server accepts writes. */
const TOUCH = buildCommand(
  `UPDATE ${POSTGRES_ACCESS.table} SET applied_at_ms = applied_at_ms WHERE id = 1`,
);
const SHOW_ENCODING: SqlStatement = { sql: 'SHOW server_encoding', takes: [], gives: ['text'] };

export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const pool = new PostgresPool(options);
  // Of its own: a wait for a connection says that we are busy, not that the server is gone.
  const probes = new PostgresPool({ ...options, poolSize: 1 });
  const createEngine = (connections: PostgresPool): SqlEngine =>
    withFaults(
      {
        session: connections.session,
        transaction: (work) => connections.transaction('BEGIN', work),
        snapshot: (work) => connections.transaction(BEGIN_SNAPSHOT, work),
      },
      { findFault: findPostgresFault, onError: (error) => health.note(error) },
    );
  const [faultless, probing] = [createEngine(pool), createEngine(probes)];
  const close = async () => {
    await Promise.all([pool.close(), probes.close()]);
  };
  const health: StoreHealth = new StoreHealth({
    ...options,
    probe: () => probing.transaction(async (session) => void (await session.execute(TOUCH, []))),
    holdMs: HOLD_MS,
    slowFault: 'unreachable',
  });
  const runLong = async (work: (engine: SqlEngine) => Promise<void>) => {
    const patient = new PostgresPool({ ...options, poolSize: 1 }, PATIENT_TIMEOUTS);
    try {
      await work(createEngine(patient));
    } finally {
      await patient.close();
    }
  };
  try {
    await runLong(async (patient) => {
      for (const history of [POSTGRES_MARKET, POSTGRES_ACCESS]) {
        await migrate(patient, history, options);
      }
    });
  } catch (error) {
    await close();
    throw error;
  }
  health.start();
  const engine = withTiming(faultless, options.onTiming);
  const signals = new PostgresSignals(engine, options.url);
  const standby = openStandby(options, pool);
  let closing: Promise<void> | null = null;
  return {
    engine: 'postgres',
    market: new SqlMarketStore(engine, {
      ...{ putFeedRow, partitions: new PostgresPartitions(engine, runLong) },
      readServer: () => readServer(engine, pool),
    }),
    standby,
    pauses: new SqlPauseStore(engine),
    watches: new SqlWatchStore(engine),
    access: createSqlAccessStore(engine),
    // A renewal does not wait for a free connection.
    leases: new PostgresLeases(probing),
    feed: new PostgresFeed(engine, signals),
    signals,
    ping: () => health.check(),
    report: (fault, cause) => health.note(new StoreError(fault, cause)),
    close: () => {
      closing ??= Promise.all([health.stop(), standby?.close()]).then(close);
      return closing;
    },
  };
}

/** Asks a connection, since the last one may have led to a server that is gone. */
async function readServer(engine: SqlEngine, pool: PostgresPool): Promise<string | null> {
  await engine.transaction(async () => undefined);
  return pool.server;
}

/** Names have the same numbers there, and the primary has all of them. */
function openStandby(options: PostgresStoreOptions, namesOf: PostgresPool) {
  const { standbyUrl, poolSize, onTiming, onStandby } = options;
  if (standbyUrl == null) return null;
  return new PostgresStandby({ url: standbyUrl, poolSize, namesOf, onTiming, onStandby });
}

async function migrate(
  engine: SqlEngine,
  history: MigrationHistory,
  options: MigrationOptions,
): Promise<void> {
  await runMigrations(
    (work) =>
      engine.transaction(async (session) => {
        // Held until the transaction ends: of two processes that start at once, one waits here.
        await session.query(LOCK_MIGRATIONS, []);
        const [row] = await session.query(SHOW_ENCODING, []);
        if (row?.[0] !== 'UTF8') {
          throw new StoreSchemaError(
            `The database's encoding is ${row?.[0]}, and token names need UTF8. ` +
              "Create it with ENCODING 'UTF8' and start again.",
          );
        }
        return work(session);
      }),
    history,
    options,
  );
}
