// Finds the incomplete pools among those that a batch changed, with their approximate value.

import { kindOf } from '../../amm/pool-kinds.ts';
import { pow10 } from '../../lib/decimal.ts';
import { findAnchorPrice } from '../state/anchor-price.ts';
import type { MarketState, PoolEntry } from '../state/market-state.ts';
import { findUsdPrice } from '../state/price-trade.ts';
import type { IncompletePool } from './pool-adopter.ts';

/** What a constant product holds for a unit that it pays until its price has fallen by 2 %. */
const HELD_PER_DEPTH = 100n;
const NO_TICKS = { get: () => undefined, change: () => true, order: [] } as const;

/** What the pool would pay near its price, from its current liquidity. */
function computeDepthUsd(state: MarketState, pool: PoolEntry): number {
  const view = pool.views[0];
  const quote = view === undefined ? undefined : state.tokens.get(view.quote);
  if (view === undefined || quote === undefined || quote.row.decimals === null) return 0;
  const price = findUsdPrice(quote, findAnchorPrice(state));
  if (price === null) return 0;
  const base = view.baseIsToken0 ? 'token0' : 'token1';
  const kind = kindOf(pool.row);
  const held = kind.holdings(pool.row.state);
  const heldQuote = (view.baseIsToken0 ? held?.amount1 : held?.amount0) ?? 0n;
  // Vaults prove no depth, but tell which of the unknown pools to read first.
  const raw = kind.payableRaw(pool.row, base, NO_TICKS) || heldQuote / HELD_PER_DEPTH;
  return Number((raw * price.numerator) / (price.denominator * pow10(quote.row.decimals)));
}

export function findIncomplete(
  state: MarketState,
  pools: readonly PoolEntry[],
): readonly IncompletePool[] {
  const found: IncompletePool[] = [];
  for (const entry of pools) {
    if (entry.row.complete) continue;
    found.push({ pool: entry.row.pool, depthUsd: computeDepthUsd(state, entry) });
  }
  return found;
}
