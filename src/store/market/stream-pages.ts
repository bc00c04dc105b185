// Queries for resuming streams, the same on both engines.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { NewsPosition, NewsRecord } from '../../model/news.ts';
import type { SqlRow } from '../sql.ts';
import type {
  ChainEpoch,
  RevertedTrade,
  RollbackRecord,
  StreamReads,
  TradesAfter,
} from '../stream-reads.ts';
import { buildSelect, type ColumnType, type SqlStatement } from '../table.ts';
import { numberAt, textAt, textOrNullAt } from '../tables/column-value.ts';
import { EPOCH_TABLE } from '../tables/epoch-table.ts';
import { NEWS_TABLE, toNewsRecord } from '../tables/news-table.ts';
import { REVERTED_TRADE_TABLE, toRevertedTradeRecord } from '../tables/reverted-trade-table.ts';
import { ROLLBACK_TABLE, toRollbackRecord } from '../tables/rollback-table.ts';
import { TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';
import { MarketPages } from './market-pages.ts';

const SELECT_ROLLBACKS = buildSelect(
  ROLLBACK_TABLE,
  'WHERE chain = $1 AND version > $2 ORDER BY version LIMIT $3',
  ['text', 'integer', 'integer'],
);

const SELECT_REVERTED = buildSelect(
  REVERTED_TRADE_TABLE,
  `WHERE chain = $1 AND token = $2 AND version > $3
  ORDER BY version, timestamp_ms, block, log_index LIMIT $4`,
  ['name', 'name', 'integer', 'integer'],
);

const NEWS_AFTER = 'WHERE chain = $1 AND (version, place) > ($2, $3) AND reverted_version IS NULL';
const NEWS_AFTER_TYPES: readonly ColumnType[] = ['name', 'integer', 'integer', 'integer'];

const SELECT_NEWS_AFTER = buildSelect(
  NEWS_TABLE,
  `${NEWS_AFTER} ORDER BY version, place LIMIT $4`,
  NEWS_AFTER_TYPES,
);

const COUNT_NEWS_AFTER: SqlStatement = {
  sql: `SELECT COUNT(*) FROM (SELECT 1 FROM news ${NEWS_AFTER} LIMIT $4) AS found`,
  takes: NEWS_AFTER_TYPES,
  gives: ['integer'],
};

const SELECT_REVERTED_NEWS = buildSelect(
  NEWS_TABLE,
  `WHERE chain = $1 AND reverted_version > $2 AND (version, place) <= ($3, $4)
  ORDER BY version, place LIMIT $5`,
  ['name', 'integer', 'integer', 'integer', 'integer'],
);

const TRADES_AFTER =
  'WHERE chain = $1 AND token = $2 AND timestamp_ms >= $3 AND (block, log_index) > ($4, $5)';
const TRADES_AFTER_TYPES: readonly ColumnType[] = [
  ...(['name', 'name', 'integer', 'integer', 'integer', 'integer'] as const),
];

const SELECT_TRADES_AFTER = buildSelect(
  TRADE_TABLE,
  `${TRADES_AFTER} ORDER BY timestamp_ms, block, log_index LIMIT $6`,
  TRADES_AFTER_TYPES,
);

const COUNT_TRADES_AFTER: SqlStatement = {
  sql: `SELECT COUNT(*) FROM (SELECT 1 FROM trades ${TRADES_AFTER} LIMIT $6) AS found`,
  takes: TRADES_AFTER_TYPES,
  gives: ['integer'],
};

function toAfterValues(chain: ChainSlug, token: Address, wanted: TradesAfter): SqlRow {
  const { after, sinceMs, limit } = wanted;
  return [chain, token, sinceMs, after.block, after.logIndex, limit];
}

export class StreamPages extends MarketPages implements StreamReads {
  async readEpoch(chain: ChainSlug): Promise<ChainEpoch | null> {
    const [row] = await this.session.query(EPOCH_TABLE.selectByKey, [chain]);
    if (row === undefined) return null;
    const { at } = EPOCH_TABLE;
    return {
      epoch: textAt(row, at.epoch),
      server: textOrNullAt(row, at.server),
      forgottenVersion: numberAt(row, at.forgotten_version),
      newsForgottenVersion: numberAt(row, at.news_forgotten_version),
    };
  }

  async readRollbacks(
    chain: ChainSlug,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RollbackRecord[]> {
    const values = [chain, wanted.afterVersion, wanted.limit];
    return (await this.session.query(SELECT_ROLLBACKS, values)).map(toRollbackRecord);
  }

  async readRevertedTrades(
    chain: ChainSlug,
    token: Address,
    wanted: { readonly afterVersion: number; readonly limit: number },
  ): Promise<RevertedTrade[]> {
    const values = [chain, token, wanted.afterVersion, wanted.limit];
    return (await this.session.query(SELECT_REVERTED, values)).map(toRevertedTradeRecord);
  }

  async readTradesAfter(
    chain: ChainSlug,
    token: Address,
    wanted: TradesAfter,
  ): Promise<TradeRecord[]> {
    const values = toAfterValues(chain, token, wanted);
    return (await this.session.query(SELECT_TRADES_AFTER, values)).map(toTradeRecord);
  }

  async countTradesAfter(chain: ChainSlug, token: Address, wanted: TradesAfter): Promise<number> {
    const values = toAfterValues(chain, token, wanted);
    const [row] = await this.session.query(COUNT_TRADES_AFTER, values);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  async readNewsAfter(
    chain: ChainSlug,
    wanted: { readonly after: NewsPosition; readonly limit: number },
  ): Promise<NewsRecord[]> {
    const { version, index } = wanted.after;
    const values = [chain, version, index, wanted.limit];
    return (await this.session.query(SELECT_NEWS_AFTER, values)).map(toNewsRecord);
  }

  async countNewsAfter(
    chain: ChainSlug,
    wanted: { readonly after: NewsPosition; readonly limit: number },
  ): Promise<number> {
    const { version, index } = wanted.after;
    const values = [chain, version, index, wanted.limit];
    const [row] = await this.session.query(COUNT_NEWS_AFTER, values);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  async readRevertedNews(
    chain: ChainSlug,
    wanted: { readonly upTo: NewsPosition; readonly afterVersion: number; readonly limit: number },
  ): Promise<NewsRecord[]> {
    const { version, index } = wanted.upTo;
    const values = [chain, wanted.afterVersion, version, index, wanted.limit];
    return (await this.session.query(SELECT_REVERTED_NEWS, values)).map(toNewsRecord);
  }
}
