// Tokens with their running figures.

import type { ChainSlug } from '../../model/chain.ts';
import type { TokenLaunch, TokenRecord } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  addressAt,
  amountOrNullAt,
  bigintAt,
  bigintOrNullAt,
  cleanFreeText,
  numberAt,
  numberOrNullAt,
  poolOrNullAt,
  textOrNullAt,
  toAmount,
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
    launch: 'text',
  },
});
const { at } = TOKEN_TABLE;
const writeRow = createRowWriter(TOKEN_TABLE);

export function toTokenRow(chain: ChainSlug, record: TokenRecord): SqlRow {
  return writeRow({
    chain,
    token: record.token,
    symbol: cleanFreeText(record.symbol),
    name: cleanFreeText(record.name),
    decimals: record.decimals,
    first_seen_block: record.firstSeenBlock,
    first_seen_at_ms: record.firstSeenAtMs,
    // A hostile token can announce transfers whose sum leaves 256 bits, so sums are plain digits.
    balance_sum_raw: record.balanceSumRaw.toString(),
    holders: record.holders,
    balances_broken: record.balancesBroken ? 1 : 0,
    supply_raw: toAmount(record.supplyRaw),
    supply_block: record.supplyBlock,
    supply_balance_sum_raw:
      record.supplyBalanceSumRaw === null ? null : record.supplyBalanceSumRaw.toString(),
    price_native: record.priceNative,
    price_usd: record.priceUsd,
    last_trade_at_ms: record.lastTradeAtMs,
    trade_count: record.tradeCount,
    liquidity_usd_e18: toAmount(record.liquidityUsdE18),
    paired_pool: record.pairedPool,
    paired_usd_e18: toAmount(record.pairedUsdE18),
    launch: record.launch === undefined ? null : encodeLaunch(record.launch),
  });
}

/** Three fields, separated by commas; empty for null. */
function encodeLaunch({ venue, progressPct, graduatedAtMs }: TokenLaunch): string {
  return [venue, progressPct ?? '', graduatedAtMs ?? ''].join(',');
}

export function readLaunch(row: SqlRow, column: number): Pick<TokenRecord, 'launch'> {
  const text = textOrNullAt(row, column);
  if (text === null) return {};
  const [venue = '', progress = '', graduated = ''] = text.split(',');
  const progressPct = progress === '' ? null : Number(progress);
  const graduatedAtMs = graduated === '' ? null : Number(graduated);
  return { launch: { venue, progressPct, graduatedAtMs } };
}

export function toTokenRecord(row: SqlRow): TokenRecord {
  return {
    token: addressAt(row, at.token),
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
    pairedPool: poolOrNullAt(row, at.paired_pool),
    pairedUsdE18: amountOrNullAt(row, at.paired_usd_e18),
    ...readLaunch(row, at.launch),
  };
}
