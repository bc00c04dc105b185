// Wallet sessions; a session that ended has no row.

import type { SessionRecord, SessionTransport } from '../../model/access-record.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, textAt } from './column-value.ts';

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

export function toSessionRow(record: SessionRecord): SqlRow {
  return [
    record.id,
    record.tokenHash,
    record.wallet.id,
    record.wallet.address,
    record.chain,
    record.transport,
    record.createdAtMs,
    record.lastUsedAtMs,
    record.expiresAtMs,
  ];
}

export function toSessionRecord(row: SqlRow): SessionRecord {
  return {
    id: textAt(row, 0),
    tokenHash: textAt(row, 1),
    wallet: { id: textAt(row, 2), address: textAt(row, 3) },
    chain: textAt(row, 4) as ChainSlug,
    transport: textAt(row, 5) as SessionTransport,
    createdAtMs: numberAt(row, 6),
    lastUsedAtMs: numberAt(row, 7),
    expiresAtMs: numberAt(row, 8),
  };
}
