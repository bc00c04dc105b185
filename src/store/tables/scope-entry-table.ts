// Times during which tokens were in scope.

import type { ChainSlug } from '../../model/chain.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { addressAt, numberAt, numberOrNullAt, poolOrNullAt } from './column-value.ts';

export const SCOPE_ENTRY_TABLE = defineTable('scope_entries', {
  key: { chain: 'text', token: 'text', from_block: 'integer' },
  data: { from_ms: 'integer', left_block: 'integer', pool: 'text' },
});
const { at } = SCOPE_ENTRY_TABLE;
const writeRow = createRowWriter(SCOPE_ENTRY_TABLE);

export function toScopeEntryRow(chain: ChainSlug, entry: ScopeEntry): SqlRow {
  return writeRow({
    chain,
    token: entry.token,
    from_block: entry.fromBlock,
    from_ms: entry.fromMs,
    left_block: entry.leftBlock,
    pool: entry.pool,
  });
}

export function toScopeEntry(row: SqlRow): ScopeEntry {
  return {
    token: addressAt(row, at.token),
    fromBlock: numberAt(row, at.from_block),
    fromMs: numberAt(row, at.from_ms),
    leftBlock: numberOrNullAt(row, at.left_block),
    pool: poolOrNullAt(row, at.pool),
  };
}
