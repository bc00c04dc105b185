// What simulated round trips showed of pools. Losses are kept in hundredths of a basis point.

import type { ChainSlug } from '../../model/chain.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, numberOrNullAt, textAt } from './column-value.ts';

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

function toHundredths(bps: number | null): number | null {
  return bps === null ? null : Math.round(bps * 100);
}

function toSideRow({ outBps, inBps, sellable }: SideSafety): SqlRow {
  return [toHundredths(outBps), toHundredths(inBps), sellable === null ? null : sellable ? 1 : 0];
}

export function toPoolSafetyRow(chain: ChainSlug, record: PoolSafety): SqlRow {
  const { hookFees } = record;
  return [
    chain,
    record.pool,
    record.token0,
    record.token1,
    ...toSideRow(record.side0),
    ...toSideRow(record.side1),
    hookFees?.zeroForOne ?? null,
    hookFees?.oneForZero ?? null,
    record.checkedAtMs,
  ];
}

function toSide(row: SqlRow, index: number): SideSafety {
  const [out, into, sellable] = [0, 1, 2].map((offset) => numberOrNullAt(row, index + offset));
  return {
    outBps: out == null ? null : out / 100,
    inBps: into == null ? null : into / 100,
    sellable: sellable == null ? null : sellable === 1,
  };
}

export function toPoolSafety(row: SqlRow): PoolSafety {
  const zeroForOne = numberOrNullAt(row, 10);
  const oneForZero = numberOrNullAt(row, 11);
  return {
    pool: textAt(row, 1),
    token0: textAt(row, 2),
    token1: textAt(row, 3),
    side0: toSide(row, 4),
    side1: toSide(row, 7),
    hookFees: zeroForOne === null || oneForZero === null ? null : { zeroForOne, oneForZero },
    checkedAtMs: numberAt(row, 12),
  };
}
