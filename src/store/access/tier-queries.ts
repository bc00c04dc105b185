// The tiers of wallets, and the processes on the store, in SQL.

import type { AccessStore } from '../access-store.ts';
import type { SqlEngine } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { numberAt, textAt, walletAt } from '../tables/column-value.ts';

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

export function createTierQueries(engine: SqlEngine): TierQueries {
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
