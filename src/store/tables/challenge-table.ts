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
    id: textAt(row, 0),
    chain: textAt(row, 1) as ChainSlug,
    address: textAt(row, 2),
    domain: textAt(row, 3),
    message: textAt(row, 4),
    callerMark: textAt(row, 5),
    createdAtMs: numberAt(row, 6),
    expiresAtMs: numberAt(row, 7),
  };
}
