// API keys: everything except the keys themselves.

import type { KeyRecord } from '../../model/access-record.ts';
import { KEY_SCOPES, type KeyScope } from '../../model/key-limits.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, numberOrNullAt, textAt, walletAt } from './column-value.ts';

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
    scopes: 'text',
    allowed_ips: 'text',
    per_minute: 'integer',
  },
});
const { at } = KEY_TABLE;
const writeRow = createRowWriter(KEY_TABLE);

export function toKeyRow(record: KeyRecord): SqlRow {
  return writeRow({
    id: record.id,
    wallet_id: record.walletId,
    name: record.name,
    hash: record.hash,
    pepper_version: record.pepperVersion,
    prefix: record.prefix,
    last4: record.last4,
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs,
    revoked_at_ms: record.revokedAtMs,
    last_used_at_ms: record.lastUsedAtMs,
    scopes: record.limits.scopes.join(' '),
    allowed_ips: record.limits.allowedIps.join(' '),
    per_minute: record.limits.perMinute,
  });
}

function listWords(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

/** Scopes of a newer version are unknown here, and open nothing. */
function listScopes(text: string): readonly KeyScope[] {
  const words = listWords(text);
  return KEY_SCOPES.filter((scope) => words.includes(scope));
}

export function toKeyRecord(row: SqlRow): KeyRecord {
  return {
    id: textAt(row, at.id),
    walletId: walletAt(row, at.wallet_id),
    name: textAt(row, at.name),
    hash: textAt(row, at.hash),
    pepperVersion: numberAt(row, at.pepper_version),
    prefix: textAt(row, at.prefix),
    last4: textAt(row, at.last4),
    createdAtMs: numberAt(row, at.created_at_ms),
    expiresAtMs: numberOrNullAt(row, at.expires_at_ms),
    revokedAtMs: numberOrNullAt(row, at.revoked_at_ms),
    lastUsedAtMs: numberOrNullAt(row, at.last_used_at_ms),
    limits: {
      scopes: listScopes(textAt(row, at.scopes)),
      allowedIps: listWords(textAt(row, at.allowed_ips)),
      perMinute: numberOrNullAt(row, at.per_minute),
    },
  };
}
