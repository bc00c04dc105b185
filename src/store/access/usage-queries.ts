// Usage, peppers and deletion of expired data, in SQL.

import type { AccessStore, UsageEntry } from '../access-store.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import { defineTable, type SqlStatement } from '../table.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import {
  BARE_WALLET_LIFE_MS,
  ENDED_KEY_LIFE_MS,
  IDEMPOTENCY_LIFE_MS,
  IDLE_SESSION_LIFE_MS,
  OPERATION_USAGE_HOURS,
  toHour,
  USAGE_HOURS,
  USED_CHALLENGE_LIFE_MS,
} from './key-queries.ts';

type UsageQueries = Pick<
  AccessStore,
  'addUsage' | 'readUsage' | 'readPepperMarks' | 'addPepperMarks' | 'countKeysByPepper' | 'sweep'
>;

const PEPPER_TABLE = defineTable('access_peppers', {
  key: { version: 'integer' },
  data: { mark: 'text' },
});
const writePepper = createRowWriter(PEPPER_TABLE);

const ADD_USAGE: SqlStatement = {
  sql: `INSERT INTO access_usage (wallet_id, source, hour, requests) VALUES ($1, $2, $3, $4)
    ON CONFLICT (wallet_id, source, hour)
    DO UPDATE SET requests = access_usage.requests + excluded.requests`,
  takes: ['text', 'text', 'integer', 'integer'],
  gives: [],
};

const TOUCH_KEY: SqlStatement = {
  sql: `UPDATE access_keys SET last_used_at_ms = $1
    WHERE id = $2 AND (last_used_at_ms IS NULL OR last_used_at_ms < $3)`,
  takes: ['integer', 'text', 'integer'],
  gives: [],
};

/** PostgreSQL sums integers into decimals, which the driver returns as text. */
const SELECT_USAGE: SqlStatement = {
  sql: `SELECT source, CAST(SUM(requests) AS BIGINT) FROM access_usage
    WHERE wallet_id = $1 AND hour > $2 GROUP BY source`,
  takes: ['text', 'integer'],
  gives: ['text', 'integer'],
};

const SELECT_PEPPERS: SqlStatement = {
  sql: 'SELECT version, mark FROM access_peppers ORDER BY version',
  takes: [],
  gives: PEPPER_TABLE.types,
};

const COUNT_BY_PEPPER: SqlStatement = {
  sql: `SELECT pepper_version, COUNT(*) FROM access_keys
    WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $1)
    GROUP BY pepper_version`,
  takes: ['integer'],
  gives: ['integer', 'integer'],
};

function buildSweep(table: string, column: string): SqlStatement {
  return { sql: `DELETE FROM ${table} WHERE ${column} <= $1`, takes: ['integer'], gives: [] };
}

const SWEEP_CHALLENGES = buildSweep('access_used_challenges', 'expires_at_ms');
const SWEEP_IDLE_SESSIONS = buildSweep('access_sessions', 'last_used_at_ms');
const SWEEP_REVOKED_KEYS = buildSweep('access_keys', 'revoked_at_ms');
const SWEEP_EXPIRED_KEYS = buildSweep('access_keys', 'expires_at_ms');
const SWEEP_SESSIONS = buildSweep('access_sessions', 'expires_at_ms');
const SWEEP_IDEMPOTENCY = buildSweep('access_idempotency', 'created_at_ms');
const SWEEP_OPERATIONS = buildSweep('access_operation_usage', 'hour');
const SWEEP_USAGE = buildSweep('access_usage', 'hour');

/** How many wallets a sweep looks at: a store may have millions. */
const WALLETS_PER_SWEEP = 2000;

const SELECT_WALLETS: SqlStatement = {
  sql: `SELECT id FROM access_wallets WHERE id > $1 ORDER BY id LIMIT ${WALLETS_PER_SWEEP}`,
  takes: ['text'],
  gives: ['text'],
};

const NOTHING_LEFT = ['access_sessions', 'access_keys', 'access_tiers']
  .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE wallet_id = access_wallets.id)`)
  .join(' AND ');

/** A sign-in meanwhile moves the time, so that the row is kept. */
const DELETE_BARE_WALLETS: SqlStatement = {
  sql: `DELETE FROM access_wallets WHERE id > $1 AND id <= $2 AND signed_in_at_ms <= $3
    AND ${NOTHING_LEFT} RETURNING id`,
  takes: ['text', 'text', 'integer'],
  gives: ['text'],
};

const DELETE_OPERATIONS_OF: SqlStatement = {
  sql: 'DELETE FROM access_operation_usage WHERE wallet_id = $1',
  takes: ['text'],
  gives: [],
};

/** Looks at the wallets after an id; returns the id to go on from, empty at the end. */
async function sweepWallets(session: SqlSession, after: string, nowMs: number): Promise<string> {
  const ids = (await session.query(SELECT_WALLETS, [after])).map((row) => textAt(row, 0));
  const last = ids.at(-1);
  if (last === undefined) return '';
  const deleted = await session.query(DELETE_BARE_WALLETS, [
    ...[after, last, nowMs - BARE_WALLET_LIFE_MS],
  ]);
  for (const row of deleted) await session.execute(DELETE_OPERATIONS_OF, [textAt(row, 0)]);
  return ids.length < WALLETS_PER_SWEEP ? '' : last;
}

const bySource = ({ walletId, source }: UsageEntry) => `${walletId} ${source}`;

async function addUsage(session: SqlSession, entries: readonly UsageEntry[]): Promise<void> {
  // One order for all nodes: they never wait for each other's rows in a circle.
  const sorted = entries.toSorted((a, b) => (bySource(a) < bySource(b) ? -1 : 1));
  for (const { walletId, source, requests, lastUsedAtMs } of sorted) {
    await session.execute(ADD_USAGE, [walletId, source, toHour(lastUsedAtMs), requests]);
    await session.execute(TOUCH_KEY, [lastUsedAtMs, source, lastUsedAtMs]);
  }
}

export function createUsageQueries(engine: SqlEngine): UsageQueries {
  let sweptTo = '';
  return {
    addUsage: (entries) => engine.transaction((session) => addUsage(session, entries)),
    readUsage: async (walletId, nowMs) => {
      const since = toHour(nowMs) - USAGE_HOURS;
      const rows = await engine.session.query(SELECT_USAGE, [walletId, since]);
      return new Map(rows.map((row) => [textAt(row, 0), numberAt(row, 1)]));
    },
    readPepperMarks: async () => {
      const rows = await engine.session.query(SELECT_PEPPERS, []);
      const { at } = PEPPER_TABLE;
      return rows.map((row) => ({
        version: numberAt(row, at.version),
        mark: textAt(row, at.mark),
      }));
    },
    addPepperMarks: (marks) =>
      engine.transaction((session) => session.insertRows(PEPPER_TABLE, marks.map(writePepper))),
    countKeysByPepper: async (nowMs) => {
      const rows = await engine.session.query(COUNT_BY_PEPPER, [nowMs]);
      return new Map(rows.map((row) => [numberAt(row, 0), numberAt(row, 1)]));
    },
    sweep: (nowMs) =>
      engine.transaction(async (session) => {
        await session.execute(SWEEP_CHALLENGES, [nowMs - USED_CHALLENGE_LIFE_MS]);
        await session.execute(SWEEP_IDLE_SESSIONS, [nowMs - IDLE_SESSION_LIFE_MS]);
        await session.execute(SWEEP_REVOKED_KEYS, [nowMs - ENDED_KEY_LIFE_MS]);
        await session.execute(SWEEP_EXPIRED_KEYS, [nowMs - ENDED_KEY_LIFE_MS]);
        await session.execute(SWEEP_SESSIONS, [nowMs]);
        await session.execute(SWEEP_IDEMPOTENCY, [nowMs - IDEMPOTENCY_LIFE_MS]);
        await session.execute(SWEEP_USAGE, [toHour(nowMs) - USAGE_HOURS]);
        await session.execute(SWEEP_OPERATIONS, [toHour(nowMs) - OPERATION_USAGE_HOURS]);
        sweptTo = await sweepWallets(session, sweptTo, nowMs);
      }),
  };
}
