// Alerts in SQL, the same on both engines. One row counts the changes of all: whoever changes an
// alert holds it until its transaction ends, so changes are seen in their order and no wallet gets
// past its limit.

import type { AlertRecord } from '../../model/alert.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { WalletId } from '../../model/ids.ts';
import type { AlertPage, ChainAlert, NewAlert } from '../alert-store.ts';
import type { SqlSession } from '../sql.ts';
import { buildSelect, type SqlStatement } from '../table.ts';
import {
  ALERT_STATE_TABLE,
  ALERT_TABLE,
  toAlertRecord,
  toAlertRow,
} from '../tables/alert-table.ts';
import { numberAt, textAt } from '../tables/column-value.ts';

/** Longer than streams and `verify` look back at what a deleted alert has fired. */
const ENDED_KEPT_MS = 4 * 86_400_000;

const NEXT_CHANGE: SqlStatement = {
  sql: 'UPDATE alert_changes SET last = last + 1',
  takes: [],
  gives: [],
};

const SELECT_CHANGE: SqlStatement = {
  sql: 'SELECT last FROM alert_changes',
  takes: [],
  gives: ['integer'],
};

const COUNT_OF_OWNER: SqlStatement = {
  sql: 'SELECT COUNT(*) FROM alerts WHERE wallet_id = $1 AND ended_at_ms IS NULL',
  takes: ['text'],
  gives: ['integer'],
};

const SELECT_OF_OWNER = buildSelect(
  ALERT_TABLE,
  'WHERE wallet_id = $1 AND change < $2 AND ended_at_ms IS NULL ORDER BY change DESC LIMIT $3',
  ['text', 'integer', 'integer'],
);

const SELECT_ONE = buildSelect(
  ALERT_TABLE,
  'WHERE wallet_id = $1 AND id = $2 AND ended_at_ms IS NULL',
  ['text', 'text'],
);

export const SELECT_ALERT_CHANGES = buildSelect(
  ALERT_TABLE,
  'WHERE chain = $1 AND change > $2 ORDER BY change LIMIT $3',
  ['text', 'integer', 'integer'],
);

export const SELECT_ALERT_STATES = buildSelect(
  ALERT_STATE_TABLE,
  'WHERE chain = $1 AND alert = $2',
  ['text', 'text'],
);

const DELETE_ENDED_STATES: SqlStatement = {
  sql: `DELETE FROM alert_states WHERE (chain, alert) IN
    (SELECT chain, id FROM alerts WHERE ended_at_ms < $1)`,
  takes: ['integer'],
  gives: [],
};

const DELETE_ENDED: SqlStatement = {
  sql: 'DELETE FROM alerts WHERE ended_at_ms < $1',
  takes: ['integer'],
  gives: [],
};

async function takeChange(session: SqlSession): Promise<number> {
  await session.execute(NEXT_CHANGE, []);
  const [row] = await session.query(SELECT_CHANGE, []);
  if (row === undefined) throw new Error('the store has no row in alert_changes');
  return numberAt(row, 0);
}

export async function countAlerts(session: SqlSession, owner: WalletId): Promise<number> {
  const [row] = await session.query(COUNT_OF_OWNER, [owner]);
  return row === undefined ? 0 : numberAt(row, 0);
}

/** Null if the owner has as many as it may. */
export async function addAlert(
  session: SqlSession,
  chain: ChainSlug,
  { alert, max }: { readonly alert: NewAlert; readonly max: number },
): Promise<AlertRecord | null> {
  const change = await takeChange(session);
  if ((await countAlerts(session, alert.owner)) >= max) return null;
  const record = { ...alert, endedAtMs: null, change };
  await session.insertRows(ALERT_TABLE, [toAlertRow(chain, record)]);
  return record;
}

/** Null if the owner has no such alert. */
export async function endAlert(
  session: SqlSession,
  { owner, id, nowMs }: { readonly owner: WalletId; readonly id: string; readonly nowMs: number },
): Promise<ChainAlert | null> {
  const change = await takeChange(session);
  const [row] = await session.query(SELECT_ONE, [owner, id]);
  if (row === undefined) return null;
  const chain = textAt(row, ALERT_TABLE.at.chain) as ChainSlug;
  const record = { ...toAlertRecord(row), endedAtMs: nowMs, change };
  await session.upsertRows(ALERT_TABLE, [toAlertRow(chain, record)]);
  await session.execute(DELETE_ENDED_STATES, [nowMs - ENDED_KEPT_MS]);
  await session.execute(DELETE_ENDED, [nowMs - ENDED_KEPT_MS]);
  return { chain, record };
}

export async function readAlertsOf(
  session: SqlSession,
  owner: WalletId,
  { before, limit }: AlertPage,
): Promise<ChainAlert[]> {
  const rows = await session.query(SELECT_OF_OWNER, [owner, before, limit]);
  return rows.map((row) => ({
    chain: textAt(row, ALERT_TABLE.at.chain) as ChainSlug,
    record: toAlertRecord(row),
  }));
}
