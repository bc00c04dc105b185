// The value of pools in USD and the liquidity of their tokens, which is shown and used for ranking
// in search.
//
// A pool counts with its quote asset, and with at most as much again for the other side, at the
// pool's own price: a large amount of a worthless token is not liquidity. Pools are valued at the
// end of every block that changes them, so the result does not depend on batch boundaries.

import { kindOf } from '../../amm/pool-kinds.ts';
import { RANK_TOKEN } from '../../chains/quote-rule.ts';
import { isUncheckedVenue } from '../../chains/unchecked-venue.ts';
import { pow10, type Ratio } from '../../lib/decimal.ts';
import { UINT256_MAX } from '../../lib/sortable-integer.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketState, PoolEntry, TokenEntry } from '../state/market-state.ts';
import { findAnchorPrice, findUsdPrice } from '../state/price-trade.ts';
import { openTokenEntry } from '../state/token-entry.ts';

const USD_E18 = pow10(18);

interface PoolSides {
  readonly base: TokenEntry;
  readonly quote: TokenEntry;
}

/** How a pool is valued in one of its tokens. */
interface QuoteSide {
  readonly baseIsToken0: boolean;
  /** USD for some raw units of it; null if unknown. */
  readonly toUsdE18: (amountRaw: bigint) => bigint | null;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** What a pool holds of its quote asset, and the value of its other side in it; null if unknown. */
function readHoldings(
  row: Pick<PoolRecord, 'kind' | 'state'>,
  baseIsToken0: boolean,
): { quote: bigint; base: bigint } | null {
  const kind = kindOf(row);
  const holdings = kind.holdings(row.state);
  if (holdings === null) return null;
  const { amount0, amount1 } = holdings;
  const quote = baseIsToken0 ? amount1 : amount0;
  const price = kind.price(row.state);
  if (price === null) return { quote, base: 0n };
  const base = baseIsToken0
    ? (amount0 * price.numerator) / price.denominator
    : (amount1 * price.denominator) / price.numerator;
  return { quote, base };
}

/** In 1e-18 USD; null if the price or the decimals are unknown. */
export function priceInUsdE18(
  amountRaw: bigint,
  asset: { readonly price: Ratio | null; readonly decimals: number | null },
): bigint | null {
  const { price, decimals } = asset;
  if (price === null || decimals === null) return null;
  const denominator = pow10(decimals) * price.denominator;
  return min((amountRaw * price.numerator * USD_E18) / denominator, UINT256_MAX >> 1n);
}

function valueSides(
  row: Pick<PoolRecord, 'kind' | 'state'>,
  { baseIsToken0, toUsdE18 }: QuoteSide,
): { readonly baseUsd: bigint; readonly quoteUsd: bigint } | null {
  const holdings = readHoldings(row, baseIsToken0);
  if (holdings === null) return null;
  const quoteUsd = toUsdE18(holdings.quote);
  const baseUsd = toUsdE18(holdings.base);
  return quoteUsd === null || baseUsd === null ? null : { baseUsd, quoteUsd };
}

/** The value of a pool against a quote asset, in 1e-18 USD; null if it is unknown. */
export function valueAgainstQuote(
  row: Pick<PoolRecord, 'kind' | 'state'>,
  quote: QuoteSide,
): bigint | null {
  const sides = valueSides(row, quote);
  return sides === null ? null : sides.quoteUsd + min(sides.baseUsd, sides.quoteUsd);
}

function computeValue(pool: PoolEntry, sides: PoolSides, anchor: Ratio | null): bigint | null {
  const { row, rank } = sides.quote;
  const asset = { price: findUsdPrice(sides.quote, anchor), decimals: row.decimals };
  const quote: QuoteSide = {
    baseIsToken0: sides.base.row.token === pool.row.token0,
    toUsdE18: (amountRaw) => priceInUsdE18(amountRaw, asset),
  };
  if (rank !== RANK_TOKEN) return valueAgainstQuote(pool.row, quote);
  const values = valueSides(pool.row, quote);
  if (values === null) return null;
  const { baseUsd, quoteUsd } = values;
  // Prices can be faked, deposits cannot: a token counts here for at most what it has elsewhere.
  const backed = min(quoteUsd, (sides.quote.row.liquidityUsdE18 ?? 0n) / 2n);
  return backed + min(baseUsd, backed);
}

function addToToken(state: MarketState, token: TokenEntry, changeUsdE18: bigint): void {
  state.touchToken(token);
  const sum = (token.row.liquidityUsdE18 ?? 0n) + changeUsdE18;
  token.row.liquidityUsdE18 = sum < 0n ? 0n : min(sum, UINT256_MAX);
}

/** Of pools against other tokens only the deepest counts: a hundred fake ones count as one. */
function notePaired(state: MarketState, token: TokenEntry, pool: PoolEntry): void {
  const { row } = token;
  const valueUsdE18 = pool.row.liquidityUsdE18;
  const isKnown = row.pairedPool === pool.row.pool;
  if (!isKnown && (valueUsdE18 ?? -1n) <= (row.pairedUsdE18 ?? -1n)) return;
  state.touchToken(token);
  row.pairedPool = pool.row.pool;
  row.pairedUsdE18 = valueUsdE18;
}

/** Between two tokens without a fixed value, the one with more liquidity is the quote. */
function pickSides(state: MarketState, pool: PoolEntry): PoolSides | null {
  const view = pool.views[0];
  if (view === undefined) return null;
  const base = openTokenEntry(state, view.base);
  const quote = openTokenEntry(state, view.quote);
  if (quote.rank !== RANK_TOKEN) return { base, quote };
  const isDeeper = (base.row.liquidityUsdE18 ?? 0n) > (quote.row.liquidityUsdE18 ?? 0n);
  return isDeeper ? { base: quote, quote: base } : { base, quote };
}

function valuePool(state: MarketState, pool: PoolEntry, anchor: Ratio | null): void {
  const sides = pickSides(state, pool);
  if (sides === null) return;
  const before = pool.row.liquidityUsdE18;
  // What pools of a factory that nobody checked claim to hold may not be there.
  const isUnchecked = isUncheckedVenue(state.assets, pool.row.venue);
  const after = isUnchecked ? null : computeValue(pool, sides, anchor);
  pool.row.liquidityUsdE18 = after;
  if (sides.quote.rank === RANK_TOKEN) {
    notePaired(state, sides.base, pool);
  } else if (before !== after) {
    const change = (after ?? 0n) - (before ?? 0n);
    addToToken(state, sides.base, change);
    addToToken(state, sides.quote, change);
  }
}

/** Must be called at the end of a block, for the pools that it changed. */
export function valuePools(state: MarketState): void {
  const pools = state.poolsOfBlock;
  if (pools.length === 0) return;
  const anchor = findAnchorPrice(state);
  const isPaired = (pool: PoolEntry) => pool.views[0]?.quoteRank === RANK_TOKEN;
  for (const pool of pools) if (!isPaired(pool)) valuePool(state, pool, anchor);
  for (const pool of pools) if (isPaired(pool)) valuePool(state, pool, anchor);
}
