// Sessions and wallets in SQL.

import type { AccessStore } from '../access-store.ts';
import type { SqlEngine } from '../sql.ts';
import { buildSelect, type SqlStatement } from '../table.ts';
import { textAt, walletAt } from '../tables/column-value.ts';
import { SESSION_TABLE, toSessionRecord } from '../tables/session-table.ts';

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

export function createSessionQueries(engine: SqlEngine): SessionQueries {
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
