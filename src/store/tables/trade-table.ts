// Trades, keyed so that a token's newest trades are one range of the key.

import type { FoldedTrade } from '../../candles/candle-draft.ts';
import { toSortableInteger } from '../../lib/sortable-integer.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  addressAt,
  amountAt,
  numberAt,
  poolAt,
  textAt,
  textOrNullAt,
  transactionAt,
} from './column-value.ts';

export const TRADE_TABLE = defineTable('trades', {
  key: {
    chain: 'name',
    token: 'name',
    timestamp_ms: 'integer',
    block: 'integer',
    log_index: 'integer',
  },
  data: {
    tx_hash: 'hex',
    tx_swap_index: 'integer',
    is_buy: 'integer',
    wallet: 'hex',
    venue: 'name',
    pool: 'name',
    amount_raw: 'text',
    quote_token: 'name',
    quote_amount_raw: 'text',
    price_native: 'text',
    price_usd: 'text',
    value_native: 'text',
    value_usd: 'text',
    outlier: 'integer',
  },
});
const { at } = TRADE_TABLE;
const writeRow = createRowWriter(TRADE_TABLE);

export function toTradeRow(chain: ChainSlug, record: TradeRecord): SqlRow {
  return writeRow({
    chain,
    token: record.token,
    timestamp_ms: record.timestampMs,
    block: record.block,
    log_index: record.logIndex,
    tx_hash: record.txHash,
    tx_swap_index: record.index,
    is_buy: record.side === 'buy' ? 1 : 0,
    wallet: record.wallet,
    venue: record.venue,
    pool: record.pool,
    amount_raw: toSortableInteger(record.amountRaw),
    quote_token: record.quoteToken,
    quote_amount_raw: toSortableInteger(record.quoteAmountRaw),
    price_native: record.priceNative,
    price_usd: record.priceUsd,
    value_native: record.valueNative,
    value_usd: record.valueUsd,
    outlier: record.outlier ? 1 : 0,
  });
}

export function toTradeRecord(row: SqlRow): TradeRecord {
  return {
    token: addressAt(row, at.token),
    block: numberAt(row, at.block),
    logIndex: numberAt(row, at.log_index),
    txHash: transactionAt(row, at.tx_hash),
    index: numberAt(row, at.tx_swap_index),
    timestampMs: numberAt(row, at.timestamp_ms),
    side: numberAt(row, at.is_buy) === 1 ? 'buy' : 'sell',
    wallet: addressAt(row, at.wallet),
    venue: textAt(row, at.venue),
    pool: poolAt(row, at.pool),
    amountRaw: amountAt(row, at.amount_raw),
    quoteToken: addressAt(row, at.quote_token),
    quoteAmountRaw: amountAt(row, at.quote_amount_raw),
    priceNative: textOrNullAt(row, at.price_native),
    priceUsd: textOrNullAt(row, at.price_usd),
    valueNative: textOrNullAt(row, at.value_native),
    valueUsd: textOrNullAt(row, at.value_usd),
    outlier: numberAt(row, at.outlier) === 1,
  };
}

/** What candles are folded of. */
export function toFoldedTrade(row: SqlRow): FoldedTrade {
  return {
    token: addressAt(row, at.token),
    pool: poolAt(row, at.pool),
    timestampMs: numberAt(row, at.timestamp_ms),
    side: numberAt(row, at.is_buy) === 1 ? 'buy' : 'sell',
    amountRaw: amountAt(row, at.amount_raw),
    priceNative: textOrNullAt(row, at.price_native),
    priceUsd: textOrNullAt(row, at.price_usd),
    valueNative: textOrNullAt(row, at.value_native),
    valueUsd: textOrNullAt(row, at.value_usd),
    outlier: numberAt(row, at.outlier) === 1,
  };
}

/** Chain order: by block, then by log; two trades of one swap, by token. */
export function compareTrades(a: TradeRecord, b: TradeRecord): number {
  if (a.block !== b.block) return a.block - b.block;
  if (a.logIndex !== b.logIndex) return a.logIndex - b.logIndex;
  return a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
}
