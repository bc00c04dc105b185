// Answers GET /usage.

import type { InputOf, OutputOf } from '../contract/operation.ts';
import { type getUsage, USAGE_ROWS_MAX } from '../contract/operations/get-usage.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import type { WalletId } from '../model/ids.ts';
import { type AccessStore, SESSION_SOURCE } from '../store/access-store.ts';

const HOUR_MS = 3_600_000;
const HOURS_EACH = { '1h': 1, '1d': 24 } as const;
const HOURS_DEFAULT = { '1h': 24, '1d': 30 * 24 } as const;

export async function readUsage(
  store: AccessStore,
  input: InputOf<typeof getUsage>,
  of: { readonly walletId: WalletId; readonly nowMs: number },
): Promise<OutputOf<typeof getUsage>> {
  const { interval, keyId } = input;
  const hoursEach = HOURS_EACH[interval];
  const toMs = input.to ?? of.nowMs + 1;
  const fromMs = input.from ?? Math.max(0, toMs - HOURS_DEFAULT[interval] * HOUR_MS);
  if (fromMs >= toMs)
    throw buildInvalidInputError([{ path: 'from', message: 'must be before `to`' }]);
  const first = Math.floor(fromMs / HOUR_MS / hoursEach) * hoursEach;
  const rows = await store.readOperationUsage(of.walletId, {
    ...{ fromHour: first, toHour: Math.ceil(toMs / HOUR_MS), hoursEach },
    source: keyId ?? null,
    limit: USAGE_ROWS_MAX + 1,
  });
  if (rows.length > USAGE_ROWS_MAX) {
    const message = `gives more than ${USAGE_ROWS_MAX} rows: ask for a shorter time, for days, or for one key`;
    throw buildInvalidInputError([{ path: 'from', message }]);
  }
  return {
    interval,
    rows: rows.map((row) => ({
      time: row.hour * HOUR_MS,
      keyId: row.source === SESSION_SOURCE ? null : row.source,
      operation: row.operation,
      requests: row.requests,
      cost: row.costMilli / 1000,
      limited: row.limited,
      errors: row.errors,
    })),
  };
}
