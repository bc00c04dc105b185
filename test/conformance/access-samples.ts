// Plain records for the conformance tests of access.

import { randomUUID } from 'node:crypto';
import type { KeyRecord, SessionRecord } from '../../src/model/access-record.ts';
import { KEY_SCOPES, type KeyLimits } from '../../src/model/key-limits.ts';
import type { UsedChallenge } from '../../src/store/access-store.ts';
import { walletId } from '../test-ids.ts';

export const NOW_MS = 1_700_000_000_000;
export const DAY_MS = 86_400_000;

/** As keys from before there were limits. */
export const NO_KEY_LIMITS: KeyLimits = { scopes: KEY_SCOPES, allowedIps: [], perMinute: null };

export function buildChallenge(fields: Partial<UsedChallenge> = {}): UsedChallenge {
  return { nonce: randomUUID(), expiresAtMs: NOW_MS + 300_000, ...fields };
}

export function buildSession(fields: Partial<SessionRecord> = {}): SessionRecord {
  const id = `se_${randomUUID()}`;
  return {
    id,
    tokenHash: `hash of ${id}`,
    wallet: { id: walletId('eip155:0xA'), address: '0xA' },
    chain: 'base',
    transport: 'token',
    createdAtMs: NOW_MS,
    lastUsedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 30 * DAY_MS,
    ...fields,
  };
}

export function buildKey(fields: Partial<KeyRecord> = {}): KeyRecord {
  const id = `key_${randomUUID()}`;
  return {
    id,
    walletId: walletId('eip155:0xA'),
    name: 'näme 名 🙂',
    hash: `hash of ${id}`,
    pepperVersion: 1,
    prefix: 'mw_live_abcd',
    last4: 'wxyz',
    createdAtMs: NOW_MS,
    expiresAtMs: null,
    revokedAtMs: null,
    lastUsedAtMs: null,
    limits: NO_KEY_LIMITS,
    ...fields,
  };
}
