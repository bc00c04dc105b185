// Trades, keyed so that a token's newest are one range of the key.

import { toSortableInteger } from '../../lib/sortable-integer.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { amountAt, numberAt, textAt, textOrNullAt } from './column-value.ts';

export const TRADE_TABLE = defineTable('trades', {
  key: {
    chain: 'name',
    token: 'name',
    timestamp_ms: 'integer',
    block: 'integer',
    log_index: 'integer',
  },
  data: {
    tx_hash: 'text',
    tx_swap_index: 'integer',
    is_buy: 'integer',
    wallet: 'text',
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

export function toTradeRow(chain: ChainSlug, record: TradeRecord): SqlRow {
  return [
    chain,
    record.token,
    record.timestampMs,
    record.block,
    record.logIndex,
    record.txHash,
    record.index,
    record.side === 'buy' ? 1 : 0,
    record.wallet,
    record.venue,
    record.pool,
    toSortableInteger(record.amountRaw),
    record.quoteToken,
    toSortableInteger(record.quoteAmountRaw),
    record.priceNative,
    record.priceUsd,
    record.valueNative,
    record.valueUsd,
    record.outlier ? 1 : 0,
  ];
}

export function toTradeRecord(row: SqlRow): TradeRecord {
  return {
    token: textAt(row, 1),
    block: numberAt(row, 3),
    logIndex: numberAt(row, 4),
    txHash: textAt(row, 5),
    index: numberAt(row, 6),
    timestampMs: numberAt(row, 2),
    side: numberAt(row, 7) === 1 ? 'buy' : 'sell',
    wallet: textAt(row, 8),
    venue: textAt(row, 9),
    pool: textAt(row, 10),
    amountRaw: amountAt(row, 11),
    quoteToken: textAt(row, 12),
    quoteAmountRaw: amountAt(row, 13),
    priceNative: textOrNullAt(row, 14),
    priceUsd: textOrNullAt(row, 15),
    valueNative: textOrNullAt(row, 16),
    valueUsd: textOrNullAt(row, 17),
    outlier: numberAt(row, 18) === 1,
  };
}

/** Chain order: by block, then by log; one swap seen by two tokens, by token. */
export function compareTrades(a: TradeRecord, b: TradeRecord): number {
  if (a.block !== b.block) return a.block - b.block;
  if (a.logIndex !== b.logIndex) return a.logIndex - b.logIndex;
  return a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
}
