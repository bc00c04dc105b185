// Alerts, and how far each has got: a row for the end of each block that changed it, so that a
// rollback goes back by deleting rows.

import type { AlertRecord, AlertRule, AlertState } from '../../model/alert.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import {
  addressOrNullAt,
  numberAt,
  numberOrNullAt,
  textAt,
  textOrNullAt,
  walletAt,
} from './column-value.ts';

export const ALERT_TABLE = defineTable('alerts', {
  key: { chain: 'text', id: 'text' },
  data: {
    wallet_id: 'text',
    webhook: 'text',
    token: 'text',
    rule: 'text',
    created_at_ms: 'integer',
    ended_at_ms: 'integer',
    change: 'integer',
  },
});
const alertAt = ALERT_TABLE.at;
const writeAlert = createRowWriter(ALERT_TABLE);

export function toAlertRow(chain: ChainSlug, record: AlertRecord): SqlRow {
  return writeAlert({
    chain,
    id: record.id,
    wallet_id: record.owner,
    webhook: record.webhook,
    token: record.token,
    rule: JSON.stringify(record.rule),
    created_at_ms: record.createdAtMs,
    ended_at_ms: record.endedAtMs,
    change: record.change,
  });
}

export function toAlertRecord(row: SqlRow): AlertRecord {
  return {
    id: textAt(row, alertAt.id),
    owner: walletAt(row, alertAt.wallet_id),
    webhook: textOrNullAt(row, alertAt.webhook),
    token: addressOrNullAt(row, alertAt.token),
    rule: JSON.parse(textAt(row, alertAt.rule)) as AlertRule,
    createdAtMs: numberAt(row, alertAt.created_at_ms),
    endedAtMs: numberOrNullAt(row, alertAt.ended_at_ms),
    change: numberAt(row, alertAt.change),
  };
}

export const ALERT_STATE_TABLE = defineTable('alert_states', {
  key: { chain: 'text', alert: 'text', block: 'integer' },
  data: {
    from_block: 'integer',
    ended_block: 'integer',
    is_armed: 'integer',
    mark: 'text',
    firings: 'integer',
    fired_at_ms: 'integer',
    figure: 'text',
  },
});
const { at } = ALERT_STATE_TABLE;
const writeState = createRowWriter(ALERT_STATE_TABLE);

export function toAlertStateRow(chain: ChainSlug, state: AlertState): SqlRow {
  return writeState({
    chain,
    alert: state.alert,
    block: state.block,
    from_block: state.fromBlock,
    ended_block: state.endedBlock,
    is_armed: Number(state.isArmed),
    mark: state.mark,
    firings: state.firings,
    fired_at_ms: state.firedAtMs,
    figure: state.figure,
  });
}

export function toAlertState(row: SqlRow): AlertState {
  return {
    alert: textAt(row, at.alert),
    block: numberAt(row, at.block),
    fromBlock: numberAt(row, at.from_block),
    endedBlock: numberOrNullAt(row, at.ended_block),
    isArmed: numberAt(row, at.is_armed) === 1,
    mark: textOrNullAt(row, at.mark),
    firings: numberAt(row, at.firings),
    firedAtMs: numberOrNullAt(row, at.fired_at_ms),
    figure: textOrNullAt(row, at.figure),
  };
}
