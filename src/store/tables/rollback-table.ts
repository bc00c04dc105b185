// Rollbacks, kept for as long as streams may resume from before them.

import type { ChainSlug } from '../../model/chain.ts';
import { createRowWriter } from '../create-row-writer.ts';
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
const { at } = ROLLBACK_TABLE;
const writeRow = createRowWriter(ROLLBACK_TABLE);

export function toRollbackRow(chain: ChainSlug, record: RollbackRecord): SqlRow {
  return writeRow({
    chain,
    version: record.version,
    block: record.block,
    timestamp_ms: record.timestampMs,
    tip_block: record.tipBlock,
    tip_timestamp_ms: record.tipTimestampMs,
    recorded_at_ms: record.recordedAtMs,
  });
}

export function toRollbackRecord(row: SqlRow): RollbackRecord {
  return {
    version: numberAt(row, at.version),
    block: numberAt(row, at.block),
    timestampMs: numberAt(row, at.timestamp_ms),
    tipBlock: numberAt(row, at.tip_block),
    tipTimestampMs: numberAt(row, at.tip_timestamp_ms),
    recordedAtMs: numberAt(row, at.recorded_at_ms),
  };
}
