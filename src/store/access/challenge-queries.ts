// Challenges in SQL: created within limits, and used by exactly one sign-in.

import type { ChallengeRecord, SessionRecord } from '../../model/access-record.ts';
import type {
  AccessStore,
  ChallengeBounds,
  ChallengeOpening,
  SignInOutcome,
} from '../access-store.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import { buildSelect, type ColumnType, type SqlStatement } from '../table.ts';
import { CHALLENGE_TABLE, toChallengeRecord, toChallengeRow } from '../tables/challenge-table.ts';
import { numberAt, numberOrNullAt, textAt } from '../tables/column-value.ts';
import { SESSION_TABLE, toSessionRow } from '../tables/session-table.ts';

type ChallengeQueries = Pick<
  AccessStore,
  'openChallenge' | 'readChallenge' | 'failChallenge' | 'signIn'
>;

/** PostgreSQL lets one transaction at a time past this lock; SQLite has one writer anyway. */
const LOCK_CHALLENGES: SqlStatement = {
  sql: "UPDATE access_locks SET version = version + 1 WHERE name = 'challenges'",
  takes: [],
  gives: [],
};

function buildOpenCount(condition: string, takes: readonly ColumnType[]): SqlStatement {
  return {
    sql: `SELECT COUNT(*), MIN(expires_at_ms) FROM access_challenges WHERE ${condition}`,
    takes,
    gives: ['integer', 'integer'],
  };
}

const COUNT_BY_CALLER = buildOpenCount('caller_mark = $1 AND expires_at_ms > $2', [
  'text',
  'integer',
]);
const COUNT_BY_ADDRESS = buildOpenCount('address = $1 AND expires_at_ms > $2', ['text', 'integer']);
const COUNT_ALL = buildOpenCount('expires_at_ms > $1', ['integer']);

const SELECT_OPEN = buildSelect(CHALLENGE_TABLE, 'WHERE id = $1 AND expires_at_ms > $2', [
  'text',
  'integer',
]);

const COUNT_FAILURE: SqlStatement = {
  sql: 'UPDATE access_challenges SET failures = failures + 1 WHERE id = $1',
  takes: ['text'],
  gives: [],
};

const DELETE_FAILED: SqlStatement = {
  sql: 'DELETE FROM access_challenges WHERE id = $1 AND failures >= $2',
  takes: ['text', 'integer'],
  gives: [],
};

const USE_UP: SqlStatement = {
  sql: 'DELETE FROM access_challenges WHERE id = $1 AND expires_at_ms > $2',
  takes: ['text', 'integer'],
  gives: [],
};

/** Also locks the wallet's row, so that concurrent sign-ins see each other's sessions. */
const PUT_WALLET: SqlStatement = {
  sql: `INSERT INTO access_wallets (id, address, created_at_ms, signed_in_at_ms, keys_issued)
    VALUES ($1, $2, $3, $4, 0)
    ON CONFLICT (id) DO UPDATE SET signed_in_at_ms = excluded.signed_in_at_ms`,
  takes: ['text', 'text', 'integer', 'integer'],
  gives: [],
};

const SELECT_SURPLUS: SqlStatement = {
  sql: `SELECT id FROM access_sessions WHERE wallet_id = $1 AND id <> $2
    ORDER BY last_used_at_ms DESC, id LIMIT 1000 OFFSET $3`,
  takes: ['text', 'text', 'integer'],
  gives: ['text'],
};

async function findBlocker(
  session: SqlSession,
  record: ChallengeRecord,
  bounds: ChallengeBounds,
): Promise<number | null> {
  const nowMs = record.createdAtMs;
  const counts = [
    { count: COUNT_BY_CALLER, values: [record.callerMark, nowMs], max: bounds.perCallerMax },
    { count: COUNT_BY_ADDRESS, values: [record.address, nowMs], max: bounds.perAddressMax },
    { count: COUNT_ALL, values: [nowMs], max: bounds.totalMax },
  ];
  for (const { count, values, max } of counts) {
    const [row = []] = await session.query(count, values);
    if (numberAt(row, 0) >= max) return numberOrNullAt(row, 1) ?? nowMs;
  }
  return null;
}

async function openChallenge(
  engine: SqlEngine,
  record: ChallengeRecord,
  bounds: ChallengeBounds,
): Promise<ChallengeOpening> {
  return engine.transaction(async (session) => {
    await session.execute(LOCK_CHALLENGES, []);
    const freeAtMs = await findBlocker(session, record, bounds);
    if (freeAtMs !== null) return { outcome: 'full', freeAtMs };
    await session.insertRows(CHALLENGE_TABLE, [toChallengeRow(record)]);
    return { outcome: 'opened' };
  });
}

async function signIn(
  engine: SqlEngine,
  attempt: { challengeId: string; session: SessionRecord; sessionsMax: number },
): Promise<SignInOutcome> {
  const { wallet, createdAtMs, id } = attempt.session;
  return engine.transaction(async (session) => {
    const used = await session.execute(USE_UP, [attempt.challengeId, createdAtMs]);
    if (used === 0) return { outcome: 'challengeGone' };
    await session.execute(PUT_WALLET, [wallet.id, wallet.address, createdAtMs, createdAtMs]);
    await session.insertRows(SESSION_TABLE, [toSessionRow(attempt.session)]);
    const surplus = await session.query(SELECT_SURPLUS, [wallet.id, id, attempt.sessionsMax - 1]);
    await session.deleteRows(SESSION_TABLE, surplus);
    return { outcome: 'signedIn', endedIds: surplus.map((row) => textAt(row, 0)) };
  });
}

export function createChallengeQueries(engine: SqlEngine): ChallengeQueries {
  return {
    openChallenge: (record, bounds) => openChallenge(engine, record, bounds),
    readChallenge: async (id, nowMs) => {
      const [row] = await engine.session.query(SELECT_OPEN, [id, nowMs]);
      return row === undefined ? null : toChallengeRecord(row);
    },
    failChallenge: (id, failuresMax) =>
      engine.transaction(async (session) => {
        await session.execute(COUNT_FAILURE, [id]);
        await session.execute(DELETE_FAILED, [id, failuresMax]);
      }),
    signIn: (challengeId, session, { sessionsMax }) =>
      signIn(engine, { challengeId, session, sessionsMax }),
  };
}
