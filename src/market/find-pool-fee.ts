// The fee of a pool as it is shown.

import { isQuotable } from '../amm/unchecked-flag.ts';
import type { PoolRecord } from '../model/pool.ts';

/** In pips; null if neither a log nor a contract told it. */
export function findPoolFee(row: PoolRecord): number | null {
  if (row.kind === 'tradesOnly') return null;
  if (row.kind === 'solidlyPair') {
    const { fee0, flags } = row.state;
    return isQuotable(flags) ? fee0 : null;
  }
  return row.feePips === 0 && !row.complete ? null : row.feePips;
}
