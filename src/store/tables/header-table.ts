// Headers of the blocks that a reorganisation could still reach.

import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, textAt } from './column-value.ts';

export const HEADER_TABLE = defineTable('headers', {
  key: { chain: 'text', number: 'integer' },
  data: {
    hash: 'text',
    parent_hash: 'text',
    timestamp_ms: 'integer',
    parent_number: 'integer',
  },
});
const { at } = HEADER_TABLE;
const writeRow = createRowWriter(HEADER_TABLE);

export function toHeaderRow(chain: ChainSlug, record: BlockHeader): SqlRow {
  const { position, hash, parentHash, timestampMs, parentPosition } = record;
  return writeRow({
    chain,
    number: position,
    hash,
    parent_hash: parentHash,
    timestamp_ms: timestampMs,
    parent_number: parentPosition,
  });
}

export function toHeaderRecord(row: SqlRow): BlockHeader {
  return {
    position: numberAt(row, at.number),
    hash: textAt(row, at.hash),
    parentPosition: numberAt(row, at.parent_number),
    parentHash: textAt(row, at.parent_hash),
    timestampMs: numberAt(row, at.timestamp_ms),
  };
}
