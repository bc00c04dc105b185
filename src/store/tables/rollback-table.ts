// Rollbacks as they happened, kept for as long as streams may resume from before them.

import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow } from '../sql.ts';
import type { RollbackRecord } from '../stream-reads.ts';
import { defineTable } from '../table.ts';
import { numberAt } from './column-value.ts';

export const ROLLBACK_TABLE = defineTable('rollbacks', {
  key: { chain: 'text', version: 'integer' },
  data: {
    block: 'integer',
    timestamp_ms: 'integer',
    tip_block: 'integer',
    tip_timestamp_ms: 'integer',
    recorded_at_ms: 'integer',
  },
});

export function toRollbackRow(chain: ChainSlug, record: RollbackRecord): SqlRow {
  return [
    chain,
    record.version,
    record.block,
    record.timestampMs,
    record.tipBlock,
    record.tipTimestampMs,
    record.recordedAtMs,
  ];
}

export function toRollbackRecord(row: SqlRow): RollbackRecord {
  return {
    version: numberAt(row, 1),
    block: numberAt(row, 2),
    timestampMs: numberAt(row, 3),
    tipBlock: numberAt(row, 4),
    tipTimestampMs: numberAt(row, 5),
    recordedAtMs: numberAt(row, 6),
  };
}
