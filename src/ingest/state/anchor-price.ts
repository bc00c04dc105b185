// The USD price of the native coin, from the current state of the chain's anchor pools.

import { kindOf } from '../../amm/pool-kinds.ts';
import { RANK_NATIVE, RANK_STABLE } from '../../chains/quote-rule.ts';
import { pow10, type Ratio } from '../../lib/decimal.ts';
import type { MarketState, PoolEntry } from './market-state.ts';

function priceNativeInUsd(state: MarketState, pool: PoolEntry): Ratio | null {
  const view = pool.views.find(
    ({ baseRank, quoteRank }) => baseRank === RANK_NATIVE && quoteRank === RANK_STABLE,
  );
  const price = kindOf(pool.row).price(pool.row.state);
  if (view === undefined || price === null) return null;
  const nativeDecimals = state.tokens.get(view.base)?.row.decimals ?? null;
  const stableDecimals = state.tokens.get(view.quote)?.row.decimals ?? null;
  if (nativeDecimals === null || stableDecimals === null) return null;
  const stable = view.baseIsToken0 ? price.numerator : price.denominator;
  const native = view.baseIsToken0 ? price.denominator : price.numerator;
  return {
    numerator: stable * pow10(nativeDecimals),
    denominator: native * pow10(stableDecimals),
  };
}

/** USD per unit of the native coin, by the first anchor pool that has a price; otherwise null. */
export function findAnchorPrice(state: MarketState): Ratio | null {
  for (const id of state.assets.anchorPools) {
    const pool = state.pools.get(id);
    const price = pool === undefined ? null : priceNativeInUsd(state, pool);
    if (price !== null) return price;
  }
  return null;
}
