// API keys: everything about them but the keys themselves.

import type { KeyRecord } from '../../model/access-record.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, numberOrNullAt, textAt } from './column-value.ts';

export const KEY_TABLE = defineTable('access_keys', {
  key: { id: 'text' },
  data: {
    wallet_id: 'text',
    name: 'text',
    hash: 'text',
    pepper_version: 'integer',
    prefix: 'text',
    last4: 'text',
    created_at_ms: 'integer',
    expires_at_ms: 'integer',
    revoked_at_ms: 'integer',
    last_used_at_ms: 'integer',
  },
});

export function toKeyRow(record: KeyRecord): SqlRow {
  return [
    record.id,
    record.walletId,
    record.name,
    record.hash,
    record.pepperVersion,
    record.prefix,
    record.last4,
    record.createdAtMs,
    record.expiresAtMs,
    record.revokedAtMs,
    record.lastUsedAtMs,
  ];
}

export function toKeyRecord(row: SqlRow): KeyRecord {
  return {
    id: textAt(row, 0),
    walletId: textAt(row, 1),
    name: textAt(row, 2),
    hash: textAt(row, 3),
    pepperVersion: numberAt(row, 4),
    prefix: textAt(row, 5),
    last4: textAt(row, 6),
    createdAtMs: numberAt(row, 7),
    expiresAtMs: numberOrNullAt(row, 8),
    revokedAtMs: numberOrNullAt(row, 9),
    lastUsedAtMs: numberOrNullAt(row, 10),
  };
}
