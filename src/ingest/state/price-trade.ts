// The value and the price of a trade, as exact ratios that are rounded once.

import { kindOf } from '../../amm/pool-kinds.ts';
import { type MarketView, RANK_NATIVE, RANK_STABLE } from '../../chains/quote-rule.ts';
import {
  pow10,
  type Ratio,
  ratioToText,
  textToDecimal,
  toRatio,
  toUnits,
} from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketState, PoolEntry, TokenEntry } from './market-state.ts';

// The USD price of the native coin, from the current state of the chain's anchor pools.

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

export type TradePrices = Pick<
  TradeRecord,
  'priceNative' | 'priceUsd' | 'valueNative' | 'valueUsd'
>;

interface TradeToPrice {
  readonly view: MarketView;
  readonly base: TokenEntry;
  readonly quote: TokenEntry;
  readonly baseRaw: bigint;
  readonly quoteRaw: bigint;
  /** USD per unit of the native coin; null if unknown. */
  readonly anchor: Ratio | null;
  /** Between two tokens without a fixed value: which one's last price the swap is valued at. */
  readonly valuedThrough: 'base' | 'quote';
}

const NO_PRICES: TradePrices = {
  priceNative: null,
  priceUsd: null,
  valueNative: null,
  valueUsd: null,
};

function times(left: Ratio, right: Ratio): Ratio {
  return {
    numerator: left.numerator * right.numerator,
    denominator: left.denominator * right.denominator,
  };
}

function inverse(ratio: Ratio): Ratio {
  return { numerator: ratio.denominator, denominator: ratio.numerator };
}

/** Native coin per unit of an asset; null if unknown. */
export function findNativePrice(asset: TokenEntry, anchor: Ratio | null): Ratio | null {
  if (asset.rank === RANK_NATIVE) return { numerator: 1n, denominator: 1n };
  if (asset.rank === RANK_STABLE) return anchor === null ? null : inverse(anchor);
  const { priceNative } = asset.row;
  return priceNative === null ? null : toRatio(textToDecimal(priceNative));
}

/** USD per unit of an asset; null if unknown. */
export function findUsdPrice(asset: TokenEntry, anchor: Ratio | null): Ratio | null {
  if (asset.rank === RANK_STABLE) return { numerator: 1n, denominator: 1n };
  if (asset.rank === RANK_NATIVE) return anchor;
  const { priceUsd } = asset.row;
  return priceUsd === null ? null : toRatio(textToDecimal(priceUsd));
}

function toText(ratio: Ratio | null): string | null {
  return ratio === null || ratio.numerator === 0n ? null : ratioToText(ratio);
}

/** All null if an amount is zero or a token's decimals are unknown. */
export function priceTrade(trade: TradeToPrice): TradePrices {
  const { view, base, quote, baseRaw, quoteRaw, anchor } = trade;
  const baseDecimals = base.row.decimals;
  const quoteDecimals = quote.row.decimals;
  if (baseRaw <= 0n || quoteRaw <= 0n || baseDecimals === null || quoteDecimals === null) {
    return NO_PRICES;
  }
  const baseAmount = { numerator: baseRaw, denominator: pow10(baseDecimals) };
  const quoteAmount = { numerator: quoteRaw, denominator: pow10(quoteDecimals) };
  const perBase = inverse(baseAmount);
  const byBase = trade.valuedThrough === 'base';
  const measure = byBase ? base : quote;
  const amount = byBase ? baseAmount : quoteAmount;
  const usdPrice = findUsdPrice(measure, anchor);
  const valueUsd = usdPrice && times(amount, usdPrice);
  const priceUsd = toText(valueUsd && times(valueUsd, perBase));
  if (view.baseRank === RANK_NATIVE) {
    // The native coin is worth one native coin, wrapped or not.
    const valueNative = toUnits(baseRaw, baseDecimals);
    return { priceNative: '1', priceUsd, valueNative, valueUsd: toText(valueUsd) };
  }
  const nativePrice = findNativePrice(measure, anchor);
  const valueNative = nativePrice && times(amount, nativePrice);
  return {
    priceNative: toText(valueNative && times(valueNative, perBase)),
    priceUsd,
    // An amount paid in the native coin is kept to the last unit.
    valueNative:
      view.quoteRank === RANK_NATIVE ? toUnits(quoteRaw, quoteDecimals) : toText(valueNative),
    valueUsd: toText(valueUsd),
  };
}
