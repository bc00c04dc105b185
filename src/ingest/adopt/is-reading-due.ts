// Whether a pool must be read from its chain.

import { kindOf } from '../../amm/pool-kinds.ts';
import { isFeeCertain } from '../../amm/transfer-fee.ts';
import type { PoolRecord } from '../../model/pool.ts';

/** If it is not complete, or its tokens may take other fees of transfers than when it was read. */
export function isReadingDue(row: PoolRecord, block: number): boolean {
  if (!row.complete) return true;
  return !isFeeCertain(kindOf(row).findTransferFees?.(row.state), block);
}
