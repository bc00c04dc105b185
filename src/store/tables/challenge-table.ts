// Challenges that wait for their signature.

import type { ChallengeRecord } from '../../model/access-record.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { numberAt, textAt } from './column-value.ts';

export const CHALLENGE_TABLE = defineTable('access_challenges', {
  key: { id: 'text' },
  data: {
    chain: 'text',
    address: 'text',
    domain: 'text',
    message: 'text',
    caller_mark: 'text',
    created_at_ms: 'integer',
    expires_at_ms: 'integer',
    failures: 'integer',
  },
});
const { at } = CHALLENGE_TABLE;

export function toChallengeRow(record: ChallengeRecord): SqlRow {
  return [
    record.id,
    record.chain,
    record.address,
    record.domain,
    record.message,
    record.callerMark,
    record.createdAtMs,
    record.expiresAtMs,
    0,
  ];
}

export function toChallengeRecord(row: SqlRow): ChallengeRecord {
  return {
    id: textAt(row, at.id),
    chain: textAt(row, at.chain) as ChainSlug,
    address: textAt(row, at.address),
    domain: textAt(row, at.domain),
    message: textAt(row, at.message),
    callerMark: textAt(row, at.caller_mark),
    createdAtMs: numberAt(row, at.created_at_ms),
    expiresAtMs: numberAt(row, at.expires_at_ms),
  };
}
