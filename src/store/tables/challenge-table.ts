// Open sign-in challenges.

import type { ChallengeRecord } from '../../model/access-record.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { createRowWriter } from '../create-row-writer.ts';
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
const writeRow = createRowWriter(CHALLENGE_TABLE);

export function toChallengeRow(record: ChallengeRecord): SqlRow {
  return writeRow({
    id: record.id,
    chain: record.chain,
    address: record.address,
    domain: record.domain,
    message: record.message,
    caller_mark: record.callerMark,
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs,
    failures: 0,
  });
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
