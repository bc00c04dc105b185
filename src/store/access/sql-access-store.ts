// The access store over any engine with SQL sessions.

import type { SessionRecord } from '../../model/access-record.ts';
import type { AccessStore, OperationUse, SignInOutcome, UsedChallenge } from '../access-store.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import { buildSelect, type SqlStatement } from '../table.ts';
import { numberAt, textAt, walletAt } from '../tables/column-value.ts';
import { SESSION_TABLE, toSessionRecord, toSessionRow } from '../tables/session-table.ts';
import { createKeyQueries } from './key-queries.ts';
import { createUsageQueries } from './usage-queries.ts';

// The tiers of wallets, and the processes on the store, in SQL.

type TierQueries = Pick<
  AccessStore,
  'findTier' | 'assignTier' | 'readTiers' | 'reportNode' | 'removeNode' | 'readNodes'
>;

const FIND: SqlStatement = {
  sql: 'SELECT tier FROM access_tiers WHERE wallet_id = $1',
  takes: ['text'],
  gives: ['text'],
};

const ASSIGN: SqlStatement = {
  sql: `INSERT INTO access_tiers (wallet_id, tier, assigned_at_ms) VALUES ($1, $2, $3)
    ON CONFLICT (wallet_id) DO UPDATE SET
      tier = excluded.tier, assigned_at_ms = excluded.assigned_at_ms`,
  takes: ['text', 'text', 'integer'],
  gives: [],
};

const REMOVE: SqlStatement = {
  sql: 'DELETE FROM access_tiers WHERE wallet_id = $1',
  takes: ['text'],
  gives: [],
};

const READ_ALL: SqlStatement = {
  sql: 'SELECT wallet_id, tier, assigned_at_ms FROM access_tiers ORDER BY tier, wallet_id',
  takes: [],
  gives: ['text', 'text', 'integer'],
};

const REPORT_NODE: SqlStatement = {
  sql: `INSERT INTO access_nodes (id, report, seen_at_ms) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET report = excluded.report, seen_at_ms = excluded.seen_at_ms`,
  takes: ['text', 'text', 'integer'],
  gives: [],
};

const REMOVE_NODES: SqlStatement = {
  sql: 'DELETE FROM access_nodes WHERE id = $1 OR seen_at_ms < $2',
  takes: ['text', 'integer'],
  gives: [],
};

const READ_NODES: SqlStatement = {
  sql: 'SELECT id, report, seen_at_ms FROM access_nodes WHERE seen_at_ms >= $1 ORDER BY id',
  takes: ['integer'],
  gives: ['text', 'text', 'integer'],
};

function createTierQueries(engine: SqlEngine): TierQueries {
  const execute = (statement: SqlStatement, values: readonly (string | number)[]) =>
    engine.transaction(async (session) => {
      await session.execute(statement, [...values]);
    });
  return {
    findTier: async (walletId) => {
      const [row] = await engine.session.query(FIND, [walletId]);
      return row === undefined ? null : textAt(row, 0);
    },
    assignTier: (walletId, tier, nowMs) =>
      tier === null ? execute(REMOVE, [walletId]) : execute(ASSIGN, [walletId, tier, nowMs]),
    readTiers: async () =>
      (await engine.session.query(READ_ALL, [])).map((row) => ({
        walletId: walletAt(row, 0),
        tier: textAt(row, 1),
        assignedAtMs: numberAt(row, 2),
      })),
    reportNode: ({ id, report, seenAtMs }) => execute(REPORT_NODE, [id, report, seenAtMs]),
    removeNode: (id, { seenBeforeMs }) => execute(REMOVE_NODES, [id, seenBeforeMs]),
    readNodes: async (seenSinceMs) =>
      (await engine.session.query(READ_NODES, [seenSinceMs])).map((row) => ({
        id: textAt(row, 0),
        report: textAt(row, 1),
        seenAtMs: numberAt(row, 2),
      })),
  };
}

// Sessions and wallets in SQL.

type SessionQueries = Pick<
  AccessStore,
  | 'findSession'
  | 'readSessions'
  | 'readSessionsById'
  | 'touchSessions'
  | 'endSessions'
  | 'findWallets'
>;

const SELECT_BY_TOKEN = buildSelect(SESSION_TABLE, 'WHERE token_hash = $1', ['text']);

const SELECT_BY_WALLET = buildSelect(
  SESSION_TABLE,
  'WHERE wallet_id = $1 ORDER BY created_at_ms DESC, id DESC',
  ['text'],
);

const TOUCH: SqlStatement = {
  sql: 'UPDATE access_sessions SET last_used_at_ms = $1 WHERE id = $2 AND last_used_at_ms < $3',
  takes: ['integer', 'text', 'integer'],
  gives: [],
};

const END: SqlStatement = {
  sql: 'DELETE FROM access_sessions WHERE wallet_id = $1 AND id = $2',
  takes: ['text', 'text'],
  gives: [],
};

const SELECT_WALLETS: SqlStatement = {
  sql: 'SELECT id, address FROM access_wallets WHERE id = $1 OR address = $2 ORDER BY id',
  takes: ['text', 'text'],
  gives: ['text', 'text'],
};

/** Transactions that lock rows in one order never wait for each other in a circle. */
const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

function createSessionQueries(engine: SqlEngine): SessionQueries {
  return {
    findSession: async (tokenHash) => {
      const [row] = await engine.session.query(SELECT_BY_TOKEN, [tokenHash]);
      return row === undefined ? null : toSessionRecord(row);
    },
    readSessions: async (walletId) =>
      (await engine.session.query(SELECT_BY_WALLET, [walletId])).map(toSessionRecord),
    readSessionsById: async (ids) => {
      const keys = ids.map((id) => [id]);
      const rows = await engine.session.queryEach(SESSION_TABLE.selectByKey, keys);
      return rows.map(toSessionRecord);
    },
    touchSessions: (uses) =>
      engine.transaction(async (session) => {
        for (const { id, lastUsedAtMs } of uses.toSorted(byId)) {
          await session.execute(TOUCH, [lastUsedAtMs, id, lastUsedAtMs]);
        }
      }),
    endSessions: (walletId, ids) =>
      engine.transaction(async (session) => {
        const ended: string[] = [];
        for (const id of ids.toSorted()) {
          if ((await session.execute(END, [walletId, id])) > 0) ended.push(id);
        }
        return ended;
      }),
    findWallets: async (idOrAddress) => {
      const rows = await engine.session.query(SELECT_WALLETS, [idOrAddress, idOrAddress]);
      return rows.map((row) => ({ id: walletAt(row, 0), address: textAt(row, 1) }));
    },
  };
}

// What keys and sessions were used for, in SQL.

type OperationUsageQueries = Pick<AccessStore, 'addOperationUsage' | 'readOperationUsage'>;

const TABLE = 'access_operation_usage';

const ADD: SqlStatement = {
  sql: `INSERT INTO ${TABLE}
      (wallet_id, hour, source, operation, requests, cost_milli, limited, errors)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (wallet_id, hour, source, operation) DO UPDATE SET
      requests = ${TABLE}.requests + excluded.requests,
      cost_milli = ${TABLE}.cost_milli + excluded.cost_milli,
      limited = ${TABLE}.limited + excluded.limited,
      errors = ${TABLE}.errors + excluded.errors`,
  takes: ['text', 'integer', 'text', 'text', 'integer', 'integer', 'integer', 'integer'],
  gives: [],
};

/** PostgreSQL sums integers into decimals, which the driver returns as text. */
function buildRead(hours: number): SqlStatement {
  const sum = (column: string) => `CAST(SUM(${column}) AS BIGINT)`;
  return {
    sql: `SELECT (hour / ${hours}) * ${hours} AS start, source, operation,
        ${['requests', 'cost_milli', 'limited', 'errors'].map(sum).join(', ')}
      FROM ${TABLE}
      WHERE wallet_id = $1 AND hour >= $2 AND hour < $3 AND ($4 = '' OR source = $5)
      GROUP BY 1, source, operation ORDER BY 1, source, operation LIMIT $6`,
    takes: ['text', 'integer', 'integer', 'text', 'text', 'integer'],
    gives: ['integer', 'text', 'text', 'integer', 'integer', 'integer', 'integer'],
  };
}

const READS = { 1: buildRead(1), 24: buildRead(24) } as const;

async function add(session: SqlSession, uses: readonly OperationUse[]): Promise<void> {
  const toName = (use: OperationUse) =>
    [use.walletId, use.hour, use.source, use.operation].join(' ');
  // One order for all nodes: they never wait for each other's rows in a circle.
  const sorted = uses.toSorted((a, b) => (toName(a) < toName(b) ? -1 : 1));
  for (const use of sorted) {
    const { walletId, hour, source, operation, requests, costMilli, limited, errors } = use;
    const counts = [requests, costMilli, limited, errors];
    await session.execute(ADD, [walletId, hour, source, operation, ...counts]);
  }
}

function createOperationUsageQueries(engine: SqlEngine): OperationUsageQueries {
  return {
    addOperationUsage: (uses) => engine.transaction((session) => add(session, uses)),
    readOperationUsage: async (walletId, { fromHour, toHour, source, hoursEach, limit }) => {
      const only = source ?? '';
      const values = [walletId, fromHour, toHour, only, only, limit];
      const rows = await engine.session.query(READS[hoursEach], values);
      return rows.map((row) => ({
        walletId,
        hour: numberAt(row, 0),
        source: textAt(row, 1),
        operation: textAt(row, 2),
        requests: numberAt(row, 3),
        costMilli: numberAt(row, 4),
        limited: numberAt(row, 5),
        errors: numberAt(row, 6),
      }));
    },
  };
}

// Sign-in in SQL: a challenge is used by exactly one.

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

function createSignInQueries(engine: SqlEngine): SignInQueries {
  return {
    signIn: (challenge, session, { sessionsMax }) =>
      signIn(engine, { challenge, session, sessionsMax }),
  };
}

export function createSqlAccessStore(engine: SqlEngine): AccessStore {
  return {
    ...createSignInQueries(engine),
    ...createSessionQueries(engine),
    ...createKeyQueries(engine),
    ...createUsageQueries(engine),
    ...createOperationUsageQueries(engine),
    ...createTierQueries(engine),
  };
}
