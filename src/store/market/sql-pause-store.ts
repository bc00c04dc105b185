// Pauses and watches over any engine with SQL sessions.

import { isLoggedOutage } from '../../errors/unavailable-error.ts';
import { type ChainSlug, parseChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { PauseChange, PauseStore, WatchStore } from '../feed-store.ts';
import type { SqlEngine, SqlRow } from '../sql.ts';
import { buildSelect, defineTable, type SqlStatement } from '../table.ts';
import { addressAt, buildDamageError, numberAt, textAt } from '../tables/column-value.ts';

// Watched tokens over any engine with SQL sessions.

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

/** Tokens that are or were paused; each change has a number above all earlier ones. */
const PAUSE_TABLE = defineTable('token_pauses', {
  key: { chain: 'text', token: 'text' },
  data: { paused: 'integer', changed_at_ms: 'integer', version: 'integer' },
});

/** Two concurrent changes get the same number; the second retries. */
const ATTEMPTS_MAX = 10;

const SELECT_LAST_VERSION: SqlStatement = {
  sql: 'SELECT COALESCE(MAX(version), 0) FROM token_pauses',
  takes: [],
  gives: ['integer'],
};

const writePause = createRowWriter(PAUSE_TABLE);

const SELECT_CHANGES = buildSelect(PAUSE_TABLE, 'WHERE version > $1 ORDER BY version', ['integer']);

/** The chain may have left the operator's file since. */
function readSlug(text: string): ChainSlug {
  const chain = parseChainSlug(text);
  if (chain === null) throw buildDamageError(`The store holds an invalid chain ${text}`);
  return chain;
}

function toPauseChange(row: SqlRow): PauseChange {
  const { at } = PAUSE_TABLE;
  return {
    chain: readSlug(textAt(row, at.chain)),
    token: addressAt(row, at.token),
    paused: numberAt(row, at.paused) === 1,
    version: numberAt(row, at.version),
  };
}

export class SqlPauseStore implements PauseStore {
  readonly #engine: SqlEngine;

  constructor(engine: SqlEngine) {
    this.#engine = engine;
  }

  async setPaused(change: Parameters<PauseStore['setPaused']>[0]): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#set(change);
      } catch (error) {
        if (isLoggedOutage(error) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  async readChanges(afterVersion: number): Promise<PauseChange[]> {
    const rows = await this.#engine.session.query(SELECT_CHANGES, [afterVersion]);
    return rows.map(toPauseChange);
  }

  #set(change: Parameters<PauseStore['setPaused']>[0]): Promise<boolean> {
    const { chain, token, paused, nowMs } = change;
    return this.#engine.transaction(async (session) => {
      const [stored] = await session.query(PAUSE_TABLE.selectByKey, [chain, token]);
      const wasPaused = stored !== undefined && numberAt(stored, PAUSE_TABLE.at.paused) === 1;
      if (wasPaused === paused) return false;
      const [last] = await session.query(SELECT_LAST_VERSION, []);
      // The time, so that a change that a promoted standby lacks has a number that none gets again.
      const version = Math.max(nowMs, (last === undefined ? 0 : numberAt(last, 0)) + 1);
      const row = { chain, token, paused: paused ? 1 : 0, changed_at_ms: nowMs, version };
      await session.upsertRows(PAUSE_TABLE, [writePause(row)]);
      return true;
    });
  }
}
