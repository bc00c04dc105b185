// Adopted pools, each with the whole state that it was adopted with.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { AdoptionRecord } from '../../model/adoption.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolKindName } from '../../model/pool.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, poolAt, textAt } from './column-value.ts';

export const ADOPTION_TABLE = defineTable('adoptions', {
  key: { chain: 'text', version: 'integer', pool: 'text' },
  data: {
    block: 'integer',
    kind: 'text',
    fee_pips: 'integer',
    state: 'text',
    /** JSON: of each tick its number, gross and net liquidity. */
    ticks: 'text',
  },
});
const { at } = ADOPTION_TABLE;
const writeRow = createRowWriter(ADOPTION_TABLE);

type TickTuple = readonly [tick: number, liquidityGross: string, liquidityNet: string];

export function toAdoptionRow(chain: ChainSlug, record: AdoptionRecord): SqlRow {
  const ticks = record.ticks.map(
    ({ tick, liquidityGross, liquidityNet }): TickTuple => [
      tick,
      liquidityGross.toString(),
      liquidityNet.toString(),
    ],
  );
  return writeRow({
    chain,
    version: record.version,
    pool: record.pool,
    block: record.block,
    kind: record.kind,
    fee_pips: record.feePips,
    state: kindOf(record).encodeState(record.state),
    ticks: JSON.stringify(ticks),
  });
}

export function toAdoptionRecord(row: SqlRow): AdoptionRecord {
  const kind = textAt(row, at.kind) as PoolKindName;
  const ticks = JSON.parse(textAt(row, at.ticks)) as readonly TickTuple[];
  return {
    pool: poolAt(row, at.pool),
    kind,
    feePips: numberAt(row, at.fee_pips),
    state: kindOf({ kind }).decodeState(textAt(row, at.state)),
    ticks: ticks.map(([tick, gross, net]) => ({
      tick,
      liquidityGross: BigInt(gross),
      liquidityNet: BigInt(net),
    })),
    block: numberAt(row, at.block),
    version: numberAt(row, at.version),
  };
}
