// Watched tokens over any engine with SQL sessions.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { SqlEngine } from '../sql.ts';
import { buildSelect, defineTable, type SqlStatement } from '../table.ts';
import { addressAt } from '../tables/column-value.ts';
import type { WatchStore } from '../watch-store.ts';

/** Tokens that the operator watches, by command. */
const WATCH_TABLE = defineTable('token_watches', {
  key: { chain: 'text', token: 'text' },
  data: { added_at_ms: 'integer' },
});

const SELECT_WATCHED = buildSelect(WATCH_TABLE, 'WHERE chain = $1 ORDER BY token', ['text']);

const INSERT_WATCH: SqlStatement = {
  sql: `INSERT INTO token_watches (${WATCH_TABLE.columnList})
    VALUES ($1, $2, $3) ON CONFLICT (chain, token) DO NOTHING`,
  takes: WATCH_TABLE.types,
  gives: [],
};

export class SqlWatchStore implements WatchStore {
  readonly #engine: SqlEngine;

  constructor(engine: SqlEngine) {
    this.#engine = engine;
  }

  async add(chain: ChainSlug, token: Address, nowMs: number): Promise<boolean> {
    return this.#engine.transaction(
      async (session) => (await session.execute(INSERT_WATCH, [chain, token, nowMs])) === 1,
    );
  }

  async remove(chain: ChainSlug, token: Address): Promise<boolean> {
    return this.#engine.transaction(
      async (session) => (await session.execute(WATCH_TABLE.deleteByKey, [chain, token])) === 1,
    );
  }

  async list(chain: ChainSlug): Promise<Address[]> {
    const rows = await this.#engine.session.query(SELECT_WATCHED, [chain]);
    return rows.map((row) => addressAt(row, WATCH_TABLE.at.token));
  }
}
