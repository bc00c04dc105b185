// The USD price of the native coin, from the current state of the chain's anchor pools.

import { kindOf } from '../../amm/pool-kinds.ts';
import { RANK_NATIVE, RANK_STABLE } from '../../chains/quote-rule.ts';
import { pow10, type Ratio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { MarketState, PoolEntry } from './market-state.ts';

/** USD per unit of the native coin by one pool; null if it has no price. */
export function priceNativeInUsd(
  pool: Pick<PoolEntry, 'row' | 'views'>,
  findDecimals: (token: Address) => number | null,
): Ratio | null {
  const view = pool.views.find(
    ({ baseRank, quoteRank }) => baseRank === RANK_NATIVE && quoteRank === RANK_STABLE,
  );
  const price = kindOf(pool.row).price(pool.row.state);
  if (view === undefined || price === null) return null;
  const nativeDecimals = findDecimals(view.base);
  const stableDecimals = findDecimals(view.quote);
  if (nativeDecimals === null || stableDecimals === null) return null;
  const stable = view.baseIsToken0 ? price.numerator : price.denominator;
  const native = view.baseIsToken0 ? price.denominator : price.numerator;
  return {
    numerator: stable * pow10(nativeDecimals),
    denominator: native * pow10(stableDecimals),
  };
}

/**
 * USD per unit of the native coin, by the first anchor pool that has a price; otherwise null. Every
 * trade asks for it, and few change it: a pool's price is kept as long as its state.
 */
export function findAnchorPrice(state: MarketState): Ratio | null {
  const findDecimals = (token: Address) => state.tokens.get(token)?.row.decimals ?? null;
  for (const id of state.assets.anchorPools) {
    const pool = state.pools.get(id);
    if (pool === undefined) continue;
    if (pool.anchor?.state === pool.row.state) return pool.anchor.price;
    const price = priceNativeInUsd(pool, findDecimals);
    if (price === null) continue;
    pool.anchor = { state: pool.row.state, price };
    return price;
  }
  return null;
}
