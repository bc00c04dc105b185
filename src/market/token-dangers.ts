// What was measured of a token over some of its pools, and the codes of what a buyer must see.

import { kindOf } from '../amm/pool-kinds.ts';
import { warnOfMeasured } from '../contract/safety-warnings.ts';
import type { Address } from '../model/ids.ts';
import type { PoolRecord } from '../model/pool.ts';
import type { ChainSafety } from './market-parts.ts';

export type MeasuredSum = NonNullable<ReturnType<ChainSafety['sum']>>;

/** What the token itself deducts from transfers, which the pool's swaps include. */
export function findFeeBps(row: PoolRecord, token: Address): number {
  const fees = kindOf(row).findTransferFees?.(row.state) ?? null;
  return (row.token0 === token ? fees?.fee0 : fees?.fee1)?.bps ?? 0;
}

/** Null if none of the pools was measured. */
export function sumSafety(
  safety: ChainSafety | null,
  pools: readonly PoolRecord[],
  token: Address,
): MeasuredSum | null {
  const ids = pools.map(({ pool }) => pool);
  const sum = safety?.sum(ids, token) ?? null;
  if (sum === null) return null;
  const feeBps = Math.max(0, ...pools.map((row) => findFeeBps(row, token)));
  const add = (bps: number | null) => (bps === null ? null : bps + feeBps);
  return { ...sum, buyTaxBps: add(sum.buyTaxBps), sellTaxBps: add(sum.sellTaxBps) };
}

/** For lists: by the deepest pool alone, as far as it was measured. */
export function listDangers(
  safety: ChainSafety | null,
  topPool: PoolRecord | null,
  token: Address,
): string[] {
  const sum = topPool && sumSafety(safety, [topPool], token);
  return sum === null ? [] : Array.from(warnOfMeasured(sum, ''), ([code]) => code);
}
