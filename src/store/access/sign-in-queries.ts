// Sign-in in SQL: a challenge is used by exactly one.

import type { SessionRecord } from '../../model/access-record.ts';
import type { AccessStore, SignInOutcome, UsedChallenge } from '../access-store.ts';
import type { SqlEngine } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { textAt } from '../tables/column-value.ts';
import { SESSION_TABLE, toSessionRow } from '../tables/session-table.ts';

type SignInQueries = Pick<AccessStore, 'signIn'>;

/** Of concurrent ones the others wait, and then write nothing. */
const USE_UP: SqlStatement = {
  sql: `INSERT INTO access_used_challenges (nonce, expires_at_ms) VALUES ($1, $2)
    ON CONFLICT (nonce) DO NOTHING`,
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

async function signIn(
  engine: SqlEngine,
  attempt: { challenge: UsedChallenge; session: SessionRecord; sessionsMax: number },
): Promise<SignInOutcome> {
  const { wallet, createdAtMs, id } = attempt.session;
  const { nonce, expiresAtMs } = attempt.challenge;
  // It may have expired while a node was asked, and its row may be deleted after that.
  if (expiresAtMs <= createdAtMs) return { outcome: 'challengeGone' };
  return engine.transaction(async (session) => {
    const used = await session.execute(USE_UP, [nonce, expiresAtMs]);
    if (used === 0) return { outcome: 'challengeGone' };
    await session.execute(PUT_WALLET, [wallet.id, wallet.address, createdAtMs, createdAtMs]);
    await session.insertRows(SESSION_TABLE, [toSessionRow(attempt.session)]);
    const surplus = await session.query(SELECT_SURPLUS, [wallet.id, id, attempt.sessionsMax - 1]);
    await session.deleteRows(SESSION_TABLE, surplus);
    return { outcome: 'signedIn', endedIds: surplus.map((row) => textAt(row, 0)) };
  });
}

export function createSignInQueries(engine: SqlEngine): SignInQueries {
  return {
    signIn: (challenge, session, { sessionsMax }) =>
      signIn(engine, { challenge, session, sessionsMax }),
  };
}
