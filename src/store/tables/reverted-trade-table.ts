// Trades that rollbacks removed: their ids and positions.

import type { ChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import type { RevertedTrade } from '../stream-reads.ts';
import { defineTable } from '../table.ts';
import { numberAt, transactionAt } from './column-value.ts';

export const REVERTED_TRADE_TABLE = defineTable('reverted_trades', {
  key: {
    chain: 'name',
    token: 'name',
    version: 'integer',
    timestamp_ms: 'integer',
    block: 'integer',
    log_index: 'integer',
  },
  data: { tx_hash: 'text', tx_swap_index: 'integer' },
});
const { at } = REVERTED_TRADE_TABLE;
const writeRow = createRowWriter(REVERTED_TRADE_TABLE);

export function toRevertedTradeRow(chain: ChainSlug, version: number, trade: TradeRecord): SqlRow {
  const { token, timestampMs, block, logIndex, txHash, index } = trade;
  return writeRow({
    chain,
    token,
    version,
    timestamp_ms: timestampMs,
    block,
    log_index: logIndex,
    tx_hash: txHash,
    tx_swap_index: index,
  });
}

export function toRevertedTradeRecord(row: SqlRow): RevertedTrade {
  return {
    version: numberAt(row, at.version),
    timestampMs: numberAt(row, at.timestamp_ms),
    block: numberAt(row, at.block),
    logIndex: numberAt(row, at.log_index),
    txHash: transactionAt(row, at.tx_hash),
    index: numberAt(row, at.tx_swap_index),
  };
}
