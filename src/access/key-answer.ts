// A key as shown to its owner.

import type { OutputOf } from '../contract/operation.ts';
import type { revokeKey } from '../contract/operations/key-operations.ts';
import { isActiveKey, type KeyRecord } from '../model/access-record.ts';

type KeyAnswer = OutputOf<typeof revokeKey>;

export function buildKeyAnswer(
  record: KeyRecord,
  now: { readonly nowMs: number; readonly requests24h: number },
): KeyAnswer {
  const ended = record.revokedAtMs === null ? 'expired' : 'revoked';
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    last4: record.last4,
    status: isActiveKey(record, now.nowMs) ? 'active' : ended,
    createdAt: record.createdAtMs,
    lastUsedAt: record.lastUsedAtMs,
    expiresAt: record.expiresAtMs,
    revokedAt: record.revokedAtMs,
    requests24h: now.requests24h,
    scopes: [...record.limits.scopes],
    allowedIps: [...record.limits.allowedIps],
    perMinute: record.limits.perMinute,
  };
}
