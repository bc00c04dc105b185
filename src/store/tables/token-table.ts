// Tokens with their running figures.

import type { ChainSlug } from '../../model/chain.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  amountOrNullAt,
  bigintAt,
  bigintOrNullAt,
  numberAt,
  numberOrNullAt,
  textAt,
  textOrNullAt,
  toAmount,
  toFreeText,
} from './column-value.ts';

export const TOKEN_TABLE = defineTable('tokens', {
  key: { chain: 'text', token: 'text' },
  data: {
    symbol: 'text',
    name: 'text',
    decimals: 'integer',
    first_seen_block: 'integer',
    first_seen_at_ms: 'integer',
    balance_sum_raw: 'text',
    holders: 'integer',
    balances_broken: 'integer',
    supply_raw: 'text',
    supply_block: 'integer',
    supply_balance_sum_raw: 'text',
    price_native: 'text',
    price_usd: 'text',
    last_trade_at_ms: 'integer',
    trade_count: 'integer',
    liquidity_usd_e18: 'text',
    paired_pool: 'text',
    paired_usd_e18: 'text',
  },
});

export function toTokenRow(chain: ChainSlug, record: TokenRecord): SqlRow {
  return [
    chain,
    record.token,
    toFreeText(record.symbol),
    toFreeText(record.name),
    record.decimals,
    record.firstSeenBlock,
    record.firstSeenAtMs,
    // A hostile token can announce transfers whose sum leaves 256 bits, so sums are plain digits.
    record.balanceSumRaw.toString(),
    record.holders,
    record.balancesBroken ? 1 : 0,
    toAmount(record.supplyRaw),
    record.supplyBlock,
    record.supplyBalanceSumRaw === null ? null : record.supplyBalanceSumRaw.toString(),
    record.priceNative,
    record.priceUsd,
    record.lastTradeAtMs,
    record.tradeCount,
    toAmount(record.liquidityUsdE18),
    record.pairedPool,
    toAmount(record.pairedUsdE18),
  ];
}

export function toTokenRecord(row: SqlRow): TokenRecord {
  return {
    token: textAt(row, 1),
    symbol: textOrNullAt(row, 2),
    name: textOrNullAt(row, 3),
    decimals: numberOrNullAt(row, 4),
    firstSeenBlock: numberAt(row, 5),
    firstSeenAtMs: numberAt(row, 6),
    balanceSumRaw: bigintAt(row, 7),
    holders: numberAt(row, 8),
    balancesBroken: numberAt(row, 9) === 1,
    supplyRaw: amountOrNullAt(row, 10),
    supplyBlock: numberOrNullAt(row, 11),
    supplyBalanceSumRaw: bigintOrNullAt(row, 12),
    priceNative: textOrNullAt(row, 13),
    priceUsd: textOrNullAt(row, 14),
    lastTradeAtMs: numberOrNullAt(row, 15),
    tradeCount: numberAt(row, 16),
    liquidityUsdE18: amountOrNullAt(row, 17),
    pairedPool: textOrNullAt(row, 18),
    pairedUsdE18: amountOrNullAt(row, 19),
  };
}
