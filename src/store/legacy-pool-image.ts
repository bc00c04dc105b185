// Undo images of pools from before migration 6, which a rollback right after an upgrade may
// restore.

import { parseSortableInteger } from '../lib/sortable-integer.ts';
import type { SqlRow, SqlValue } from './sql.ts';

/** The columns at that time, in order; the last three came with migration 2. */
const COLUMN_COUNT = 22;
const V4_ID_LENGTH = 66;

function digits(value: SqlValue | undefined): string {
  return typeof value === 'string' ? parseSortableInteger(value).toString() : '';
}

/** Converts it to a row of the current table. */
export function upgradePoolImage(row: SqlRow): SqlRow {
  const [chain, pool, venue, token0, token1, feePips, tickSpacing, hooks, vault, ...rest] =
    Array.from({ length: COLUMN_COUNT }, (_, index): SqlValue => row[index] ?? null);
  const [createdBlock, createdAtMs, complete, reserve0, reserve1, ...more] = rest;
  const [sqrtPriceX96, liquidity, tick, protocolFee, lastSwapAtMs, ...amounts] = more;
  const [amount0, amount1, liquidityUsdE18 = null] = amounts;
  const shared = [chain, pool, venue, token0, token1, feePips, vault, createdBlock, createdAtMs];
  const head = [...shared, complete, lastSwapAtMs, liquidityUsdE18].map((value) => value ?? null);
  if (tickSpacing === null) {
    return [...head, 'constantProduct', '', [reserve0, reserve1].map(digits).join(',')];
  }
  const isSingleton = String(pool).length === V4_ID_LENGTH;
  const terms = [tickSpacing, isSingleton ? 1 : 0, hooks ?? ''];
  const state = [
    ...[digits(sqrtPriceX96), digits(liquidity), tick ?? '', protocolFee ?? 0],
    ...[digits(amount0), digits(amount1)],
  ];
  return [...head, 'concentrated', terms.join(','), state.join(',')];
}
