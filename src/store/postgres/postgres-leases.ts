// Leases in PostgreSQL, timed by its clock.
//
// The holder counts beside the token: a standby that takes over may lack the last take, and then
// gives its token again, to another process.

import { type ChainSlug, parseChainSlug } from '../../model/chain.ts';
import type { ChainLease, LeaseState, LeaseStore } from '../lease-store.ts';
import type { SqlEngine } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { buildDamageError, numberAt, textAt, textOrNullAt } from '../tables/column-value.ts';

const SELECT_FREE: SqlStatement = {
  sql: `SELECT 1 FROM (SELECT $1::text AS chain) AS wanted
    LEFT JOIN chain_leases AS l USING (chain)
    WHERE l.chain IS NULL OR l.expires_at <= clock_timestamp()`,
  takes: ['text'],
  gives: ['integer'],
};

const INSERT_FIRST: SqlStatement = {
  sql: `INSERT INTO chain_leases (chain, token, holder, expires_at, reported_at)
    VALUES ($1, 0, '', '-infinity', clock_timestamp()) ON CONFLICT DO NOTHING`,
  takes: ['text'],
  gives: [],
};

/**
 * Conflicts with the lock of a transaction under this lease, unlike a renewal. Gives no row instead
 * of waiting: the last holder may be suspended in it, and renewals need this connection.
 */
const LOCK: SqlStatement = {
  sql: 'SELECT token FROM chain_leases WHERE chain = $1 FOR UPDATE SKIP LOCKED',
  takes: ['text'],
  gives: ['integer'],
};

const TAKE: SqlStatement = {
  sql: `UPDATE chain_leases SET holder = $1, token = token + 1,
      expires_at = clock_timestamp() + $2 * interval '1 millisecond'
    WHERE chain = $3 AND expires_at <= clock_timestamp() RETURNING token`,
  takes: ['text', 'integer', 'text'],
  gives: ['integer'],
};

const RENEW: SqlStatement = {
  sql: `UPDATE chain_leases SET expires_at = clock_timestamp() + $1 * interval '1 millisecond',
      report = $2, reported_at = clock_timestamp()
    WHERE chain = $3 AND token = $4 AND holder = $5`,
  takes: ['integer', 'text', 'text', 'integer', 'text'],
  gives: [],
};

const RELEASE: SqlStatement = {
  sql: `UPDATE chain_leases SET expires_at = '-infinity' WHERE chain = $1 AND token = $2 AND holder = $3`,
  takes: ['text', 'integer', 'text'],
  gives: [],
};

const SELECT_ALL: SqlStatement = {
  sql: `SELECT chain, holder, report,
      CAST(extract(epoch FROM clock_timestamp() - reported_at) * 1000 AS BIGINT),
      CAST(expires_at <= clock_timestamp() AS INTEGER)
    FROM chain_leases`,
  takes: [],
  gives: ['text', 'text', 'text', 'integer', 'integer'],
};

function readSlug(text: string): ChainSlug {
  const chain = parseChainSlug(text);
  if (chain === null) throw buildDamageError(`The store holds an invalid chain ${text}`);
  return chain;
}

export class PostgresLeases implements LeaseStore {
  readonly #engine: SqlEngine;

  constructor(engine: SqlEngine) {
    this.#engine = engine;
  }

  async take(
    chain: ChainSlug,
    { holder, lifeMs }: { readonly holder: string; readonly lifeMs: number },
  ): Promise<ChainLease | null> {
    const free = await this.#engine.session.query(SELECT_FREE, [chain]);
    if (free.length === 0) return null;
    return await this.#engine.transaction(async (session) => {
      await session.execute(INSERT_FIRST, [chain]);
      const locked = await session.query(LOCK, [chain]);
      if (locked.length === 0) return null;
      const [row] = await session.query(TAKE, [holder, lifeMs, chain]);
      return row === undefined ? null : { chain, holder, token: numberAt(row, 0) };
    });
  }

  async renew(
    { chain, token, holder }: ChainLease,
    { lifeMs, report }: { readonly lifeMs: number; readonly report: string },
  ): Promise<boolean> {
    const values = [lifeMs, report, chain, token, holder];
    return (await this.#engine.session.execute(RENEW, values)) === 1;
  }

  async release({ chain, token, holder }: ChainLease): Promise<void> {
    await this.#engine.session.execute(RELEASE, [chain, token, holder]);
  }

  async list(): Promise<LeaseState[]> {
    const rows = await this.#engine.session.query(SELECT_ALL, []);
    return rows.map((row) => ({
      chain: readSlug(textAt(row, 0)),
      holder: textAt(row, 1),
      report: textOrNullAt(row, 2),
      reportAgeMs: Math.max(0, numberAt(row, 3)),
      isFree: numberAt(row, 4) === 1,
    }));
  }
}
