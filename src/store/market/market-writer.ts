// One chain's writes in a transaction, the same on both engines.

import type { AdoptionRecord } from '../../model/adoption.ts';
import type { AlertState } from '../../model/alert.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { DiscoveryRecord } from '../../model/discovery.ts';
import type { Address } from '../../model/ids.ts';
import type {
  BalanceRecord,
  CandleRecord,
  Checkpoint,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { NewsRecord } from '../../model/news.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PositionRecord } from '../../model/position.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import { createEpoch } from '../create-epoch.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { FeedRow } from '../feed-store.ts';
import type { SqlRow, SqlSession } from '../sql.ts';
import type { CandleKey, MarketTransaction, UndoImages } from '../store.ts';
import { StaleWriterError } from '../store-error.ts';
import type { EpochName, RollbackRecord } from '../stream-reads.ts';
import { buildSelect, type ColumnType, type SqlStatement } from '../table.ts';
import { ADOPTION_TABLE, toAdoptionRow } from '../tables/adoption-table.ts';
import { ALERT_STATE_TABLE, toAlertStateRow } from '../tables/alert-table.ts';
import {
  BACKFILL_BALANCE_TABLE,
  BACKFILL_TABLE,
  toBackfillBalanceRow,
  toBackfillRow,
} from '../tables/backfill-table.ts';
import { BALANCE_TABLE, toBalanceRow } from '../tables/balance-table.ts';
import { CANDLE_TABLE, toCandleKey, toCandleRow } from '../tables/candle-table.ts';
import { CHECKPOINT_TABLE, toCheckpointRow } from '../tables/checkpoint-table.ts';
import { numberAt, numberOrNullAt, textAt } from '../tables/column-value.ts';
import { DISCOVERY_TABLE, toDiscoveryRow } from '../tables/discovery-table.ts';
import { EPOCH_TABLE } from '../tables/epoch-table.ts';
import { HEADER_TABLE, toHeaderRow } from '../tables/header-table.ts';
import { NEWS_TABLE, toNewsRow } from '../tables/news-table.ts';
import { POOL_TABLE, toPoolRow } from '../tables/pool-table.ts';
import { POSITION_TABLE, toPositionRow } from '../tables/position-table.ts';
import { REVERTED_TRADE_TABLE, toRevertedTradeRow } from '../tables/reverted-trade-table.ts';
import { ROLLBACK_TABLE, toRollbackRow } from '../tables/rollback-table.ts';
import { SCOPE_ENTRY_TABLE, toScopeEntryRow } from '../tables/scope-entry-table.ts';
import { TICK_TABLE, toTickRow } from '../tables/tick-table.ts';
import { TOKEN_TABLE, toTokenRow } from '../tables/token-table.ts';
import { compareTrades, TRADE_TABLE, toTradeRecord, toTradeRow } from '../tables/trade-table.ts';
import { ADD_TRADES } from './add-trades.ts';
import { MarketQueries } from './market-queries.ts';
import { pruneNews, revertNews } from './news-rows.ts';
import { encodeUndo, UNDO_TABLE, UndoCollector } from './undo-images.ts';

/** Headers kept below the pruned block, so that readers see the chain's recent past. */
const HEADERS_KEPT_BELOW = 64;

/** Undo documents read at a time, so that a deep rollback does not hold them all in memory. */
const UNDO_PAGE_SIZE = 50;

const SELECT_TRADES_ABOVE = buildSelect(
  TRADE_TABLE,
  'WHERE chain = $1 AND block > $2 ORDER BY block, log_index',
  ['name', 'integer'],
);

const SELECT_UNDO_PAGE = buildSelect(
  UNDO_TABLE,
  `WHERE chain = $1 AND (block, part) > ($2, $3)
  ORDER BY block, part LIMIT ${UNDO_PAGE_SIZE}`,
  ['text', 'integer', 'integer'],
);

const SELECT_NEXT_PARTS: SqlStatement = {
  sql: `SELECT block, MAX(part) + 1 FROM undo_images
    WHERE chain = $1 AND block >= $2 AND block <= $3 GROUP BY block`,
  takes: ['text', 'integer', 'integer'],
  gives: ['integer', 'integer'],
};

/** What was joined above the block has gone back to what it was before. */
const REOPEN_BACKFILLS_ABOVE: SqlStatement = {
  sql: `UPDATE backfills SET status = 'running', join_block = NULL
    WHERE chain = $1 AND join_block > $2`,
  takes: ['text', 'integer'],
  gives: [],
};

function buildDeleteOfToken(table: string): SqlStatement {
  const sql = `DELETE FROM ${table} WHERE chain = $1 AND token = $2`;
  return { sql, takes: ['text', 'text'], gives: [] };
}

const DELETE_BACKFILLS = buildDeleteOfToken('backfills');
const DELETE_BACKFILL_BALANCES = buildDeleteOfToken('backfill_balances');

const DELETE_TRADES_ABOVE = buildDelete('trades WHERE chain = $1 AND block > $2', 'name');
const DELETE_ADOPTIONS_ABOVE = buildDelete('adoptions WHERE chain = $1 AND block > $2', 'text');
const DELETE_ALERT_STATES_ABOVE = buildDelete(
  'alert_states WHERE chain = $1 AND block > $2',
  'text',
);
const DELETE_DISCOVERIES_ABOVE = buildDelete('discoveries WHERE chain = $1 AND block > $2', 'text');
const DELETE_SCOPE_ABOVE = buildDelete(
  'scope_entries WHERE chain = $1 AND from_block > $2',
  'text',
);
const DELETE_HEADERS_ABOVE = buildDelete('headers WHERE chain = $1 AND number > $2', 'text');
const DELETE_HEADERS_BELOW = buildDelete('headers WHERE chain = $1 AND number < $2', 'text');
const DELETE_UNDO_ABOVE = buildDelete('undo_images WHERE chain = $1 AND block > $2', 'text');
const DELETE_UNDO_UP_TO = buildDelete('undo_images WHERE chain = $1 AND block <= $2', 'text');

const SELECT_LAST_OLD_ROLLBACK: SqlStatement = {
  sql: 'SELECT MAX(version) FROM rollbacks WHERE chain = $1 AND recorded_at_ms < $2',
  takes: ['text', 'integer'],
  gives: ['integer'],
};

const DELETE_ROLLBACKS_UP_TO = buildDelete('rollbacks WHERE chain = $1 AND version <= $2', 'text');
const DELETE_REVERTED_UP_TO = buildDelete(
  'reverted_trades WHERE chain = $1 AND version <= $2',
  'name',
);

const UPDATE_FORGOTTEN: SqlStatement = {
  sql: 'UPDATE chain_epochs SET forgotten_version = $1 WHERE chain = $2',
  takes: ['integer', 'text'],
  gives: [],
};

const UPDATE_EPOCH: SqlStatement = {
  sql: 'UPDATE chain_epochs SET epoch = $1, server = $2 WHERE chain = $3',
  takes: ['text', 'text', 'text'],
  gives: [],
};

const REOPEN_SCOPE_ABOVE: SqlStatement = {
  sql: 'UPDATE scope_entries SET left_block = NULL WHERE chain = $1 AND left_block > $2',
  takes: ['text', 'integer'],
  gives: [],
};

const writeEpoch = createRowWriter(EPOCH_TABLE);
const writeUndo = createRowWriter(UNDO_TABLE);

const UPDATE_CHECKPOINT: SqlStatement = {
  sql: `UPDATE checkpoints
    SET start_block = $1, block = $2, block_hash = $3, timestamp_ms = $4, finalized_block = $5,
      version = $6, start_at_ms = $7, trades_from_ms = $8, candles_from_ms = $9,
      scope = $10, positions_from_ms = $11, archived = $12
    WHERE chain = $13 AND version = $14`,
  takes: [...CHECKPOINT_TABLE.types.slice(1), 'text', 'integer'],
  gives: [],
};

const INSERT_CHECKPOINT: SqlStatement = {
  sql: `INSERT INTO checkpoints (${CHECKPOINT_TABLE.columnList})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (chain) DO NOTHING`,
  takes: CHECKPOINT_TABLE.types,
  gives: [],
};

function buildDelete(what: string, chainType: ColumnType): SqlStatement {
  return { sql: `DELETE FROM ${what}`, takes: [chainType, 'integer'], gives: [] };
}

export type PutFeedRow = (session: SqlSession, row: FeedRow) => Promise<void>;

export class MarketWriter extends MarketQueries implements MarketTransaction {
  readonly #chain: ChainSlug;
  readonly #putFeedRow: PutFeedRow | null;

  constructor(session: SqlSession, chain: ChainSlug, putFeedRow: PutFeedRow | null) {
    super(session);
    this.#chain = chain;
    this.#putFeedRow = putFeedRow;
  }

  putHeaders(headers: readonly BlockHeader[]): Promise<void> {
    return this.session.upsertRows(HEADER_TABLE, this.#toRows(headers, toHeaderRow));
  }

  putTokens(rows: readonly TokenRecord[]): Promise<void> {
    return this.session.upsertRows(TOKEN_TABLE, this.#toRows(rows, toTokenRow));
  }

  putPools(rows: readonly PoolRecord[]): Promise<void> {
    return this.session.upsertRows(POOL_TABLE, this.#toRows(rows, toPoolRow));
  }

  async putTicks(rows: readonly TickRecord[]): Promise<void> {
    const kept: SqlRow[] = [];
    const emptied: SqlRow[] = [];
    for (const row of rows) {
      if (row.liquidityGross === 0n) emptied.push([this.#chain, row.pool, row.tick]);
      else kept.push(toTickRow(this.#chain, row));
    }
    await this.session.deleteRows(TICK_TABLE, emptied);
    await this.session.upsertRows(TICK_TABLE, kept);
  }

  putAdoptions(rows: readonly AdoptionRecord[]): Promise<void> {
    return this.session.insertRows(ADOPTION_TABLE, this.#toRows(rows, toAdoptionRow));
  }

  putDiscoveries(rows: readonly DiscoveryRecord[]): Promise<void> {
    return this.session.insertRows(DISCOVERY_TABLE, this.#toRows(rows, toDiscoveryRow));
  }

  putBackfills(rows: readonly BackfillRecord[]): Promise<void> {
    return this.session.upsertRows(BACKFILL_TABLE, this.#toRows(rows, toBackfillRow));
  }

  async deleteBackfills(token: Address): Promise<void> {
    await this.session.execute(DELETE_BACKFILLS, [this.#chain, token]);
    await this.deleteBackfillBalances(token);
  }

  async putBackfillBalances(rows: readonly BalanceRecord[]): Promise<void> {
    const kept = rows.filter(({ amountRaw }) => amountRaw > 0n);
    const emptied = rows.filter(({ amountRaw }) => amountRaw === 0n);
    await this.session.deleteRows(
      BACKFILL_BALANCE_TABLE,
      emptied.map(({ token, owner }) => [this.#chain, token, owner]),
    );
    await this.session.upsertRows(BACKFILL_BALANCE_TABLE, this.#toRows(kept, toBackfillBalanceRow));
  }

  async deleteBackfillBalances(token: Address): Promise<void> {
    await this.session.execute(DELETE_BACKFILL_BALANCES, [this.#chain, token]);
  }

  putScopeEntries(rows: readonly ScopeEntry[]): Promise<void> {
    return this.session.upsertRows(SCOPE_ENTRY_TABLE, this.#toRows(rows, toScopeEntryRow));
  }

  async putBalances(rows: readonly BalanceRecord[]): Promise<void> {
    const kept: SqlRow[] = [];
    const emptied: SqlRow[] = [];
    for (const row of rows) {
      if (row.amountRaw === 0n) emptied.push([this.#chain, row.token, row.owner]);
      else kept.push(toBalanceRow(this.#chain, row));
    }
    await this.session.deleteRows(BALANCE_TABLE, emptied);
    await this.session.upsertRows(BALANCE_TABLE, kept);
  }

  addBalances(rows: readonly BalanceRecord[]): Promise<void> {
    return this.session.insertRows(BALANCE_TABLE, this.#toRows(rows, toBalanceRow));
  }

  addPositions(rows: readonly PositionRecord[]): Promise<void> {
    return this.session.insertRows(POSITION_TABLE, this.#toRows(rows, toPositionRow));
  }

  putPositions(rows: readonly PositionRecord[]): Promise<void> {
    return this.session.upsertRows(POSITION_TABLE, this.#toRows(rows, toPositionRow));
  }

  putCandles(rows: readonly CandleRecord[]): Promise<void> {
    return this.session.upsertRows(CANDLE_TABLE, this.#toRows(rows, toCandleRow));
  }

  deleteCandles(keys: readonly CandleKey[]): Promise<void> {
    return this.session.deleteRows(CANDLE_TABLE, this.#toRows(keys, toCandleKey));
  }

  insertTrades(rows: readonly TradeRecord[]): Promise<void> {
    return this.session.insertRows(TRADE_TABLE, this.#toRows(rows, toTradeRow));
  }

  addTrades(rows: readonly TradeRecord[]): Promise<void> {
    return this.session.runProcedure(ADD_TRADES, this.#toRows(rows, toTradeRow));
  }

  putTrades(rows: readonly TradeRecord[]): Promise<void> {
    return this.session.upsertRows(TRADE_TABLE, this.#toRows(rows, toTradeRow));
  }

  async putUndo(images: readonly UndoImages[]): Promise<void> {
    const parts = await this.#readNextParts(images.map((image) => image.block));
    const rows = images.map((image) => {
      const part = parts.get(image.block) ?? 0;
      parts.set(image.block, part + 1);
      const document = encodeUndo(this.#chain, image);
      return writeUndo({ chain: this.#chain, block: image.block, part, images: document });
    });
    await this.session.insertRows(UNDO_TABLE, rows);
  }

  async undoAbove(block: number): Promise<TradeRecord[]> {
    const undo = new UndoCollector();
    let after: SqlRow = [block, Number.MAX_SAFE_INTEGER];
    for (;;) {
      const page = await this.session.query(SELECT_UNDO_PAGE, [this.#chain, ...after]);
      for (const row of page) undo.add(textAt(row, UNDO_TABLE.at.images));
      const last = page.at(-1);
      if (last === undefined || page.length < UNDO_PAGE_SIZE) break;
      after = last.slice(1, 3);
    }
    for (const { table, restored, deleted } of undo.planRestorations()) {
      await this.session.deleteRows(table, deleted);
      await this.session.upsertRows(table, restored);
    }
    const above = [this.#chain, block];
    const trades = await this.session.query(SELECT_TRADES_ABOVE, above);
    await this.session.execute(DELETE_TRADES_ABOVE, above);
    await this.session.execute(DELETE_ADOPTIONS_ABOVE, above);
    await this.session.execute(REOPEN_BACKFILLS_ABOVE, above);
    await this.session.execute(DELETE_DISCOVERIES_ABOVE, above);
    await this.session.execute(DELETE_ALERT_STATES_ABOVE, above);
    // A token enters with the block after the one that let it in.
    await this.session.execute(DELETE_SCOPE_ABOVE, [this.#chain, block + 1]);
    await this.session.execute(REOPEN_SCOPE_ABOVE, above);
    await this.session.execute(DELETE_HEADERS_ABOVE, above);
    await this.session.execute(DELETE_UNDO_ABOVE, above);
    return trades.map(toTradeRecord).sort(compareTrades);
  }

  async putRollback(rollback: RollbackRecord, reverted: readonly TradeRecord[]): Promise<void> {
    await this.session.insertRows(ROLLBACK_TABLE, [toRollbackRow(this.#chain, rollback)]);
    await this.session.insertRows(
      REVERTED_TRADE_TABLE,
      reverted.map((trade) => toRevertedTradeRow(this.#chain, rollback.version, trade)),
    );
  }

  async pruneRollbacks(beforeMs: number): Promise<void> {
    const [row] = await this.session.query(SELECT_LAST_OLD_ROLLBACK, [this.#chain, beforeMs]);
    const version = row === undefined ? null : numberOrNullAt(row, 0);
    if (version === null) return;
    await this.session.execute(DELETE_ROLLBACKS_UP_TO, [this.#chain, version]);
    await this.session.execute(DELETE_REVERTED_UP_TO, [this.#chain, version]);
    await this.session.execute(UPDATE_FORGOTTEN, [version, this.#chain]);
  }

  putNews(rows: readonly NewsRecord[]): Promise<void> {
    return this.session.insertRows(NEWS_TABLE, this.#toRows(rows, toNewsRow));
  }

  putAlertStates(rows: readonly AlertState[]): Promise<void> {
    return this.session.upsertRows(ALERT_STATE_TABLE, this.#toRows(rows, toAlertStateRow));
  }

  deleteAlertStates(keys: readonly Pick<AlertState, 'alert' | 'block'>[]): Promise<void> {
    const rows = keys.map(({ alert, block }) => [this.#chain, alert, block]);
    return this.session.deleteRows(ALERT_STATE_TABLE, rows);
  }

  revertNews(above: { readonly block: number; readonly version: number }): Promise<void> {
    return revertNews(this.session, this.#chain, above);
  }

  pruneNews(beforeMs: number): Promise<void> {
    return pruneNews(this.session, this.#chain, beforeMs);
  }

  async pruneUndo(block: number): Promise<void> {
    await this.session.executeLater(DELETE_UNDO_UP_TO, [this.#chain, block]);
    const below = block - HEADERS_KEPT_BELOW;
    await this.session.executeLater(DELETE_HEADERS_BELOW, [this.#chain, below]);
  }

  async putFeedRow(build: () => FeedRow): Promise<void> {
    if (this.#putFeedRow !== null) await this.#putFeedRow(this.session, build());
  }

  async setEpoch({ epoch, server }: EpochName): Promise<void> {
    await this.session.execute(UPDATE_EPOCH, [epoch, server, this.#chain]);
  }

  async setCheckpoint(checkpoint: Checkpoint, epoch?: EpochName): Promise<void> {
    const row = toCheckpointRow(this.#chain, checkpoint);
    const expected = checkpoint.version - 1;
    const changed =
      expected === 0
        ? await this.session.execute(INSERT_CHECKPOINT, row)
        : await this.session.execute(UPDATE_CHECKPOINT, [...row.slice(1), this.#chain, expected]);
    if (changed === 1) {
      if (expected === 0) await this.#beginEpoch(epoch ?? { epoch: createEpoch(), server: null });
      return;
    }
    const stored = await this.readCheckpoint(this.#chain);
    throw new StaleWriterError(this.#chain, { expected, stored: stored?.version ?? null });
  }

  #toRows<Value>(
    values: readonly Value[],
    toRow: (chain: ChainSlug, value: Value) => SqlRow,
  ): SqlRow[] {
    return values.map((value) => toRow(this.#chain, value));
  }

  /** Distinguishes the versions of this index from those of an earlier one in the same store. */
  #beginEpoch(epoch: EpochName): Promise<void> {
    const unforgotten = { forgotten_version: 0, news_forgotten_version: 0 };
    const row = writeEpoch({ chain: this.#chain, ...epoch, ...unforgotten });
    return this.session.upsertRows(EPOCH_TABLE, [row]);
  }

  async #readNextParts(blocks: readonly number[]): Promise<Map<number, number>> {
    if (blocks.length === 0) return new Map();
    const rows = await this.session.query(SELECT_NEXT_PARTS, [
      this.#chain,
      blocks.reduce((a, b) => Math.min(a, b)),
      blocks.reduce((a, b) => Math.max(a, b)),
    ]);
    return new Map(rows.map((row) => [numberAt(row, 0), numberAt(row, 1)]));
  }
}
