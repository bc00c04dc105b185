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
const { at } = TOKEN_TABLE;

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
    token: textAt(row, at.token),
    symbol: textOrNullAt(row, at.symbol),
    name: textOrNullAt(row, at.name),
    decimals: numberOrNullAt(row, at.decimals),
    firstSeenBlock: numberAt(row, at.first_seen_block),
    firstSeenAtMs: numberAt(row, at.first_seen_at_ms),
    balanceSumRaw: bigintAt(row, at.balance_sum_raw),
    holders: numberAt(row, at.holders),
    balancesBroken: numberAt(row, at.balances_broken) === 1,
    supplyRaw: amountOrNullAt(row, at.supply_raw),
    supplyBlock: numberOrNullAt(row, at.supply_block),
    supplyBalanceSumRaw: bigintOrNullAt(row, at.supply_balance_sum_raw),
    priceNative: textOrNullAt(row, at.price_native),
    priceUsd: textOrNullAt(row, at.price_usd),
    lastTradeAtMs: numberOrNullAt(row, at.last_trade_at_ms),
    tradeCount: numberAt(row, at.trade_count),
    liquidityUsdE18: amountOrNullAt(row, at.liquidity_usd_e18),
    pairedPool: textOrNullAt(row, at.paired_pool),
    pairedUsdE18: amountOrNullAt(row, at.paired_usd_e18),
  };
}
