// One row per chain: how far it has been indexed.

import type { ChainSlug } from '../../model/chain.ts';
import type { ArchivedRange, Checkpoint } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { buildDamageError, numberAt, textAt } from './column-value.ts';

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
    trades_from_ms: 'integer',
    candles_from_ms: 'integer',
    scope: 'text',
    positions_from_ms: 'integer',
    archived: 'text',
  },
});
const { at } = CHECKPOINT_TABLE;
const writeRow = createRowWriter(CHECKPOINT_TABLE);

export function toCheckpointRow(chain: ChainSlug, record: Checkpoint): SqlRow {
  return writeRow({
    chain,
    start_block: record.startBlock,
    block: record.block,
    block_hash: record.blockHash,
    timestamp_ms: record.timestampMs,
    finalized_block: record.finalizedBlock,
    version: record.version,
    start_at_ms: record.startAtMs ?? null,
    trades_from_ms: record.tradesFromMs ?? null,
    candles_from_ms: record.candlesFromMs ?? null,
    scope: record.scope ?? null,
    positions_from_ms: record.positionsFromMs ?? null,
    archived: record.archived === undefined ? null : JSON.stringify(record.archived),
  });
}

function toScope(text: string): NonNullable<Checkpoint['scope']> {
  if (text === 'liquid' || text === 'watch') return text;
  throw buildDamageError(`The store holds an unknown scope ${text}`);
}

export function toCheckpointRecord(row: SqlRow): Checkpoint {
  return {
    startBlock: numberAt(row, at.start_block),
    block: numberAt(row, at.block),
    blockHash: textAt(row, at.block_hash),
    timestampMs: numberAt(row, at.timestamp_ms),
    finalizedBlock: numberAt(row, at.finalized_block),
    version: numberAt(row, at.version),
    ...(row[at.start_at_ms] === null ? {} : { startAtMs: numberAt(row, at.start_at_ms) }),
    ...(row[at.trades_from_ms] === null ? {} : { tradesFromMs: numberAt(row, at.trades_from_ms) }),
    ...(row[at.candles_from_ms] === null
      ? {}
      : { candlesFromMs: numberAt(row, at.candles_from_ms) }),
    ...(row[at.scope] === null ? {} : { scope: toScope(textAt(row, at.scope)) }),
    ...(row[at.positions_from_ms] === null
      ? {}
      : { positionsFromMs: numberAt(row, at.positions_from_ms) }),
    ...(row[at.archived] === null
      ? {}
      : { archived: JSON.parse(textAt(row, at.archived)) as ArchivedRange }),
  };
}
