// Jobs that fill in history, and the balances that they have summed up so far.

import { toSortableInteger } from '../../lib/sortable-integer.ts';
import type { BackfillKind, BackfillRecord, BackfillStatus } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { BalanceRecord } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  addressAt,
  amountAt,
  numberAt,
  numberOrNullAt,
  textAt,
  textOrNullAt,
} from './column-value.ts';

export const BACKFILL_TABLE = defineTable('backfills', {
  key: { chain: 'text', token: 'text', kind: 'text' },
  data: {
    status: 'text',
    requested_at_ms: 'integer',
    from_block: 'integer',
    from_ms: 'integer',
    to_block: 'integer',
    to_ms: 'integer',
    next_block: 'integer',
    next_ms: 'integer',
    join_block: 'integer',
    memory: 'text',
    reason: 'text',
  },
});
const { at } = BACKFILL_TABLE;
const writeRow = createRowWriter(BACKFILL_TABLE);

export function toBackfillRow(chain: ChainSlug, record: BackfillRecord): SqlRow {
  return writeRow({
    chain,
    token: record.token,
    kind: record.kind,
    status: record.status,
    requested_at_ms: record.requestedAtMs,
    from_block: record.fromBlock,
    from_ms: record.fromMs,
    to_block: record.toBlock,
    to_ms: record.toMs,
    next_block: record.nextBlock,
    next_ms: record.nextMs,
    join_block: record.joinBlock,
    memory: record.memory,
    reason: record.reason,
  });
}

export function toBackfillRecord(row: SqlRow): BackfillRecord {
  return {
    token: addressAt(row, at.token),
    kind: textAt(row, at.kind) as BackfillKind,
    status: textAt(row, at.status) as BackfillStatus,
    requestedAtMs: numberAt(row, at.requested_at_ms),
    fromBlock: numberOrNullAt(row, at.from_block),
    fromMs: numberOrNullAt(row, at.from_ms),
    toBlock: numberAt(row, at.to_block),
    toMs: numberOrNullAt(row, at.to_ms),
    nextBlock: numberAt(row, at.next_block),
    nextMs: numberOrNullAt(row, at.next_ms),
    joinBlock: numberOrNullAt(row, at.join_block),
    memory: textAt(row, at.memory),
    reason: textOrNullAt(row, at.reason),
  };
}

export const BACKFILL_BALANCE_TABLE = defineTable('backfill_balances', {
  key: { chain: 'text', token: 'text', owner: 'text' },
  data: { amount_raw: 'text' },
});

export function toBackfillBalanceRow(chain: ChainSlug, record: BalanceRecord): SqlRow {
  return [chain, record.token, record.owner, toSortableInteger(record.amountRaw)];
}

export function toBackfillBalance(row: SqlRow): BalanceRecord {
  const { at: column } = BACKFILL_BALANCE_TABLE;
  return {
    token: addressAt(row, column.token),
    owner: addressAt(row, column.owner),
    amountRaw: amountAt(row, column.amount_raw),
  };
}
