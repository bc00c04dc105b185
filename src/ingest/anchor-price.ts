// The USD price of the native coin, from the chain's anchor pools as they stand right now.

import { RANK_NATIVE, RANK_STABLE } from '../chains/quote-rule.ts';
import { pow10, type Ratio } from '../lib/decimal.ts';
import type { MarketState, PoolEntry } from './market-state.ts';

const X192 = 192n;

/** Raw units of token 1 per raw unit of token 0; null while the pool has no price. */
export function toRawPrice(pool: PoolEntry['row']): Ratio | null {
  if (pool.reserve0 !== null && pool.reserve1 !== null) {
    if (pool.reserve0 === 0n || pool.reserve1 === 0n) return null;
    return { numerator: pool.reserve1, denominator: pool.reserve0 };
  }
  if (pool.sqrtPriceX96 === null || pool.sqrtPriceX96 === 0n) return null;
  return { numerator: pool.sqrtPriceX96 * pool.sqrtPriceX96, denominator: 1n << X192 };
}

function toUsdPrice(state: MarketState, pool: PoolEntry): Ratio | null {
  const view = pool.views.find(
    ({ baseRank, quoteRank }) => baseRank === RANK_NATIVE && quoteRank === RANK_STABLE,
  );
  const price = toRawPrice(pool.row);
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

/** USD per unit of the native coin by the first anchor pool that has a price; else null. */
export function toAnchorPrice(state: MarketState): Ratio | null {
  for (const id of state.assets.anchorPools) {
    const pool = state.pools.get(id);
    const price = pool === undefined ? null : toUsdPrice(state, pool);
    if (price !== null) return price;
  }
  return null;
}
