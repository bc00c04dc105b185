// The market store over any engine with SQL sessions.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { AlertStore } from '../alert-store.ts';
import type { ChainLease, FeedRow } from '../feed-store.ts';
import type { CandleSeries } from '../market-reads.ts';
import type { RowPartitions } from '../row-partitions.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import type {
  MarketSnapshot,
  MarketStore,
  MarketTransaction,
  OldCandles,
  OldRows,
} from '../store.ts';
import { LeaseLostError } from '../store-error.ts';
import { buildSelect, type SqlStatement } from '../table.ts';
import { ACCOUNT_TABLE, toAccountRow } from '../tables/account-table.ts';
import { ADOPTION_TABLE } from '../tables/adoption-table.ts';
import { ALL_POOLS, CANDLE_TABLE, toCandleSeries } from '../tables/candle-table.ts';
import { numberAt } from '../tables/column-value.ts';
import {
  POOL_SAFETY_TABLE,
  toPoolSafetyRecord,
  toPoolSafetyRow,
} from '../tables/pool-safety-table.ts';
import { TRADE_TABLE } from '../tables/trade-table.ts';
import { addAlert, countAlerts, endAlert, readAlertsOf } from './alert-rows.ts';
import { beginForgetting, type ForgetPlace, forgetSome } from './forget-chain.ts';
import { MarketScans, scanTable } from './market-scans.ts';
import { MarketWriter, type PutFeedRow } from './market-writer.ts';

// Deletes rows that are older than they are to be kept, a bounded number in one transaction.

const TRADE_KEY = TRADE_TABLE.columns.slice(0, TRADE_TABLE.keyLength).join(', ');

/** By block, for which there is an index: by time there is none over all tokens. */
const SELECT_FIRST_TRADES: SqlStatement = {
  sql: `SELECT ${TRADE_KEY} FROM trades WHERE chain = $1 ORDER BY block, log_index LIMIT $2`,
  takes: ['name', 'integer'],
  gives: TRADE_TABLE.types.slice(0, TRADE_TABLE.keyLength),
};

const SELECT_FIRST_SERIES: SqlStatement = {
  sql: `SELECT token, pool, interval FROM candles WHERE chain = $1
    ORDER BY token, pool, interval LIMIT 1`,
  takes: ['name'],
  gives: ['name', 'name', 'name'],
};

const SELECT_NEXT_SERIES: SqlStatement = {
  sql: `SELECT token, pool, interval FROM candles
    WHERE chain = $1 AND (token, pool, interval) > ($2, $3, $4)
    ORDER BY token, pool, interval LIMIT 1`,
  takes: ['name', 'name', 'name', 'name'],
  gives: ['name', 'name', 'name'],
};

const SELECT_OLD_CANDLES: SqlStatement = {
  sql: `SELECT chain, token, pool, interval, open_time_ms FROM candles
    WHERE chain = $1 AND token = $2 AND pool = $3 AND interval = $4 AND open_time_ms < $5
    ORDER BY open_time_ms LIMIT $6`,
  takes: ['name', 'name', 'name', 'name', 'integer', 'integer'],
  gives: CANDLE_TABLE.types.slice(0, CANDLE_TABLE.keyLength),
};

/** Trades that are too young end the search: a chain's time goes with its blocks. */
async function deleteOldTrades(
  session: SqlSession,
  chain: ChainSlug,
  old: OldRows & { readonly upToBlock: number },
): Promise<number> {
  const { at } = TRADE_TABLE;
  const rows = await session.query(SELECT_FIRST_TRADES, [chain, old.limit]);
  const end = rows.findIndex(
    (row) =>
      numberAt(row, at.timestamp_ms) >= old.beforeMs || numberAt(row, at.block) > old.upToBlock,
  );
  const keys = end === -1 ? rows : rows.slice(0, end);
  await session.deleteRows(TRADE_TABLE, keys);
  return keys.length;
}

/**
 * Adoptions that a later one of the same pool had replaced before the first trade that is kept: no
 * kept row depends on them. Each may have thousands of ticks, and some pools are read again often.
 */
const SELECT_REPLACED_ADOPTIONS: SqlStatement = {
  sql: `SELECT a.chain, a.version, a.pool FROM adoptions AS a
    JOIN (SELECT MIN(block) AS block FROM trades WHERE chain = $1) AS kept ON a.block < kept.block
    WHERE a.chain = $2 AND EXISTS (SELECT 1 FROM adoptions AS b WHERE b.chain = a.chain
      AND b.pool = a.pool AND b.version > a.version AND b.block < kept.block)
    ORDER BY a.block LIMIT $3`,
  takes: ['name', 'text', 'integer'],
  gives: ADOPTION_TABLE.types.slice(0, ADOPTION_TABLE.keyLength),
};

async function deleteOldAdoptions(
  session: SqlSession,
  chain: ChainSlug,
  limit: number,
): Promise<number> {
  const keys = await session.query(SELECT_REPLACED_ADOPTIONS, [chain, chain, limit]);
  await session.deleteRows(ADOPTION_TABLE, keys);
  return keys.length;
}

/** Each series takes up to two queries, so few of them are looked at in one transaction. */
const SERIES_PER_CALL = 100;

/**
 * An index by time would cost as much as many candles, so the series are walked: each is found
 * after the one before by the key alone, whatever the number of candles between them.
 */
async function deleteOldCandles(
  session: SqlSession,
  chain: ChainSlug,
  old: OldRows & { readonly after: CandleSeries | null },
): Promise<OldCandles> {
  let after = old.after;
  let deleted = 0;
  const looksMax = Math.min(SERIES_PER_CALL, old.limit);
  for (let looks = 0; looks < looksMax && deleted < old.limit; looks += 1) {
    const [series] =
      after === null
        ? await session.query(SELECT_FIRST_SERIES, [chain])
        : await session.query(SELECT_NEXT_SERIES, [
            chain,
            after.token,
            after.pool ?? ALL_POOLS,
            after.interval,
          ]);
    if (series === undefined) return { deleted, next: null, isDone: true };
    const found = toCandleSeries(series);
    if (found.interval !== '1d') {
      const left = old.limit - deleted;
      const keys = await session.query(SELECT_OLD_CANDLES, [chain, ...series, old.beforeMs, left]);
      await session.deleteRows(CANDLE_TABLE, keys);
      deleted += keys.length;
      // The series may have more: the next call begins with it again.
      if (keys.length === left) break;
    }
    after = found;
  }
  return { deleted, next: after, isDone: false };
}

/**
 * Until the transaction ends nobody can take the lease: the next holder sees all that this one has
 * committed. Renewals do not wait.
 */
const LOCK_LEASE: SqlStatement = {
  sql: 'SELECT token FROM chain_leases WHERE chain = $1 AND token = $2 AND holder = $3 FOR KEY SHARE',
  takes: ['text', 'integer', 'text'],
  gives: ['integer'],
};

const SELECT_SAFETY_SINCE = buildSelect(
  POOL_SAFETY_TABLE,
  'WHERE chain = $1 AND checked_at_ms >= $2',
  ['text', 'integer'],
);

/** Older probes say nothing: they are made again before they are used. */
const SAFETY_KEPT_MS = 30 * 86_400_000;

const DELETE_OLD_SAFETY: SqlStatement = {
  sql: 'DELETE FROM pool_safety WHERE chain = $1 AND checked_at_ms < $2',
  takes: ['text', 'integer'],
  gives: [],
};

interface MarketStoreOptions {
  readonly lease?: ChainLease;
  /** Keeps a commit for other processes; absent if there are none. */
  readonly putFeedRow?: (
    session: SqlSession,
    of: { readonly chain: ChainSlug; readonly origin: string },
    row: FeedRow,
  ) => Promise<void>;
  readonly partitions?: RowPartitions;
  readonly readServer?: () => Promise<string | null>;
}

interface HeldSnapshot {
  readonly session: SqlSession;
  end(): Promise<void>;
}

export class SqlMarketStore extends MarketScans implements MarketStore {
  readonly #engine: SqlEngine;
  readonly #options: MarketStoreOptions;

  constructor(engine: SqlEngine, options: MarketStoreOptions = {}) {
    super(engine.session);
    this.#engine = engine;
    this.#options = options;
  }

  get alerts(): AlertStore {
    const { session } = this;
    const write = <T>(work: (session: SqlSession) => Promise<T>) => this.#engine.transaction(work);
    return {
      addAlert: (chain, added) => write((one) => addAlert(one, chain, added)),
      endAlert: (of) => write((one) => endAlert(one, of)),
      readAlertsOf: (owner, page) => readAlertsOf(session, owner, page),
      countAlerts: (owner) => countAlerts(session, owner),
    };
  }

  get partitions(): RowPartitions | undefined {
    return this.#options.partitions;
  }

  async readServer(): Promise<string | null> {
    return (await this.#options.readServer?.()) ?? null;
  }

  fence(lease: ChainLease): MarketStore {
    return new SqlMarketStore(this.#engine, { ...this.#options, lease });
  }

  transaction<T>(
    chain: ChainSlug,
    work: (transaction: MarketTransaction) => Promise<T>,
  ): Promise<T> {
    const { putFeedRow, lease } = this.#options;
    const of = { chain, origin: lease?.holder ?? '' };
    const putRow: PutFeedRow | null =
      putFeedRow === undefined ? null : (session, row) => putFeedRow(session, of, row);
    return this.#write(chain, (session) => work(new MarketWriter(session, chain, putRow)));
  }

  snapshot<T>(work: (reader: MarketSnapshot) => Promise<T>): Promise<T> {
    return this.#engine.snapshot((session) => work(new MarketScans(session)));
  }

  async snapshots<T>(
    work: (reader: MarketSnapshot, renew: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let current: HeldSnapshot = await this.#holdSnapshot();
    const renew = async () => {
      await current.end();
      current = await this.#holdSnapshot();
    };
    const session: Pick<SqlSession, 'query' | 'queryEach'> = {
      query: (statement, values) => current.session.query(statement, values),
      queryEach: (statement, sets) => current.session.queryEach(statement, sets),
    };
    try {
      return await work(new MarketScans(session as SqlSession), renew);
    } finally {
      await current.end().catch(() => undefined);
    }
  }

  async #holdSnapshot(): Promise<HeldSnapshot> {
    const begun = Promise.withResolvers<SqlSession>();
    const over = Promise.withResolvers<void>();
    const ended = this.#engine.snapshot(async (session) => {
      begun.resolve(session);
      await over.promise;
    });
    ended.catch(begun.reject);
    const session = await begun.promise;
    return {
      session,
      end: () => {
        over.resolve();
        return ended;
      },
    };
  }

  async forgetChain(chain: ChainSlug, onProgress?: (deleted: number) => void): Promise<void> {
    let place: ForgetPlace | null = await this.#write(chain, (session) =>
      beginForgetting(session, chain),
    );
    for (;;) {
      const from: ForgetPlace = place;
      place = await this.#write(chain, (session) => forgetSome(session, chain, from));
      if (place === null) return;
      onProgress?.(place.deleted);
    }
  }

  deleteOldTrades(
    chain: ChainSlug,
    old: OldRows & { readonly upToBlock: number },
  ): Promise<number> {
    return this.#write(chain, (session) => deleteOldTrades(session, chain, old));
  }

  deleteOldAdoptions(chain: ChainSlug, limit: number): Promise<number> {
    return this.#write(chain, (session) => deleteOldAdoptions(session, chain, limit));
  }

  deleteOldCandles(
    chain: ChainSlug,
    old: OldRows & { readonly after: CandleSeries | null },
  ): Promise<OldCandles> {
    return this.#write(chain, (session) => deleteOldCandles(session, chain, old));
  }

  async putAccounts(chain: ChainSlug, accounts: ReadonlyMap<Address, boolean>): Promise<void> {
    const rows = Array.from(accounts, ([address, isContract]) =>
      toAccountRow(chain, address, isContract),
    );
    await this.#engine.transaction((session) => session.upsertRows(ACCOUNT_TABLE, rows));
  }

  async putPoolSafety(chain: ChainSlug, records: readonly PoolSafety[]): Promise<void> {
    const rows = records.map((record) => toPoolSafetyRow(chain, record));
    const checkedAtMs = records.map((record) => record.checkedAtMs);
    const beforeMs = Math.max(...checkedAtMs) - SAFETY_KEPT_MS;
    await this.#engine.transaction(async (session) => {
      await session.upsertRows(POOL_SAFETY_TABLE, rows);
      if (rows.length > 0) await session.execute(DELETE_OLD_SAFETY, [chain, beforeMs]);
    });
  }

  scanPoolSafety(chain: ChainSlug): AsyncIterable<readonly PoolSafety[]> {
    return scanTable(this.session, chain, {
      table: POOL_SAFETY_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolSafetyRecord,
    });
  }

  async readPoolSafetySince(chain: ChainSlug, sinceMs: number): Promise<PoolSafety[]> {
    const rows = await this.session.query(SELECT_SAFETY_SINCE, [chain, sinceMs]);
    return rows.map(toPoolSafetyRecord);
  }

  /** The lease is checked while the work runs; without it nothing is committed. */
  #write<T>(chain: ChainSlug, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const { lease } = this.#options;
    if (lease === undefined || lease.chain !== chain) return this.#engine.transaction(work);
    return this.#engine.transaction(async (session) => {
      const checked = assertHeld(session, lease);
      checked.catch(() => undefined);
      try {
        return await work(session);
      } finally {
        await checked;
      }
    });
  }
}

async function assertHeld(
  session: SqlSession,
  { chain, token, holder }: ChainLease,
): Promise<void> {
  const rows = await session.query(LOCK_LEASE, [chain, token, holder]);
  if (rows.length === 0) throw new LeaseLostError(chain);
}
