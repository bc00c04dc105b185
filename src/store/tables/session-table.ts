// Wallet sessions; an ended session has no row.

import type { SessionRecord, SessionTransport } from '../../model/access-record.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, textAt, walletAt } from './column-value.ts';

export const SESSION_TABLE = defineTable('access_sessions', {
  key: { id: 'text' },
  data: {
    token_hash: 'text',
    wallet_id: 'text',
    address: 'text',
    chain: 'text',
    transport: 'text',
    created_at_ms: 'integer',
    last_used_at_ms: 'integer',
    expires_at_ms: 'integer',
  },
});
const { at } = SESSION_TABLE;
const writeRow = createRowWriter(SESSION_TABLE);

export function toSessionRow(record: SessionRecord): SqlRow {
  return writeRow({
    id: record.id,
    token_hash: record.tokenHash,
    wallet_id: record.wallet.id,
    address: record.wallet.address,
    chain: record.chain,
    transport: record.transport,
    created_at_ms: record.createdAtMs,
    last_used_at_ms: record.lastUsedAtMs,
    expires_at_ms: record.expiresAtMs,
  });
}

export function toSessionRecord(row: SqlRow): SessionRecord {
  return {
    id: textAt(row, at.id),
    tokenHash: textAt(row, at.token_hash),
    wallet: { id: walletAt(row, at.wallet_id), address: textAt(row, at.address) },
    chain: textAt(row, at.chain) as ChainSlug,
    transport: textAt(row, at.transport) as SessionTransport,
    createdAtMs: numberAt(row, at.created_at_ms),
    lastUsedAtMs: numberAt(row, at.last_used_at_ms),
    expiresAtMs: numberAt(row, at.expires_at_ms),
  };
}
