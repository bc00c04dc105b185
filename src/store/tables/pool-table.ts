// Pools with the state that their last event left.

import type { ChainSlug } from '../../model/chain.ts';
import type { PoolRecord } from '../../model/market-record.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  amountOrNullAt,
  numberAt,
  numberOrNullAt,
  textAt,
  textOrNullAt,
  toAmount,
} from './column-value.ts';

export const POOL_TABLE = defineTable('pools', {
  key: { chain: 'text', pool: 'text' },
  data: {
    venue: 'text',
    token0: 'text',
    token1: 'text',
    fee_pips: 'integer',
    tick_spacing: 'integer',
    hooks: 'text',
    vault: 'text',
    created_block: 'integer',
    created_at_ms: 'integer',
    complete: 'integer',
    reserve0: 'text',
    reserve1: 'text',
    sqrt_price_x96: 'text',
    liquidity: 'text',
    tick: 'integer',
    protocol_fee: 'integer',
    last_swap_at_ms: 'integer',
    amount0: 'text',
    amount1: 'text',
    liquidity_usd_e18: 'text',
  },
});

export function toPoolRow(chain: ChainSlug, record: PoolRecord): SqlRow {
  return [
    chain,
    record.pool,
    record.venue,
    record.token0,
    record.token1,
    record.feePips,
    record.tickSpacing,
    record.hooks,
    record.vault,
    record.createdBlock,
    record.createdAtMs,
    record.complete ? 1 : 0,
    toAmount(record.reserve0),
    toAmount(record.reserve1),
    toAmount(record.sqrtPriceX96),
    toAmount(record.liquidity),
    record.tick,
    record.protocolFee,
    record.lastSwapAtMs,
    toAmount(record.amount0),
    toAmount(record.amount1),
    toAmount(record.liquidityUsdE18),
  ];
}

export function toPoolRecord(row: SqlRow): PoolRecord {
  return {
    pool: textAt(row, 1),
    venue: textAt(row, 2),
    token0: textAt(row, 3),
    token1: textAt(row, 4),
    feePips: numberAt(row, 5),
    tickSpacing: numberOrNullAt(row, 6),
    hooks: textOrNullAt(row, 7),
    vault: textAt(row, 8),
    createdBlock: numberAt(row, 9),
    createdAtMs: numberAt(row, 10),
    complete: numberAt(row, 11) === 1,
    reserve0: amountOrNullAt(row, 12),
    reserve1: amountOrNullAt(row, 13),
    sqrtPriceX96: amountOrNullAt(row, 14),
    liquidity: amountOrNullAt(row, 15),
    tick: numberOrNullAt(row, 16),
    protocolFee: numberAt(row, 17),
    lastSwapAtMs: numberOrNullAt(row, 18),
    amount0: amountOrNullAt(row, 19),
    amount1: amountOrNullAt(row, 20),
    liquidityUsdE18: amountOrNullAt(row, 21),
  };
}
