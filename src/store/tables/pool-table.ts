// Pools with their state after the last event. Kind-specific fields are text that the kind itself
// encodes and decodes.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolKindName, PoolRecord } from '../../model/pool.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  addressAt,
  amountOrNullAt,
  numberAt,
  numberOrNullAt,
  poolAt,
  textAt,
  toAmount,
} from './column-value.ts';

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
const { at } = POOL_TABLE;
const writeRow = createRowWriter(POOL_TABLE);

export function toPoolRow(chain: ChainSlug, record: PoolRecord): SqlRow {
  const kind = kindOf(record);
  return writeRow({
    chain,
    pool: record.pool,
    venue: record.venue,
    token0: record.token0,
    token1: record.token1,
    fee_pips: record.feePips,
    vault: record.vault,
    created_block: record.createdBlock,
    created_at_ms: record.createdAtMs,
    complete: record.complete ? 1 : 0,
    last_swap_at_ms: record.lastSwapAtMs,
    liquidity_usd_e18: toAmount(record.liquidityUsdE18),
    kind: record.kind,
    terms: kind.encodeTerms(record.terms),
    state: kind.encodeState(record.state),
  });
}

export function toPoolRecord(row: SqlRow): PoolRecord {
  const name = textAt(row, at.kind) as PoolKindName;
  const kind = kindOf({ kind: name });
  return {
    pool: poolAt(row, at.pool),
    kind: name,
    venue: textAt(row, at.venue),
    token0: addressAt(row, at.token0),
    token1: addressAt(row, at.token1),
    feePips: numberAt(row, at.fee_pips),
    vault: addressAt(row, at.vault),
    createdBlock: numberAt(row, at.created_block),
    createdAtMs: numberAt(row, at.created_at_ms),
    complete: numberAt(row, at.complete) === 1,
    lastSwapAtMs: numberOrNullAt(row, at.last_swap_at_ms),
    liquidityUsdE18: amountOrNullAt(row, at.liquidity_usd_e18),
    terms: kind.decodeTerms(textAt(row, at.terms)),
    state: kind.decodeState(textAt(row, at.state)),
  } as PoolRecord;
}
