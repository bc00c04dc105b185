// The market store over any engine with SQL sessions.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { FeedRow } from '../feed-store.ts';
import { LeaseLostError } from '../lease-lost-error.ts';
import type { ChainLease } from '../lease-store.ts';
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
import { buildSelect, type SqlStatement } from '../table.ts';
import { ACCOUNT_TABLE, toAccountRow } from '../tables/account-table.ts';
import {
  POOL_SAFETY_TABLE,
  toPoolSafetyRecord,
  toPoolSafetyRow,
} from '../tables/pool-safety-table.ts';
import { deleteOldAdoptions, deleteOldCandles, deleteOldTrades } from './delete-old-rows.ts';
import { beginForgetting, type ForgetPlace, forgetSome } from './forget-chain.ts';
import { MarketScans } from './market-scans.ts';
import { MarketWriter, type PutFeedRow } from './market-writer.ts';
import { scanTable } from './scan-table.ts';

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
