// Usage, peppers and deletion of expired data, in SQL.

import type { AccessStore, UsageEntry } from '../access-store.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import { defineTable, type SqlStatement } from '../table.ts';
import { numberAt, textAt } from '../tables/column-value.ts';
import { IDEMPOTENCY_LIFE_MS, OPERATION_USAGE_HOURS, toHour, USAGE_HOURS } from './retention.ts';

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

const SWEEP_CHALLENGES = buildSweep('access_challenges', 'expires_at_ms');
const SWEEP_SESSIONS = buildSweep('access_sessions', 'expires_at_ms');
const SWEEP_IDEMPOTENCY = buildSweep('access_idempotency', 'created_at_ms');
const SWEEP_OPERATIONS = buildSweep('access_operation_usage', 'hour');
const SWEEP_USAGE = buildSweep('access_usage', 'hour');

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
        await session.execute(SWEEP_CHALLENGES, [nowMs]);
        await session.execute(SWEEP_SESSIONS, [nowMs]);
        await session.execute(SWEEP_IDEMPOTENCY, [nowMs - IDEMPOTENCY_LIFE_MS]);
        await session.execute(SWEEP_USAGE, [toHour(nowMs) - USAGE_HOURS]);
        await session.execute(SWEEP_OPERATIONS, [toHour(nowMs) - OPERATION_USAGE_HOURS]);
      }),
  };
}
