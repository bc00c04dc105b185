// What was measured of a token over some of its pools, and the codes of what a buyer must see.

import { kindOf } from '../amm/pool-kinds.ts';
import { LOOKALIKE, type Lookalike, warnOfMeasured } from '../contract/safety-warnings.ts';
import type { Address } from '../model/ids.ts';
import type { TokenRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { ChainSafety, MarketChain } from './market-parts.ts';

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

/** The vouched token that a token can be mistaken for; nobody mistakes an asset that all use. */
export function findLookalike(
  lists: Pick<TokenLists, 'findLookalike'>,
  { slug: chain, assets }: Pick<MarketChain, 'slug' | 'assets'>,
  { token, symbol, name }: TokenRecord,
): Lookalike | null {
  if (assets.native.has(token) || assets.stable.has(token)) return null;
  return lists.findLookalike({ chain, token, symbol, name });
}

/** What is told of a token in a list. */
export interface ListedDanger {
  /** The deepest. */
  readonly topPool: PoolRecord | null;
  readonly isLookalike: boolean;
}

/** For lists: by the deepest pool alone, as far as it was measured. */
export function listDangers(
  safety: ChainSafety | null,
  token: Address,
  { topPool, isLookalike }: ListedDanger,
): string[] {
  const sum = topPool && sumSafety(safety, [topPool], token);
  const measured = sum === null ? [] : Array.from(warnOfMeasured(sum, ''), ([code]) => code);
  return isLookalike ? [LOOKALIKE, ...measured] : measured;
}
