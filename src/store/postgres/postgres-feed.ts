// The feed in PostgreSQL: a table written with each commit, and a notification sent by it.

import { type ChainSlug, parseChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { FeedRow, FeedStore } from '../feed-store.ts';
import type { SignalStore } from '../signal-store.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import { buildSelect, type SqlStatement } from '../table.ts';
import { textAt } from '../tables/column-value.ts';
import { compareTrades, TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';
import { NOTIFY } from './postgres-signals.ts';

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
export async function putFeedRow(
  session: SqlSession,
  { chain, origin }: { readonly chain: ChainSlug; readonly origin: string },
  { epoch, version, body }: FeedRow,
): Promise<void> {
  await session.executeLater(INSERT, [chain, epoch, version, body]);
  await session.executeLater(NOTIFY, [CHANNEL, `${chain} ${version} ${origin}`]);
  if (version % PRUNE_EVERY === 0) await session.executeLater(PRUNE, [chain]);
}

export class PostgresFeed implements FeedStore {
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
