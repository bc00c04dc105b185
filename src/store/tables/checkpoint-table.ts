// One row per chain: how far it has been indexed.

import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, textAt } from './column-value.ts';

export const CHECKPOINT_TABLE = defineTable('checkpoints', {
  key: { chain: 'text' },
  data: {
    start_block: 'integer',
    block: 'integer',
    block_hash: 'text',
    timestamp_ms: 'integer',
    finalized_block: 'integer',
    version: 'integer',
    start_at_ms: 'integer',
  },
});

export function toCheckpointRow(chain: ChainSlug, record: Checkpoint): SqlRow {
  return [
    chain,
    record.startBlock,
    record.block,
    record.blockHash,
    record.timestampMs,
    record.finalizedBlock,
    record.version,
    record.startAtMs ?? null,
  ];
}

export function toCheckpoint(row: SqlRow): Checkpoint {
  return {
    startBlock: numberAt(row, 1),
    block: numberAt(row, 2),
    blockHash: textAt(row, 3),
    timestampMs: numberAt(row, 4),
    finalizedBlock: numberAt(row, 5),
    version: numberAt(row, 6),
    ...(row[7] === null ? {} : { startAtMs: numberAt(row, 7) }),
  };
}
