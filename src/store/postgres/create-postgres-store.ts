// The server store: PostgreSQL, shared by any number of processes.

import { type ChainSlug, parseChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { createSqlAccessStore } from '../access/sql-access-store.ts';
import { createSqlWebhookStore } from '../access/sql-webhook-store.ts';
import type {
  ChainLease,
  FeedRow,
  FeedStore,
  LeaseState,
  LeaseStore,
  SignalStore,
} from '../feed-store.ts';
import { SqlMarketStore } from '../market/sql-market-store.ts';
import { SqlPauseStore, SqlWatchStore } from '../market/sql-pause-store.ts';
import { buildCommand, type MigrationHistory } from '../migrations/migration.ts';
import { type MigrationOptions, runMigrations } from '../migrations/run-migrations.ts';
import type { OnTiming, SqlEngine, SqlSession } from '../sql.ts';
import type { Store } from '../store.ts';
import { StoreError, StoreSchemaError } from '../store-error.ts';
import { type OnStoreHealth, StoreHealth } from '../store-health.ts';
import { buildSelect, type SqlStatement } from '../table.ts';
import { buildDamageError, numberAt, textAt, textOrNullAt } from '../tables/column-value.ts';
import { compareTrades, TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';
import { withFaults, withTiming } from '../with-faults.ts';
import { findPostgresFault } from './find-postgres-fault.ts';
import { POSTGRES_ACCESS, POSTGRES_MARKET } from './postgres-migrations.ts';
import { PostgresPartitions } from './postgres-partitions.ts';
import {
  BEGIN_SNAPSHOT,
  PATIENT_TIMEOUTS,
  PostgresPool,
  type PostgresPoolOptions,
} from './postgres-pool.ts';
import { NOTIFY, PostgresSignals } from './postgres-signals.ts';
import { type OnStandby, PostgresStandby } from './postgres-standby.ts';

// Leases in PostgreSQL, timed by its clock.
//
// The holder counts beside the token: a standby that takes over may lack the last take, and then
// gives its token again, to another process.

const SELECT_FREE: SqlStatement = {
  sql: `SELECT 1 FROM (SELECT $1::text AS chain) AS wanted
    LEFT JOIN chain_leases AS l USING (chain)
    WHERE l.chain IS NULL OR l.expires_at <= clock_timestamp()`,
  takes: ['text'],
  gives: ['integer'],
};

const INSERT_FIRST: SqlStatement = {
  sql: `INSERT INTO chain_leases (chain, token, holder, expires_at, reported_at)
    VALUES ($1, 0, '', '-infinity', clock_timestamp()) ON CONFLICT DO NOTHING`,
  takes: ['text'],
  gives: [],
};

/**
 * Conflicts with the lock of a transaction under this lease, unlike a renewal. Gives no row instead
 * of waiting: the last holder may be suspended in it, and renewals need this connection.
 */
const LOCK: SqlStatement = {
  sql: 'SELECT token FROM chain_leases WHERE chain = $1 FOR UPDATE SKIP LOCKED',
  takes: ['text'],
  gives: ['integer'],
};

const TAKE: SqlStatement = {
  sql: `UPDATE chain_leases SET holder = $1, token = token + 1,
      expires_at = clock_timestamp() + $2 * interval '1 millisecond'
    WHERE chain = $3 AND expires_at <= clock_timestamp() RETURNING token`,
  takes: ['text', 'integer', 'text'],
  gives: ['integer'],
};

const RENEW: SqlStatement = {
  sql: `UPDATE chain_leases SET expires_at = clock_timestamp() + $1 * interval '1 millisecond',
      report = $2, reported_at = clock_timestamp()
    WHERE chain = $3 AND token = $4 AND holder = $5`,
  takes: ['integer', 'text', 'text', 'integer', 'text'],
  gives: [],
};

const RELEASE: SqlStatement = {
  sql: `UPDATE chain_leases SET expires_at = '-infinity' WHERE chain = $1 AND token = $2 AND holder = $3`,
  takes: ['text', 'integer', 'text'],
  gives: [],
};

const SELECT_ALL: SqlStatement = {
  sql: `SELECT chain, holder, report,
      CAST(extract(epoch FROM clock_timestamp() - reported_at) * 1000 AS BIGINT),
      CAST(expires_at <= clock_timestamp() AS INTEGER)
    FROM chain_leases`,
  takes: [],
  gives: ['text', 'text', 'text', 'integer', 'integer'],
};

function readSlug(text: string): ChainSlug {
  const chain = parseChainSlug(text);
  if (chain === null) throw buildDamageError(`The store holds an invalid chain ${text}`);
  return chain;
}

class PostgresLeases implements LeaseStore {
  readonly #engine: SqlEngine;

  constructor(engine: SqlEngine) {
    this.#engine = engine;
  }

  async take(
    chain: ChainSlug,
    { holder, lifeMs }: { readonly holder: string; readonly lifeMs: number },
  ): Promise<ChainLease | null> {
    const free = await this.#engine.session.query(SELECT_FREE, [chain]);
    if (free.length === 0) return null;
    return await this.#engine.transaction(async (session) => {
      await session.execute(INSERT_FIRST, [chain]);
      const locked = await session.query(LOCK, [chain]);
      if (locked.length === 0) return null;
      const [row] = await session.query(TAKE, [holder, lifeMs, chain]);
      return row === undefined ? null : { chain, holder, token: numberAt(row, 0) };
    });
  }

  async renew(
    { chain, token, holder }: ChainLease,
    { lifeMs, report }: { readonly lifeMs: number; readonly report: string },
  ): Promise<boolean> {
    const values = [lifeMs, report, chain, token, holder];
    return (await this.#engine.session.execute(RENEW, values)) === 1;
  }

  async release({ chain, token, holder }: ChainLease): Promise<void> {
    await this.#engine.session.execute(RELEASE, [chain, token, holder]);
  }

  async list(): Promise<LeaseState[]> {
    const rows = await this.#engine.session.query(SELECT_ALL, []);
    return rows.map((row) => ({
      chain: readSlug(textAt(row, 0)),
      holder: textAt(row, 1),
      report: textOrNullAt(row, 2),
      reportAgeMs: Math.max(0, numberAt(row, 3)),
      isFree: numberAt(row, 4) === 1,
    }));
  }
}

// The feed in PostgreSQL: a table written with each commit, and a notification sent by it.

const CHANNEL = 'mintwire_feed';
/** How long a process may be cut off and miss nothing. */
const KEPT = "interval '10 minutes'";
/** Old commits are deleted with every so many new ones. */
const PRUNE_EVERY = 50;

const INSERT: SqlStatement = {
  sql: `INSERT INTO feed_batches (chain, epoch, version, written_at, body)
    VALUES ($1, $2, $3, clock_timestamp(), $4) ON CONFLICT DO NOTHING`,
  takes: ['text', 'text', 'integer', 'text'],
  gives: [],
};

const PRUNE: SqlStatement = {
  sql: `DELETE FROM feed_batches WHERE chain = $1 AND written_at < clock_timestamp() - ${KEPT}`,
  takes: ['text'],
  gives: [],
};

const SELECT_AFTER: SqlStatement = {
  sql: `SELECT sized.body FROM (
      SELECT page.version, page.body, sum(octet_length(page.body)) OVER (ORDER BY page.version)
        - octet_length(page.body) AS bytes_before
      FROM (SELECT f.version, f.body
        FROM (SELECT $1::text AS epoch, $2::bigint AS version) AS place
        JOIN chain_epochs AS e ON e.chain = $3
        JOIN feed_batches AS f ON f.chain = e.chain AND f.epoch = e.epoch
          AND f.version > CASE WHEN COALESCE(place.epoch, e.epoch) = e.epoch
            THEN place.version ELSE 0 END
        ORDER BY f.version LIMIT $4) AS page
    ) AS sized
    WHERE sized.bytes_before < $5::bigint ORDER BY sized.version`,
  takes: ['text', 'integer', 'text', 'integer', 'integer'],
  gives: ['text'],
};

const SELECT_TRADES = buildSelect(TRADE_TABLE, 'WHERE chain = $1 AND block >= $2 AND block <= $3', [
  'name',
  'integer',
  'integer',
]);

/** Writes a commit in its own transaction; `origin` names the process. */
async function putFeedRow(
  session: SqlSession,
  { chain, origin }: { readonly chain: ChainSlug; readonly origin: string },
  { epoch, version, body }: FeedRow,
): Promise<void> {
  await session.executeLater(INSERT, [chain, epoch, version, body]);
  await session.executeLater(NOTIFY, [CHANNEL, `${chain} ${version} ${origin}`]);
  if (version % PRUNE_EVERY === 0) await session.executeLater(PRUNE, [chain]);
}

class PostgresFeed implements FeedStore {
  readonly #engine: SqlEngine;
  readonly #signals: SignalStore;

  constructor(engine: SqlEngine, signals: SignalStore) {
    this.#engine = engine;
    this.#signals = signals;
  }

  async readBatches(
    chain: ChainSlug,
    { epoch, version }: { readonly epoch: string | null; readonly version: number },
    { countMax, bytesMax }: { readonly countMax: number; readonly bytesMax: number },
  ): Promise<string[]> {
    const values = [epoch, version, chain, countMax, bytesMax];
    const rows = await this.#engine.session.query(SELECT_AFTER, values);
    return rows.map((row) => textAt(row, 0));
  }

  async readTrades(
    chain: ChainSlug,
    { fromBlock, toBlock }: { readonly fromBlock: number; readonly toBlock: number },
  ): Promise<TradeRecord[]> {
    const rows = await this.#engine.session.query(SELECT_TRADES, [chain, fromBlock, toBlock]);
    return rows.map(toTradeRecord).sort(compareTrades);
  }

  listen(onNews: Parameters<FeedStore['listen']>[0]): () => Promise<void> {
    return this.#signals.listen(CHANNEL, (text) => {
      const [slug = '', version, origin = ''] = text.split(' ');
      const chain = parseChainSlug(slug);
      if (chain !== null) onNews({ chain, version: Number(version), origin });
    });
  }
}

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
    webhooks: createSqlWebhookStore(engine),
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
