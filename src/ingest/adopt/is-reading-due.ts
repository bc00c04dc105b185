// Whether a pool must be read from its chain.

import { kindOf } from '../../amm/pool-kinds.ts';
import { isFeeCertain } from '../../amm/transfer-fee.ts';
import type { PoolRecord } from '../../model/pool.ts';

/**
 * If not all is known that can be read, or its tokens may take other fees of transfers than when it
 * was read.
 */
export function isReadingDue(row: PoolRecord, block: number): boolean {
  // Of these nothing can be read: the next swap tells all.
  if (row.kind === 'tradesOnly') return false;
  if (!row.complete) return true;
  return !isFeeCertain(kindOf(row).findTransferFees?.(row.state), block);
}
