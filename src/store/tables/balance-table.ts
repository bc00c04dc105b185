// What each owner holds of each token; zero balances are not stored.

import { toSortableInteger } from '../../lib/sortable-integer.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { BalanceRecord } from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { addressAt, amountAt } from './column-value.ts';

export const BALANCE_TABLE = defineTable('balances', {
  key: { chain: 'name', token: 'name', owner: 'hex' },
  data: { amount_raw: 'text' },
});
const { at } = BALANCE_TABLE;
const writeRow = createRowWriter(BALANCE_TABLE);

export function toBalanceRow(chain: ChainSlug, record: BalanceRecord): SqlRow {
  return writeRow({
    chain,
    token: record.token,
    owner: record.owner,
    amount_raw: toSortableInteger(record.amountRaw),
  });
}

export function toBalanceRecord(row: SqlRow): BalanceRecord {
  return {
    token: addressAt(row, at.token),
    owner: addressAt(row, at.owner),
    amountRaw: amountAt(row, at.amount_raw),
  };
}
