// Results of simulated round trips through pools. Losses are in hundredths of a basis point.

import type { ChainSlug } from '../../model/chain.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { addressAt, numberAt, numberOrNullAt, poolAt } from './column-value.ts';

export const POOL_SAFETY_TABLE = defineTable('pool_safety', {
  key: { chain: 'text', pool: 'text' },
  data: {
    token0: 'text',
    token1: 'text',
    out0_e2: 'integer',
    in0_e2: 'integer',
    sellable0: 'integer',
    out1_e2: 'integer',
    in1_e2: 'integer',
    sellable1: 'integer',
    hook_fee0: 'integer',
    hook_fee1: 'integer',
    checked_at_ms: 'integer',
  },
});
const { at } = POOL_SAFETY_TABLE;
const writeRow = createRowWriter(POOL_SAFETY_TABLE);

function toHundredths(bps: number | null): number | null {
  return bps === null ? null : Math.round(bps * 100);
}

function toFlag(value: boolean | null): number | null {
  return value === null ? null : value ? 1 : 0;
}

export function toPoolSafetyRow(chain: ChainSlug, record: PoolSafety): SqlRow {
  const { side0, side1, hookFees } = record;
  return writeRow({
    chain,
    pool: record.pool,
    token0: record.token0,
    token1: record.token1,
    out0_e2: toHundredths(side0.outBps),
    in0_e2: toHundredths(side0.inBps),
    sellable0: toFlag(side0.sellable),
    out1_e2: toHundredths(side1.outBps),
    in1_e2: toHundredths(side1.inBps),
    sellable1: toFlag(side1.sellable),
    hook_fee0: hookFees?.zeroForOne ?? null,
    hook_fee1: hookFees?.oneForZero ?? null,
    checked_at_ms: record.checkedAtMs,
  });
}

function readSide(
  row: SqlRow,
  columns: { readonly out: number; readonly into: number; readonly sellable: number },
): SideSafety {
  const out = numberOrNullAt(row, columns.out);
  const into = numberOrNullAt(row, columns.into);
  const sellable = numberOrNullAt(row, columns.sellable);
  return {
    outBps: out === null ? null : out / 100,
    inBps: into === null ? null : into / 100,
    sellable: sellable === null ? null : sellable === 1,
  };
}

export function toPoolSafetyRecord(row: SqlRow): PoolSafety {
  const zeroForOne = numberOrNullAt(row, at.hook_fee0);
  const oneForZero = numberOrNullAt(row, at.hook_fee1);
  return {
    pool: poolAt(row, at.pool),
    token0: addressAt(row, at.token0),
    token1: addressAt(row, at.token1),
    side0: readSide(row, { out: at.out0_e2, into: at.in0_e2, sellable: at.sellable0 }),
    side1: readSide(row, { out: at.out1_e2, into: at.in1_e2, sellable: at.sellable1 }),
    hookFees: zeroForOne === null || oneForZero === null ? null : { zeroForOne, oneForZero },
    checkedAtMs: numberAt(row, at.checked_at_ms),
  };
}
