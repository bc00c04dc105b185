// The fee of a pool as it is shown.

import { kindOf } from '../amm/pool-kinds.ts';
import type { PoolMoment } from '../amm/pool-moment.ts';
import { isQuotable } from '../amm/unchecked-flag.ts';
import type { PoolRecord } from '../model/pool.ts';

/** In pips, in a block; null if neither a log nor a contract told it. */
export function findPoolFee(row: PoolRecord, moment: PoolMoment): number | null {
  if (row.kind === 'tradesOnly') return null;
  if (row.kind === 'solidlyPair') {
    const { fee0, flags } = row.state;
    return isQuotable(flags) ? fee0 : null;
  }
  if (row.feePips === 0 && !row.complete) return null;
  // Ticks do not change what the next swap pays first.
  const timed = kindOf(row).createSwapPool(row, [], undefined)?.at?.(moment);
  return timed?.feePips(true) ?? row.feePips;
}
