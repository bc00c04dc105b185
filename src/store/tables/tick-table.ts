// The initialised ticks of concentrated-liquidity pools.

import type { ChainSlug } from '../../model/chain.ts';
import type { TickRecord } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { amountAt, bigintAt, numberAt, poolAt, toAmount } from './column-value.ts';

export const TICK_TABLE = defineTable('ticks', {
  key: { chain: 'text', pool: 'text', tick: 'integer' },
  data: { liquidity_gross: 'text', liquidity_net: 'text' },
});
const { at } = TICK_TABLE;
const writeRow = createRowWriter(TICK_TABLE);

export function toTickRow(chain: ChainSlug, record: TickRecord): SqlRow {
  return writeRow({
    chain,
    pool: record.pool,
    tick: record.tick,
    liquidity_gross: toAmount(record.liquidityGross),
    liquidity_net: record.liquidityNet.toString(),
  });
}

export function toTickRecord(row: SqlRow): TickRecord {
  return {
    pool: poolAt(row, at.pool),
    tick: numberAt(row, at.tick),
    liquidityGross: amountAt(row, at.liquidity_gross),
    liquidityNet: bigintAt(row, at.liquidity_net),
  };
}

export function compareTicks(a: TickRecord, b: TickRecord): number {
  if (a.pool !== b.pool) return a.pool < b.pool ? -1 : 1;
  return a.tick - b.tick;
}
