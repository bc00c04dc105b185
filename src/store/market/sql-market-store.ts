// The market store over any engine with SQL sessions.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolSafety } from '../../model/pool-safety.ts';
import type { CandleSeries } from '../market-reads.ts';
import type { SqlEngine } from '../sql.ts';
import type {
  MarketSnapshot,
  MarketStore,
  MarketTransaction,
  OldCandles,
  OldRows,
} from '../store.ts';
import { ACCOUNT_TABLE, toAccountRow } from '../tables/account-table.ts';
import {
  POOL_SAFETY_TABLE,
  toPoolSafetyRecord,
  toPoolSafetyRow,
} from '../tables/pool-safety-table.ts';
import { deleteOldCandles, deleteOldTrades } from './delete-old-rows.ts';
import { forgetChain } from './forget-chain.ts';
import { MarketScans } from './market-scans.ts';
import { MarketWriter } from './market-writer.ts';
import { scanTable } from './scan-table.ts';

export class SqlMarketStore extends MarketScans implements MarketStore {
  readonly #engine: SqlEngine;

  constructor(engine: SqlEngine) {
    super(engine.session);
    this.#engine = engine;
  }

  transaction<T>(
    chain: ChainSlug,
    work: (transaction: MarketTransaction) => Promise<T>,
  ): Promise<T> {
    return this.#engine.transaction((session) => work(new MarketWriter(session, chain)));
  }

  snapshot<T>(work: (reader: MarketSnapshot) => Promise<T>): Promise<T> {
    return this.#engine.snapshot((session) => work(new MarketScans(session)));
  }

  forgetChain(chain: ChainSlug): Promise<void> {
    return this.#engine.transaction((session) => forgetChain(session, chain));
  }

  deleteOldTrades(
    chain: ChainSlug,
    old: OldRows & { readonly upToBlock: number },
  ): Promise<number> {
    return this.#engine.transaction((session) => deleteOldTrades(session, chain, old));
  }

  deleteOldCandles(
    chain: ChainSlug,
    old: OldRows & { readonly after: CandleSeries | null },
  ): Promise<OldCandles> {
    return this.#engine.transaction((session) => deleteOldCandles(session, chain, old));
  }

  async putAccounts(chain: ChainSlug, accounts: ReadonlyMap<Address, boolean>): Promise<void> {
    const rows = Array.from(accounts, ([address, isContract]) =>
      toAccountRow(chain, address, isContract),
    );
    await this.#engine.transaction((session) => session.upsertRows(ACCOUNT_TABLE, rows));
  }

  async putPoolSafety(chain: ChainSlug, records: readonly PoolSafety[]): Promise<void> {
    const rows = records.map((record) => toPoolSafetyRow(chain, record));
    await this.#engine.transaction((session) => session.upsertRows(POOL_SAFETY_TABLE, rows));
  }

  scanPoolSafety(chain: ChainSlug): AsyncIterable<readonly PoolSafety[]> {
    return scanTable(this.session, chain, {
      table: POOL_SAFETY_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolSafetyRecord,
    });
  }
}
