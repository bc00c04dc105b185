// Pools with the state that their last event left. What a kind keeps of its own is text that the
// kind itself writes and reads.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolKindName, PoolRecord } from '../../model/pool.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { amountOrNullAt, numberAt, numberOrNullAt, textAt, toAmount } from './column-value.ts';

export const POOL_TABLE = defineTable('pools', {
  key: { chain: 'text', pool: 'text' },
  data: {
    venue: 'text',
    token0: 'text',
    token1: 'text',
    fee_pips: 'integer',
    vault: 'text',
    created_block: 'integer',
    created_at_ms: 'integer',
    complete: 'integer',
    last_swap_at_ms: 'integer',
    liquidity_usd_e18: 'text',
    kind: 'text',
    terms: 'text',
    state: 'text',
  },
});

export function toPoolRow(chain: ChainSlug, record: PoolRecord): SqlRow {
  const kind = kindOf(record);
  return [
    chain,
    record.pool,
    record.venue,
    record.token0,
    record.token1,
    record.feePips,
    record.vault,
    record.createdBlock,
    record.createdAtMs,
    record.complete ? 1 : 0,
    record.lastSwapAtMs,
    toAmount(record.liquidityUsdE18),
    record.kind,
    kind.encodeTerms(record.terms),
    kind.encodeState(record.state),
  ];
}

export function toPoolRecord(row: SqlRow): PoolRecord {
  const name = textAt(row, 12) as PoolKindName;
  const kind = kindOf({ kind: name });
  return {
    pool: textAt(row, 1),
    kind: name,
    venue: textAt(row, 2),
    token0: textAt(row, 3),
    token1: textAt(row, 4),
    feePips: numberAt(row, 5),
    vault: textAt(row, 6),
    createdBlock: numberAt(row, 7),
    createdAtMs: numberAt(row, 8),
    complete: numberAt(row, 9) === 1,
    lastSwapAtMs: numberOrNullAt(row, 10),
    liquidityUsdE18: amountOrNullAt(row, 11),
    terms: kind.decodeTerms(textAt(row, 13)),
    state: kind.decodeState(textAt(row, 14)),
  } as PoolRecord;
}
